/// Turns the samples of a reference into its signature.
///
/// The same sound in any pieces gives the same signature, bit for bit. Memory beyond the peaks
/// themselves is taken at the beginning and overwritten when the analyzer goes (rule L5). Not for
/// several threads at once; several analyzers can work beside each other.
public struct ReferenceAnalyzer: ~Copyable {
  /// Samples taken so far, at 16 kHz.
  public var sampleCount: Int { spectrogram.sampleCount }

  private var spectrogram = LogSpectrogram()
  private var whitener = Whitener(framesAfter: AnalyzerSettings.whiteningFramesAfterReference)
  private var finder = PeakFinder()
  private var constellation = Constellation()

  /// Makes an analyzer at the beginning of a sound.
  public init() {}

  /// Takes samples at 16 kHz, full scale at -1 and 1.
  ///
  /// Sound past `Signature.sampleCountMax` is the caller's to refuse.
  public mutating func append(_ samples: Span<Float>) {
    var start = 0
    while start < samples.count {
      let (taken, hasFrame) = spectrogram.take(samples, from: start)
      start += taken
      if hasFrame, whitener.take(spectrogram.frame) {
        finder.take(whitener.whitened, into: &constellation)
      }
    }
  }

  /// Ends the sound and returns its signature.
  public consuming func finish() -> Signature {
    while whitener.drain() { finder.take(whitener.whitened, into: &constellation) }
    finder.finish(into: &constellation)
    constellation.finish()
    do {
      return try Signature(
        sampleCount: spectrogram.sampleCount, packedPeaks: constellation.packedPeaks,
        settingsDigest: AnalyzerSettings.digest)
    } catch {
      preconditionFailure("the analyzer made peaks that no signature may have")
    }
  }
}
