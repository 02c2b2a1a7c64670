/// The ways in which a caption file as a whole cannot be used.
///
/// A fault inside a file that costs one cue is a `CaptionFault`, not an error.
public enum CaptionError: Error, Sendable, Hashable {
  /// The file could not be opened or read; trying again helps when the cause is gone.
  case unreadable(errno: Int32)
  /// The path names a folder or a device.
  case notAFile
  /// The file is larger than any caption file. Sizes are in bytes.
  case tooLarge(bytes: Int, limit: Int)
  /// The text is neither UTF-8 nor UTF-16 with a mark; `line` counts from 1.
  case unknownEncoding(line: Int)
  /// The text does not fit the encoding that was named; `line` counts from 1.
  case notInEncoding(line: Int)
  /// The encoding that was named is not known to this system.
  case noSuchEncoding
  /// The text is neither WebVTT, SRT nor TTML.
  case unknownFormat
  /// The file does not lie in its catalog's folder, whatever link leads to it.
  case outside
}
