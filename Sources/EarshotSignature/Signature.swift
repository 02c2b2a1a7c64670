/// The constellation of spectral peaks of one stretch of sound.
///
/// It holds no sound and none can be made from it: 90 peaks a second, each with frame, bin, a
/// strength of four and whether the same bin rang shortly before. About 0.65 MB an hour.
public struct Signature: Sendable, Hashable {
  /// Samples at 16 kHz that were analysed.
  public let sampleCount: Int
  /// The number of peaks.
  public let peakCount: Int
  /// The peaks, packed as `PackedPeak` says.
  public let packedPeaks: [UInt16]
  /// The analyzer's settings (`AnalyzerSettings.digest`) at the time of making.
  public let settingsDigest: UInt64

  /// The most samples that a signature may stand for: 24 hours.
  public static let sampleCountMax = 24 * 3600 * AnalyzerSettings.sampleRate

  /// Takes packed peaks and checks every word of them.
  ///
  /// - Throws: `SignatureError` for other settings, a bin that is not on the axis, peaks past the
  ///   end of the sound or a sample count out of range.
  public init(sampleCount: Int, packedPeaks: [UInt16], settingsDigest: UInt64)
    throws(SignatureError)
  {
    guard settingsDigest == AnalyzerSettings.digest else {
      throw .otherSettings(found: settingsDigest, expected: AnalyzerSettings.digest)
    }
    guard sampleCount >= 0, sampleCount <= Self.sampleCountMax else {
      throw .sampleCountOutOfRange(sampleCount)
    }
    peakCount = try Self.check(packedPeaks.span, sampleCount: sampleCount)
    self.sampleCount = sampleCount
    self.packedPeaks = packedPeaks
    self.settingsDigest = settingsDigest
  }

  /// Frames of analysis, one each 16 ms.
  public var frameCount: Int { AnalyzerSettings.frameCount(ofSampleCount: sampleCount) }

  /// Length of the sound in seconds.
  public var duration: Double { Double(sampleCount) / Double(AnalyzerSettings.sampleRate) }

  /// Checks packed peaks against the length of their sound and returns how many peaks they hold.
  ///
  /// - Throws: `SignatureError.binOutOfRange` or `.peakAfterEnd`, naming the word.
  public static func check(_ packedPeaks: Span<UInt16>, sampleCount: Int)
    throws(SignatureError) -> Int
  {
    let frameCount = AnalyzerSettings.frameCount(ofSampleCount: sampleCount)
    var frame = 0
    var peakCount = 0
    for index in packedPeaks.indices {
      let peak = PackedPeak(word: packedPeaks[index])
      frame += peak.frameStep
      guard frame < frameCount else {
        throw .peakAfterEnd(index: index, frame: frame, frameCount: frameCount)
      }
      if peak.isEscape { continue }
      guard peak.bin < AnalyzerSettings.binCount else {
        throw .binOutOfRange(index: index, bin: peak.bin)
      }
      peakCount += 1
    }
    return peakCount
  }
}
