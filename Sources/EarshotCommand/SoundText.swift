internal import EarshotAudio
internal import EarshotClient

/// The words for sound that cannot be read, or only in part.
enum SoundText {
  /// A fault in three parts. `name` is the sound's name as it is shown.
  static func explain(_ error: AudioError, name: String) -> Explanation {
    let (reason, happened, next) = parts(error, name)
    return Explanation(
      reason: reason, happened: happened, means: "It was not searched for.", next: next)
  }

  private static func parts(
    _ error: AudioError, _ name: String
  ) -> (reason: String, happened: String, next: String) {
    switch error {
    case .unreadable(let number):
      (
        "unreadable", "\(name) cannot be read: \(Report.systemText(number)).",
        "Check its name and who may read it."
      )
    case .notAFile:
      ("not-a-file", "\(name) is a folder or a device, not a file.", "Name a file with sound.")
    case .emptyFile: ("empty-file", "\(name) is empty.", "Name a file with sound.")
    case .unrecognised:
      (
        "unrecognised", "\(name) holds no sound that can be read.",
        "Check that it is a file with sound, and whole."
      )
    case .needsFFmpeg(let kind):
      (
        "needs-ffmpeg", "\(name) is \(kind), which only ffmpeg can read, and it is not installed.",
        "Install ffmpeg ('apt-get install ffmpeg'), or convert the file."
      )
    case .noSound: ("no-sound", "\(name) holds no sound.", "Name a file with sound.")
    case .decoderFailed(let seconds):
      (
        "decoder-failed", "\(name) is damaged; reading stopped after \(plain(seconds)) s.",
        "Get a whole copy of it."
      )
    case .decoderStuck(let seconds):
      (
        "decoder-stuck", "\(name) gave nothing for \(plain(seconds)) s, so reading was ended.",
        "Check the file, or what writes into the pipe."
      )
    case .tooLong(let limit):
      (
        "too-long", "\(name) is longer than \(plain(limit)) s, which is the most that is read.",
        "Cut it into parts, or use --limit."
      )
    case .unsupportedFormat(let rate, let channels):
      (
        "unsupported-format", "\(name) has \(rate) samples a second and \(channels) channels.",
        "Convert it to a usual form."
      )
    }
  }

  /// Something odd about a sound that could still be read, as a sentence.
  static func warning(_ warning: SoundWarning) -> String {
    switch warning {
    case .cutShort(let decoded, let expected):
      "The sound ends early: \(plain(decoded)) s came of \(plain(expected)) s."
    case .damaged(let seconds):
      "The sound is damaged after \(plain(seconds)) s; what came before is used."
    case .notFinite(let count):
      "\(count) samples were not numbers and were read as silence."
    case .lowRate: "The rate is below 8 kHz, so much of what is listened to is missing."
    case .deadSide(let side):
      "The \(side == 0 ? "left" : "right") side is silent; the other one is used."
    case .invertedPair: "The two sides cancel each other; their difference is used."
    case .severalStreams(let count):
      "There are \(count) streams of sound, of which the first is read."
    }
  }

  private static func plain(_ seconds: Double) -> String { JSONText.plain(seconds, digits: 1) }
}
