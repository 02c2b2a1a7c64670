import EarshotSignature
import TestSupport
import Testing

@_spi(Training) @testable import EarshotMatch

@Suite("Evidence: cells, tables, certainty")
struct EvidenceTests {
  private static let binCount = AnalyzerSettings.binCount

  private static func levels(frames: Int, seed: UInt64) -> [UInt8] {
    var random = SyntheticSound.Random(seed: seed)
    return (0..<frames * binCount).map { index in
      // A few bins are busy all the time.
      let busy = index % binCount % 7 == 0
      let level = UInt8.random(in: busy ? 5...15 : 0...9, using: &random)
      return level | UInt8.random(in: 0...3, using: &random) << 4
    }
  }

  /// A cell from its definition, with all frames there.
  private static func cell(_ levels: [UInt8], frame: Int, bin: Int) -> UInt16 {
    func level(_ frame: Int) -> Int { Int(levels[frame * binCount + bin] & 15) }
    let recent = max(0, frame - 249)...frame
    let sum = recent.reduce(0) { $0 + level($1) }
    let mean = (Double(sum) + 60 * 1.95) / Double(recent.count + 60)
    let busy = [0.25, 0.8, 1.8].count { mean - 1.95 >= $0 - 1e-9 }
    var before = 3
    if frame >= 5 {
      let highest = (max(0, frame - 12)...frame - 5).map { level($0) }.max() ?? 0
      before = highest >= 7 ? 2 : highest >= 4 ? 1 : 0
    }
    let last = levels.count / binCount - 1
    let rises = (max(0, frame - 3)..<frame).contains { level($0) > level(frame) }
    let falls = (frame..<min(last, frame + 3)).contains { level($0 + 1) > level(frame) }
    let ridge = Int(levels[frame * binCount + bin] >> 4)
    return UInt16(
      level(frame) | busy << 4 | before << 6 | ridge << 8 | (rises ? 1 : 0) << 10
        | (falls ? 1 : 0) << 11)
  }

  @Test("cells are what their definition says, taken in any pieces", arguments: [7, 300])
  func cells(piece: Int) {
    let frames = 300
    let levels = Self.levels(frames: frames, seed: 5)
    var cells = QueryCells(frameCapacity: frames)
    var end = 0
    while end < frames {
      end = min(frames, end + piece)
      cells.take(from: levels.span, upTo: end)
    }
    for frame in 0..<frames {
      for bin in stride(from: frame % 61, to: Self.binCount, by: 61) {
        let found = cells.pointer[frame * Self.binCount + bin]
        #expect(found == Self.cell(levels, frame: frame, bin: bin), "frame \(frame), bin \(bin)")
      }
    }
  }

  @Test("a table in use is the sum of context and shape, within four nats")
  func tables() {
    var random = SyntheticSound.Random(seed: 11)
    let count = EvidenceTables.stageCount * EvidenceTables.kindCount * EvidenceTables.valueCount
    let values = (0..<count).map { _ in Int8.random(in: -64...64, using: &random) }
    let tables = EvidenceTables(values: values)
    for _ in 0..<400 {
      let cell = UInt16.random(in: 0..<UInt16(QueryCells.valueCount), using: &random)
      let bin = Int.random(in: 0..<Self.binCount, using: &random)
      let peakClass = Int.random(in: 0..<PackedPeak.classCount, using: &random)
      for stage in 0..<EvidenceTables.stageCount {
        let found =
          tables.mixtures[stage][EvidenceTables.index(cell: cell, peakClass: peakClass, bin: bin)]
        for kind in 0..<EvidenceTables.kindCount {
          let start = (stage * EvidenceTables.kindCount + kind) * EvidenceTables.valueCount
          let context = EvidenceTables.contextIndex(cell: cell, peakClass: peakClass, bin: bin)
          let shape = EvidenceTables.shapeIndex(cell: cell, peakClass: peakClass)
          let sum =
            Int(values[start + context])
            + Int(values[start + EvidenceTables.contextValueCount + shape])
          #expect(Int(found[kind]) == min(max(sum, -64), 64))
        }
      }
    }
  }

