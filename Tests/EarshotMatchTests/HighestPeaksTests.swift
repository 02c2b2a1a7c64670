import Testing

@_spi(Training) @testable import EarshotMatch
@testable import EarshotSignature

@Suite("The query's highest peaks, and what explains them")
struct HighestPeaksTests {
  /// Two peaks in every frame, of 20 and 8 dB, and beyond the end a higher one that may not count.
  private static let peaks: [QueryPeak] = (0..<65).flatMap { frame in
    [
      QueryPeak(frame: Int32(frame), bin: 40, height: frame < 62 ? 1280 : 6400),
      QueryPeak(frame: Int32(frame), bin: 200, height: 512),
    ]
  }

  private static let highest = HighestPeaks(of: peaks.span, frameCount: 65)

  @Test("the highest ninety a second are taken, of frames whose peaks are all known")
  func chosen() {
    // 62 frames give 89 peaks: all 62 high ones and 27 of the low ones.
    #expect(abs(Self.highest.clarity - (62 * 20 + 27 * 8) / 89) < 0.01)
    #expect(HighestPeaks(of: Self.peaks.span, frameCount: 3).clarity == 0)
    // What is missing of their number counts as nothing.
    let few = HighestPeaks(of: Array(Self.peaks.prefix(20)).span, frameCount: 65)
    #expect(abs(few.clarity - 10 * 28.0 / 89) < 0.01)
  }

  @Test("a peak is explained by a promised one within two frames and a bin")
  func explained() {
    var explanation = Self.highest.explanation()
    for frame in stride(from: 2, to: 65, by: 5) { explanation.promise(frame: frame, bin: 41) }
    let result = explanation.result
    #expect(abs(result.share - 62.0 / 89) < 1e-9)
    #expect(result.shareOfHeight > result.share)
    var off = Self.highest.explanation()
    for frame in 0..<65 { off.promise(frame: frame, bin: 42) }
    #expect(off.result.share == 0)
    #expect(off.result.clarity == result.clarity)
    var late = Self.highest.explanation()
    late.promise(frame: 3, bin: 40)
    #expect(abs(late.result.share - 5.0 / 89) < 1e-9)
  }

  @Test("nothing is explained where there is nothing")
  func nothing() {
    var explanation = HighestPeaks().explanation()
    explanation.promise(frame: 0, bin: 0)
    #expect(explanation.result == ExplainedPeaks())
  }
}
