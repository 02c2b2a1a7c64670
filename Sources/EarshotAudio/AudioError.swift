/// The ways reading sound from a file or a pipe can fail.
public enum AudioError: Error, Sendable, Hashable {
  /// The file cannot be opened or read. `errno` is the kernel's word.
  case unreadable(errno: Int32)
  /// The path names a folder, a socket or a device, not a file.
  case notAFile
  /// The file holds no bytes at all.
  case emptyFile
  /// The content is no sound that any installed decoder reads.
  case unrecognised
  /// The content is of a kind that only ffmpeg reads, and ffmpeg is not installed.
  case needsFFmpeg(kind: String)
  /// The content is of a known kind, which could not be read from a pipe; as a file it may be.
  case needsFile(kind: String)
  /// The container was read and holds no sound.
  case noSound
  /// The decoder gave up after `decodedSeconds` seconds.
  case decoderFailed(decodedSeconds: Double)
  /// The decoder gave nothing for `seconds` seconds and was ended.
  case decoderStuck(seconds: Double)
  /// The sound is longer than `limitSeconds` seconds, which is the most that is read.
  case tooLong(limitSeconds: Double)
  /// A rate, a channel count or a sample format that is out of range.
  case unsupportedFormat(rate: Int, channels: Int)
}