  private static func track(
    _ evidence: Double, tempo: Double = 1, bands: Int = 9, moving: Double = 0.5,
    spread: Double = 0.7
  ) -> RankedTrack {
    // What two seconds of music in a little noise bring.
    var score = AlignmentScore(evidence: evidence, peakCount: 170, hitCount: 140)
    score.support = AlignmentSupport(
      bandCount: bands, evidence: 53, movingEvidence: 53 * moving, spread: spread,
      spreadOfAll: 0.7, bandSpread: 0.7, foundEvidence: 55, missedEvidence: 2, clean: 1.2,
      noisy: 0.68, strongCoverage: 0.96,
      explained: ExplainedPeaks(clarity: 13.4, share: 0.59, shareOfHeight: 0.62))
    return RankedTrack(
      signatureIndex: 0, alignment: Alignment(reference: 0, offset: 0, binShift: 0, tempo: tempo),
      hypothesis: 0, score: score)
  }

  private static let leastAccepted = Decision.acceptedCertainties.reduce(.infinity, min)

  private static let losers = (0..<23).map { 9 - 0.4 * Double($0) }

  private func certainty(_ track: RankedTrack, seconds: Int = 2) -> Double {
    Decision(heardSampleCount: seconds * 16_000).certainty(of: track, others: Self.losers)
  }

  @Test("more evidence is more certain, another speed less, a narrow or steady sound less")
  func certainties() {
    let usual = certainty(Self.track(60))
    #expect(certainty(Self.track(70)) > usual)
    #expect(Decision(heardSampleCount: 32_000).isCertain(Self.track(60), usual))
    #expect(certainty(Self.track(9)) < 4)
    #expect(certainty(Self.track(60, tempo: 1.04)) < usual)
    #expect(certainty(Self.track(60, bands: 2)) < usual)
    #expect(certainty(Self.track(60, moving: 0.1)) == usual)
    #expect(certainty(Self.track(60, moving: 0.05)) < usual)
    // What does not move at all proves nothing, however well it fits.
    #expect(certainty(Self.track(600, moving: 0)) < Self.leastAccepted - 1)
    #expect(certainty(Self.track(600, bands: 0)) < Self.leastAccepted - 1)
  }

  @Test("evidence that comes in single moments counts less, and none is turned round by it")
  func spread() {
    let usual = certainty(Self.track(60))
    let pulsed = certainty(Self.track(60, spread: 0.1))
    #expect(pulsed < usual - 3)
    #expect(certainty(Self.track(90, spread: 0.1)) > pulsed)
    // At an expected place less is asked for, of the margin alone.
    func atExpected(_ evidence: Double, spread: Double) -> Double {
      Decision(heardSampleCount: 32_000, isExpected: true).certainty(
        of: Self.track(evidence, spread: spread), others: Self.losers)
    }
    #expect(atExpected(60, spread: 0.33) == atExpected(60, spread: 0.7))
    #expect(atExpected(60, spread: 0.33) > Decision.expectedCertainty)
    #expect(atExpected(60, spread: 0.1) < atExpected(60, spread: 0.33))
    // What speaks against an alignment speaks against it however it is spread.
    #expect(atExpected(0, spread: 0.1) == atExpected(0, spread: 0.7))
  }

  @Test("what is right for sound in noise is too little for sound so clear")
  func clarity() {
    // Half of the peaks are found, a quarter of the evidence speaks against, little is explained.
    func found(clarity: Double) -> RankedTrack {
      var track = Self.track(60)
      track.score.hitCount = 78
      track.score.support?.missedEvidence = 6
      track.score.support?.foundEvidence = 28
      track.score.support?.evidence = 22
      track.score.support?.movingEvidence = 11
      track.score.support?.clean = -0.3
      track.score.support?.noisy = 0.25
      track.score.support?.strongCoverage = 0.65
      track.score.support?.explained = ExplainedPeaks(
        clarity: clarity, share: 0.24, shareOfHeight: 0.27)
      return track
    }
    #expect(certainty(found(clarity: 11)) > certainty(found(clarity: 17)))
    #expect(certainty(Self.track(60)) > certainty(found(clarity: 17)))
  }

