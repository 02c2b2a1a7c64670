@_spi(Training) import EarshotMatch
import EarshotSignature
import TestSupport
import Testing

@Suite("The matcher")
struct MatcherTests {
  private static let references = (1...6).map {
    SyntheticSound.melody(seconds: 30, seed: UInt64($0))
  }

  private static let space: SearchSpace? = {
    let signatures = references.map { samples in
      var analyzer = ReferenceAnalyzer()
      analyzer.append(samples.span)
      return analyzer.finish()
    }
    return try? SearchSpace(signatures: signatures)
  }()

  private func answer(
    _ samples: [Float], piece: Int, options: MatchOptions = MatchOptions(), looks: Bool = true
  ) throws -> MatchAnswer {
    let space = try #require(Self.space)
    var analyzer = QueryAnalyzer()
    var matcher = Matcher(space, options: options)
    for start in stride(from: 0, to: samples.count, by: piece) {
      analyzer.append(samples.span.extracting(start..<min(samples.count, start + piece)))
      if looks, let answer = try matcher.look(at: analyzer) { return answer }
    }
    analyzer.finish()
    return try matcher.finish(at: analyzer)
  }

  @Test("names item and offset of a clean excerpt", arguments: 0..<6)
  func clean(reference: Int) throws {
    let start = 16_000 * (3 + 2 * reference) + 77
    let excerpt = Array(Self.references[reference][start..<start + 16_000 * 8])
    let found = try answer(excerpt, piece: 3200)
    #expect(found.kind == .match)
    let best = try #require(found.candidates.first)
    #expect(best.itemIndex == reference)
    // Decided within half a second, on thirty frames at most: two hops.
    #expect(abs(best.offset - Double(start) / 16_000) < 0.032)
    #expect(best.confidence > 0.99)
  }

  @Test(
    "gives the same answer at the same moment for any pieces", arguments: [160, 1600, 5000, 40_000])
  func pieces(piece: Int) throws {
    let noise = SyntheticSound.noise(seconds: 6, amplitude: 0.05, seed: 77)
    let excerpt = zip(Self.references[2][40_000..<40_000 + 96_000], noise).map { $0 + $1 }
    let whole = try answer(excerpt, piece: excerpt.count)
    #expect(whole.kind == .match)
    #expect(try answer(excerpt, piece: piece) == whole)
  }

  @Test(
    "O-64: of a recording with pauses cut out, the first piece's place at its own speed",
    arguments: 0..<4)
  func cut(reference: Int) throws {
    let pieces = [3.0, 10.4, 18.2].map { Int($0 * 16_000)..<Int(($0 + 7) * 16_000) }
    let edited = pieces.flatMap { Self.references[reference][$0] }
    let best = try #require(try answer(edited, piece: edited.count, looks: false).candidates.first)
    #expect(best.itemIndex == reference)
    #expect(abs(best.offset - 3) < 0.016)
    #expect(abs(try #require(best.speed) - 1) < 0.001)
  }

  @Test("says no-match of music that is in no catalog", arguments: 100...104 as ClosedRange<UInt64>)
  func absent(seed: UInt64) throws {
    let found = try answer(
      SyntheticSound.melody(seconds: 8, seed: seed), piece: 3200,
      options: MatchOptions(endsAtAbsence: false))
    #expect(found.kind == .noMatch)
    #expect(found.candidates.isEmpty)
    #expect(found.heardSeconds == 8)
  }

