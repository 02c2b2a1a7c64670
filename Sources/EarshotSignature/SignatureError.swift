/// The ways a signature's bytes can be wrong.
public enum SignatureError: Error, Sendable, Hashable {
  /// The signature was made with other analyzer settings (wall W4). Making it again helps.
  case otherSettings(found: UInt64, expected: UInt64)
  /// A packed word names a bin that the axis does not have. `index` counts 16-bit words.
  case binOutOfRange(index: Int, bin: Int)
  /// The peaks go on after the sound has ended. `index` counts 16-bit words.
  case peakAfterEnd(index: Int, frame: Int, frameCount: Int)
  /// A count is negative or larger than any signature can be.
  case sampleCountOutOfRange(Int)
}