  private static func share(_ values: [(frame: Int, value: Int)], frameCount: Int) -> Double {
    var spread = EvidenceSpread(frameCount: frameCount)
    for entry in values { spread.add(entry.value, frame: entry.frame) }
    return spread.share
  }

  @Test("the spread is 1 where all stretches bring the same, and 1/n where one brings everything")
  func spreads() {
    let even = (0..<125).map { (frame: $0, value: 3) }
    #expect(abs(Self.share(even, frameCount: 125) - 1) < 0.03)
    let stroke = (0..<125).map { (frame: $0, value: $0 / 8 == 4 ? 9 : 0) }
    #expect(abs(Self.share(stroke, frameCount: 125) - 1.0 / 16) < 1e-9)
    // Misses between the strokes take from it.
    let missing = (0..<125).map { (frame: $0, value: $0 / 8 % 4 == 0 ? 9 : -1) }
    #expect(Self.share(missing, frameCount: 125) < 0.2)
    #expect(Self.share(even.map { ($0.frame, -3) }, frameCount: 125) == 0)
    #expect(Self.share([], frameCount: 125) == 0)
  }

  @Test("a reference that begins within the query is not asked for what it does not promise")
  func beginning() {
    let late = (80..<125).map { (frame: $0, value: 3) }
    #expect(Self.share(late, frameCount: 125) > 0.6)
    // One that has just begun has shown little of itself.
    let justBegun = (120..<125).map { (frame: $0, value: 3) }
    #expect(Self.share(justBegun, frameCount: 125) == 1.0 / 8)
  }

  @Test("in the first second more is asked for at another speed, later less at its own")
  func accepted() {
    let early = Decision(heardSampleCount: 16_000)
    let late = Decision(heardSampleCount: 32_000)
    #expect(early.isCertain(Self.track(60), 8.5))
    #expect(!early.isCertain(Self.track(60, tempo: 1.04), 8.5))
    #expect(early.isCertain(Self.track(60, tempo: 1.04), 9.1))
    #expect(late.isCertain(Self.track(60), 8))
    #expect(!late.isCertain(Self.track(60, tempo: 1.04), 8))
  }

  @Test("an answer found as few are is less sure to be right, and more certainty makes it surer")
  func confidence() {
    let late = Decision(heardSampleCount: 32_000)
    let usual = late.confidence(of: Self.track(60), certainty: 9)
    #expect((0.99..<1).contains(usual))
    #expect(late.confidence(of: Self.track(60, tempo: 1.04), certainty: 9) < usual)
    #expect(late.confidence(of: Self.track(60), certainty: 12) > usual)
  }

  @Test("losers that come close take certainty away")
  func company() {
    let close = [55.0, 50] + Self.losers.dropFirst(2)
    let alone = certainty(Self.track(60))
    let crowded = Decision(heardSampleCount: 32_000).certainty(of: Self.track(60), others: close)
    #expect(crowded < alone)
    #expect(crowded < Self.leastAccepted)
  }

  @Test(
    "a steady tone or hum is never music",
    arguments: [(110.0, 12), (220, 6), (600, 1), (50, 40)])
  func steady(hertz: Double, harmonics: Int) throws {
    let references = (1...3).map { seed in
      var analyzer = ReferenceAnalyzer()
      analyzer.append(SyntheticSound.melody(seconds: 20, seed: UInt64(seed)).span)
      return analyzer.finish()
    }
    var sound = Array(repeating: Float(0), count: 16_000 * 6)
    for harmonic in 1...harmonics {
      let tone = SyntheticSound.tone(
        hertz: hertz * Double(harmonic), seconds: 6, amplitude: 0.3 / Double(harmonic))
      for index in sound.indices { sound[index] += tone[index] }
    }
    var analyzer = QueryAnalyzer()
    var matcher = Matcher(try SearchSpace(signatures: references))
    for start in stride(from: 0, to: sound.count, by: 3200) {
      analyzer.append(sound.span.extracting(start..<start + 3200))
      guard let answer = try matcher.look(at: analyzer) else { continue }
      #expect(answer.kind == .noMatch)
      return
    }
    #expect(try matcher.finish(at: analyzer).kind == .noMatch)
  }
}
