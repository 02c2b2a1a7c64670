import Testing

@testable import EarshotSession

@Suite("Silence")
struct SilenceWatchTests {
  private func verdict(_ samples: [Float], after earlier: [Float] = []) -> SilenceWatch.Verdict? {
    var watch = SilenceWatch()
    if !earlier.isEmpty { watch.hear(earlier.span) }
    watch.hear(samples.span)
    return watch.verdict
  }

  @Test("O-01: zeros are told after 0.8 s, and not one sample earlier")
  func muted() {
    let limit = SilenceWatch.sampleCount
    #expect(verdict([Float](repeating: 0, count: limit)) == .muted)
    #expect(verdict([Float](repeating: 0, count: limit - 1)) == nil)
    // It is looked at after each piece of 128 ms.
    #expect(limit + 2048 < 16_000)
  }

  @Test("O-01: the noise of an analogue mute is told as faint")
  func faint() {
    let hiss = (0..<SilenceWatch.sampleCount).map { Float($0 % 7 - 3) / 3 * 0.0007 }
    #expect(verdict(hiss) == .faint)
    #expect(verdict(hiss.dropLast()) == nil)
  }

  @Test("O-53: a very quiet microphone is no silence")
  func quiet() {
    let quiet = (0..<SilenceWatch.sampleCount).map { Float($0 % 7 - 3) / 3 * 0.0009 }
    #expect(verdict(quiet) == nil)
  }

  @Test("muting in the middle is told, a quiet passage in the middle is not")
  func later() {
    let loud = (0..<32_000).map { Float($0 % 7 - 3) / 3 * 0.3 }
    #expect(verdict([Float](repeating: 0, count: 12_800), after: loud) == .muted)
    #expect(verdict((0..<32_000).map { Float($0 % 2) * 0.0001 }, after: loud) == nil)
  }

  @Test("the same sound in uneven pieces gives the same verdict", arguments: [1, 7, 160, 2048])
  func pieces(size: Int) {
    var watch = SilenceWatch()
    let zeros = [Float](repeating: 0, count: size)
    var heard = 0
    while watch.verdict == nil {
      watch.hear(zeros.span)
      heard += size
    }
    #expect(heard >= SilenceWatch.sampleCount && heard < SilenceWatch.sampleCount + size)
  }

  private func verdict(_ samples: ArraySlice<Float>) -> SilenceWatch.Verdict? {
    verdict(Array(samples))
  }
}