  @Test("ends early where clear sound is surely absent, and nowhere else")
  func surelyAbsent() throws {
    let clear = SyntheticSound.melody(seconds: 8, seed: 101)
    let early = try answer(clear, piece: 3200)
    #expect(early.kind == .noMatch)
    #expect(early.heardSeconds == Absence.seconds)
    // Noise could hide what it is still to find, and a tone is not sound enough to judge by.
    let noise = SyntheticSound.noise(seconds: 8, amplitude: 0.2, seed: 5)
    for sound in [zip(clear, noise).map { $0 + $1 }, SyntheticSound.tone(hertz: 440, seconds: 8)] {
      let late = try answer(sound, piece: 3200)
      #expect(late.kind == .noMatch)
      #expect(late.heardSeconds == 8)
    }
    // Known music behind six seconds of something else is still found where nothing ends early.
    let mixed = Array(clear.prefix(16_000 * 6)) + Self.references[0][16_000 * 4..<16_000 * 12]
    let found = try answer(mixed, piece: 3200, options: MatchOptions(endsAtAbsence: false))
    #expect(found.candidates.first?.itemIndex == 0)
  }

  @Test("tells silence and faintness within one second")
  func silence() throws {
    let quiet = Array(repeating: Float(0), count: 64_000)
    let silent = try answer(quiet, piece: 1600)
    #expect(silent.kind == .noSignal(.silent))
    #expect(silent.heardSeconds == 1)
    let faint = try answer(
      SyntheticSound.noise(seconds: 4, amplitude: 0.0009, seed: 3), piece: 1600)
    #expect(faint.kind == .noSignal(.faint))
    #expect(faint.heardSeconds == 1)
    let audible = try answer(
      SyntheticSound.noise(seconds: 4, amplitude: 0.0011, seed: 3), piece: 1600)
    #expect(audible.kind == .noMatch)
  }

  @Test("hears music after silence where silence does not end it")
  func silenceFirst() throws {
    let excerpt = Array(repeating: Float(0), count: 32_000) + Self.references[1][32_000..<128_000]
    let found = try answer(excerpt, piece: 1600, options: MatchOptions(endsAtSilence: false))
    #expect(found.kind == .match)
    #expect(found.candidates.first?.itemIndex == 1)
  }

  @Test("says too-short of a moment of unknown sound")
  func tooShort() throws {
    #expect(try answer([], piece: 1).kind == .noSignal(.silent))
    let moment = SyntheticSound.noise(seconds: 0.1, seed: 8)
    #expect(try answer(moment, piece: 800).kind == .tooShort)
    #expect(try answer(SyntheticSound.noise(seconds: 1.9, seed: 8), piece: 800).kind == .tooShort)
    #expect(try answer(SyntheticSound.noise(seconds: 2, seed: 8), piece: 800).kind == .noMatch)
  }

  @Test("refuses an empty search space")
  func empty() {
    #expect(throws: MatchError.emptySearchSpace) { try SearchSpace(signatures: []) }
    #expect(throws: MatchError.emptySearchSpace) { try SearchSpace([]) }
  }
}

@Suite("A sound of many hours")
struct LongReferenceTests {
  @Test("O-19: the place is right at the far end")
  func farEnd() throws {
    let samples = SyntheticSound.melody(seconds: 30, seed: 1)
    var analyzer = ReferenceAnalyzer()
    analyzer.append(samples.span)
    let tune = analyzer.finish()
    // Almost seven hours of nothing, then a tune: only the time has to be right.
    let skipped = 1_500_000
    var words: [UInt16] = []
    var left = skipped
    while left > 0 {
      let step = min(left, PackedPeak.escapeFrameCountMax)
      words.append(PackedPeak(escapeOverFrames: step).word)
      left -= step
    }
    let late = try Signature(
      sampleCount: skipped * AnalyzerSettings.hopSampleCount + tune.sampleCount,
      packedPeaks: words + tune.packedPeaks, settingsDigest: AnalyzerSettings.digest)
    var query = QueryAnalyzer()
    query.append(samples.span.extracting(64_000..<(64_000 + 80_000)))
    query.finish()
    var matcher = Matcher(try SearchSpace(signatures: [late]))
    let found = try matcher.finish(at: query)
    #expect(found.kind == .match)
    let expected = Double(skipped) / AnalyzerSettings.framesPerSecond + 4
    #expect(abs((found.candidates.first?.offset ?? 0) - expected) < 0.02)
  }
}
