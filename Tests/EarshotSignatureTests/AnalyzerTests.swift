import EarshotSignature
import Foundation
import TestSupport
import Testing

@Suite("The analyzer")
struct AnalyzerTests {
  /// Feeds `samples` in pieces whose sizes come from a seed.
  private func pieces(_ count: Int, seed: UInt64) -> [Range<Int>] {
    var random = SyntheticSound.Random(seed: seed)
    var start = 0
    var pieces: [Range<Int>] = []
    while start < count {
      let end = min(count, start + Int.random(in: 1...3000, using: &random))
      pieces.append(start..<end)
      start = end
    }
    return pieces
  }

  private func signature(_ samples: [Float], pieces: [Range<Int>]) -> Signature {
    var analyzer = ReferenceAnalyzer()
    for piece in pieces { analyzer.append(samples.span.extracting(piece)) }
    return analyzer.finish()
  }

  private func levels(_ samples: [Float], pieces: [Range<Int>]) -> [UInt8] {
    var analyzer = QueryAnalyzer(capacitySeconds: 10)
    for piece in pieces { analyzer.append(samples.span.extracting(piece)) }
    analyzer.finish()
    let levels = analyzer.levelsOfFrames
    return levels.indices.map { levels[$0] }
  }

  @Test("gives the same signature for any pieces", arguments: 1...4 as ClosedRange<UInt64>)
  func signaturePieces(seed: UInt64) {
    let sound = SyntheticSound.melody(seconds: 5, seed: 1)
    let whole = signature(sound, pieces: [0..<sound.count])
    #expect(whole.peakCount > 200)
    #expect(signature(sound, pieces: pieces(sound.count, seed: seed)) == whole)
  }

  @Test("gives the same levels for any pieces", arguments: 1...4 as ClosedRange<UInt64>)
  func levelPieces(seed: UInt64) {
    let sound = SyntheticSound.melody(seconds: 3.3, seed: 2)
    let whole = levels(sound, pieces: [0..<sound.count])
    #expect(whole.count == AnalyzerSettings.frameCount(ofSampleCount: sound.count) * 369)
    #expect(levels(sound, pieces: pieces(sound.count, seed: seed)) == whole)
  }

  @Test("levels do not change once they are there")
  func levelsStay() {
    let sound = SyntheticSound.melody(seconds: 4, seed: 3)
    var analyzer = QueryAnalyzer()
    analyzer.append(sound.span.extracting(first: 32_000))
    let early = analyzer.levelsOfFrames.count
    let before = (0..<early).map { analyzer.levelsOfFrames[$0] }
    analyzer.append(sound.span.extracting(droppingFirst: 32_000))
    #expect((0..<early).map { analyzer.levelsOfFrames[$0] } == before)
    #expect(early == AnalyzerSettings.frameCount(ofSampleCount: 32_000) * 369)
  }

  @Test(
    "a tone's peaks lie in the bin of its frequency", arguments: [200.0, 440, 1000, 3000, 5000])
  func tone(hertz: Double) {
    // A tone alone has no peaks in time, so it begins after silence and ends before the sound does.
    let quiet = Array(repeating: Float(0), count: 16_000)
    let sound = quiet + SyntheticSound.tone(hertz: hertz, seconds: 0.3) + quiet
    let made = signature(sound, pieces: [0..<sound.count])
    var bins: [Int] = []
    PackedPeak.forEach(in: made.packedPeaks.span) { frame, peak in
      if (50...85).contains(frame) { bins.append(peak.bin) }
    }
    let expected = 72 * log2(hertz / 160)
    #expect(bins.contains { abs(Double($0) - expected) <= 1 })
  }

  @Test("silence has no peaks, and a second of it less than one window has no frames")
  func silence() {
    let quiet = Array(repeating: Float(0), count: 16_000)
    #expect(signature(quiet, pieces: [0..<16_000]).packedPeaks.isEmpty)
    #expect(levels(quiet, pieces: [0..<16_000]).allSatisfy { $0 == 0 })
    #expect(signature(quiet, pieces: [0..<2047]).frameCount == 0)
    #expect(signature(quiet, pieces: [0..<2048]).frameCount == 1)
  }

  @Test("samples that are no numbers or far beyond full scale count as silence")
  func wildSamples() {
    var sound = SyntheticSound.melody(seconds: 2, seed: 4)
    var zeroed = sound
    for (index, wild) in [Float.nan, .infinity, -.infinity, 1e30, -64, 64].enumerated() {
      sound[5000 + 700 * index] = wild
      zeroed[5000 + 700 * index] = 0
    }
    let whole = [0..<sound.count]
    #expect(signature(sound, pieces: whole) == signature(zeroed, pieces: whole))
  }

  @Test("keeps 90 peaks a second at most, in order, none past the end")
  func density() throws {
    let sound = SyntheticSound.noise(seconds: 8, seed: 5)
    let made = signature(sound, pieces: [0..<sound.count])
    var perBlock: [Int: Int] = [:]
    var last = (frame: -1, bin: -1)
    PackedPeak.forEach(in: made.packedPeaks.span) { frame, peak in
      perBlock[frame / 32, default: 0] += 1
      #expect((last.frame, last.bin) < (frame, peak.bin))
      last = (frame, peak.bin)
    }
    #expect(perBlock.values.allSatisfy { $0 <= 46 })
    #expect(perBlock[3] == 46)
    #expect(last.frame < made.frameCount)
    #expect(
      try Signature.check(made.packedPeaks.span, sampleCount: made.sampleCount) == made.peakCount)
  }

  @Test("tells the loudest sample at each edge, whatever came after")
  func loudness() {
    var sound = Array(repeating: Float(0.001), count: 16_000)
    sound[7_000] = -0.5
    sound[15_000] = 0.75
    var analyzer = QueryAnalyzer()
    analyzer.append(sound.span)
    #expect(analyzer.peakAmplitude(inFirst: 6_400) == 0.001)
    #expect(analyzer.peakAmplitude(inFirst: 9_600) == 0.5)
    #expect(analyzer.peakAmplitude(inFirst: 16_000) == 0.75)
  }

  @Test("sound past the capacity is counted and not kept", arguments: [0, 1])
  func capacity(extra: Int) {
    var analyzer = QueryAnalyzer(capacitySeconds: 1)
    #expect(analyzer.frameCapacity == 62)
    let fitting = 2048 + 61 * 256
    analyzer.append(
      SyntheticSound.noise(seconds: 3, seed: 6).span.extracting(first: fitting + 256 * extra))
    analyzer.finish()
    #expect(analyzer.frameCount == 62)
    #expect(analyzer.sampleCount == fitting + 256 * extra)
  }
}
