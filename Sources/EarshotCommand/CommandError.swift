internal import EarshotAudio
internal import EarshotClient
internal import EarshotMatch

/// The ways a command can fail; the text for each is written in `Report`.
enum CommandError: Error, Sendable, Hashable {
  /// The command line is wrong.
  case usage(UsageError)
  /// A file or folder could not be read or written.
  case file(path: [UInt8], errno: Int32)
  /// Standard input or output failed.
  case stream(errno: Int32)
  /// A sound could not be read.
  case sound(AudioError, path: [UInt8])
  /// The catalogs could not be searched.
  case matching(MatchError, paths: [[UInt8]])
  /// A fault already put into words: what happened, what it means, the next step.
  case explained(Explanation, Outcome)
}
