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

  private func highest(of peaks: [QueryPeak], frameCount: Int = 65) -> HighestPeaks {
    var highest = HighestPeaks(frameCapacity: 80)
    highest.take(from: peaks.span, frameCount: frameCount)
    return highest
  }

  private func explained(_ promised: [(frame: Int, bin: Int)]) -> ExplainedPeaks {
    let highest = highest(of: Self.peaks)
    var explanation = Explanation(count: highest.count)
    for peak in promised {
      unsafe explanation.promise(frame: peak.frame, bin: peak.bin, among: highest.pointer)
    }
    return explanation.result(among: highest)
  }

  @Test("the highest ninety a second are taken, of frames whose peaks are all known")
  func chosen() {
    // 62 frames give 89 peaks: all 62 high ones and the first 27 of the low ones.
    let all = highest(of: Self.peaks)
    #expect(all.count == 89)
    #expect(abs(all.clarity - (62 * 20 + 27 * 8) / 89) < 0.01)
    var low: [Int32] = []
    for index in 0..<all.count {
      let peak = unsafe all.pointer[index]
      if peak.bin == 200 { low.append(peak.frame) }
    }
    #expect(low == Array(0..<27))
    #expect(highest(of: Self.peaks, frameCount: 3).clarity == 0)
    // What is missing of their number counts as nothing.
    let few = highest(of: Array(Self.peaks.prefix(20)))
    #expect(few.count == 20)
    #expect(abs(few.clarity - 10 * 28.0 / 89) < 0.01)
  }

  @Test("what was taken before is not kept")
  func again() {
    var highest = highest(of: Self.peaks)
    highest.take(from: Self.peaks.span, frameCount: 3)
    #expect(highest.count == 0 && highest.clarity == 0)
  }

  @Test("a peak is explained by a promised one within two frames and a bin")
  func explained() {
    let result = explained(stride(from: 2, to: 65, by: 5).map { ($0, 41) })
    #expect(abs(result.share - 62.0 / 89) < 1e-9)
    #expect(result.shareOfHeight > result.share)
    let off = explained((0..<65).map { ($0, 42) })
    #expect(off.share == 0)
    #expect(off.clarity == result.clarity)
    #expect(abs(explained([(3, 40)]).share - 5.0 / 89) < 1e-9)
  }

  @Test("nothing is explained where there is nothing")
  func nothing() {
    let none = HighestPeaks(frameCapacity: 0)
    var explanation = Explanation(count: none.count)
    unsafe explanation.promise(frame: 0, bin: 0, among: none.pointer)
    #expect(explanation.result(among: none) == ExplainedPeaks())
  }
}
