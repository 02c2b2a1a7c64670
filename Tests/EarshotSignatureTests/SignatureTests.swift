import EarshotSignature
import TestSupport
import Testing

@Suite("A signature")
struct SignatureTests {
  private let digest = AnalyzerSettings.digest

  @Test("packs bin, class and step into the bits that the format names")
  func bits() {
    let peak = PackedPeak(bin: 368, strength: 2, isRepeated: true, step: 14)
    #expect(peak.word == 14 << 12 | 368 << 3 | 1 << 2 | 2)
    #expect(peak.bin == 368)
    #expect(peak.peakClass == 6)
    #expect(peak.frameStep == 14)
    #expect(!peak.isEscape)
    let escape = PackedPeak(escapeOverFrames: 4095)
    #expect(escape.word == 0xffff)
    #expect(escape.isEscape)
    #expect(escape.frameStep == 4095)
  }

  @Test("takes a bin of 368 and refuses one past it")
  func binRange() throws {
    let good = try Signature(sampleCount: 4096, packedPeaks: [368 << 3], settingsDigest: digest)
    #expect(good.peakCount == 1)
    #expect(throws: SignatureError.binOutOfRange(index: 1, bin: 369)) {
      try Signature(sampleCount: 4096, packedPeaks: [0, 369 << 3], settingsDigest: digest)
    }
  }

  @Test("takes a peak in the last frame and refuses one past it")
  func lastFrame() throws {
    // 4096 samples are 9 frames.
    let last = UInt16(8 << 12)
    #expect(
      try Signature(sampleCount: 4096, packedPeaks: [last], settingsDigest: digest).peakCount == 1)
    #expect(throws: SignatureError.peakAfterEnd(index: 1, frame: 9, frameCount: 9)) {
      try Signature(sampleCount: 4096, packedPeaks: [last, 1 << 12], settingsDigest: digest)
    }
  }

  @Test("refuses other settings, and counts of samples that cannot be")
  func refusals() {
    #expect(throws: SignatureError.otherSettings(found: digest ^ 1, expected: digest)) {
      try Signature(sampleCount: 0, packedPeaks: [], settingsDigest: digest ^ 1)
    }
    #expect(throws: SignatureError.sampleCountOutOfRange(-1)) {
      try Signature(sampleCount: -1, packedPeaks: [], settingsDigest: digest)
    }
    let past = Signature.sampleCountMax + 1
    #expect(throws: SignatureError.sampleCountOutOfRange(past)) {
      try Signature(sampleCount: past, packedPeaks: [], settingsDigest: digest)
    }
    #expect(throws: Never.self) {
      try Signature(sampleCount: past - 1, packedPeaks: [], settingsDigest: digest)
    }
  }

  @Test("goes over silence longer than one escape can")
  func longSilence() {
    var analyzer = ReferenceAnalyzer()
    let burst = SyntheticSound.melody(seconds: 1, seed: 9)
    let quiet = Array(repeating: Float(0), count: 16_000)
    analyzer.append(burst.span)
    for _ in 0..<70 { analyzer.append(quiet.span) }
    analyzer.append(burst.span)
    let made = analyzer.finish()
    var frames: [Int] = []
    PackedPeak.forEach(in: made.packedPeaks.span) { frame, _ in frames.append(frame) }
    #expect(frames.contains { $0 < 62 })
    #expect(frames.contains { $0 > 71 * 62 })
    #expect(!frames.contains { $0 > 80 && $0 < 70 * 62 })
  }
}
