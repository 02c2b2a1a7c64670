import EarshotCatalog
import TestSupport
import Testing

@_spi(Training) @testable import EarshotMatch
@testable import EarshotSignature

@Suite("The gate of large catalogs")
struct GateTests {
  private static let references = (1...8).map {
    SyntheticSound.melody(seconds: 40, seed: UInt64($0))
  }

  /// The references as a catalog with an index, and as signatures that are scanned.
  private static let spaces: (gated: SearchSpace, scanned: SearchSpace)? = {
    let signatures = references.map { samples in
      var analyzer = ReferenceAnalyzer()
      analyzer.append(samples.span)
      return analyzer.finish()
    }
    guard let folder = try? TemporaryFolder(),
      let catalog = try? IndexedCatalog.make(signatures, in: folder),
      let scanned = try? SearchSpace(signatures: signatures)
    else { return nil }
    return (SearchSpace(indexed: [catalog]), scanned)
  }()

  private func answer(
    _ samples: [Float], in space: SearchSpace, speeds: MatchOptions.Speeds, looks: Bool
  ) throws -> MatchAnswer {
    var analyzer = QueryAnalyzer()
    var matcher = Matcher(space, options: MatchOptions(speeds: speeds))
    for start in stride(from: 0, to: samples.count, by: 3200) {
      analyzer.append(samples.span.extracting(start..<min(samples.count, start + 3200)))
      if looks, let answer = try matcher.look(at: analyzer) { return answer }
    }
    analyzer.finish()
    return try matcher.finish(at: analyzer)
  }

  @Test("answers as the exhaustive scan does", arguments: 0..<8)
  func agrees(reference: Int) throws {
    let spaces = try #require(Self.spaces)
    let start = 16_000 * (2 + 3 * reference) + 91
    let noise = SyntheticSound.noise(
      seconds: 5, amplitude: reference % 2 == 0 ? 0.001 : 0.1, seed: UInt64(reference))
    let excerpt = zip(Self.references[reference][start..<start + 80_000], noise).map { $0 + $1 }
    for speeds in [MatchOptions.Speeds.trueSpeed, .all] {
      let scanned = try answer(excerpt, in: spaces.scanned, speeds: speeds, looks: false)
      let gated = try answer(excerpt, in: spaces.gated, speeds: speeds, looks: false)
      #expect(scanned.kind == .match)
      #expect(gated.kind == scanned.kind)
      let (one, other) = try (
        #require(gated.candidates.first), #require(scanned.candidates.first)
      )
      #expect(one.itemIndex == reference)
      #expect(other.itemIndex == reference)
      #expect(abs(one.offset - other.offset) < 0.008)
      #expect(abs(one.evidence - other.evidence) < 0.05 * other.evidence)
    }
  }

  @Test("comes to no answer where the exhaustive scan comes to none", arguments: 200...203)
  func absent(seed: Int) throws {
    let spaces = try #require(Self.spaces)
    let samples = SyntheticSound.melody(seconds: 8, seed: UInt64(seed))
    let found = try answer(samples, in: spaces.gated, speeds: .all, looks: true)
    #expect(found.kind == .noMatch)
  }

  @Test("finds music that plays four percent fast, or at another tempo")
  func speeds() throws {
    let spaces = try #require(Self.spaces)
    let reference = Self.references[3]
    // Every 25th sample is left out, which is a speed of 25/24.
    let fast = (0..<96_000).map { reference[160_000 + $0 * 25 / 24] }
    let found = try answer(fast, in: spaces.gated, speeds: .all, looks: false)
    #expect(found.kind == .match)
    #expect(found.candidates.first?.itemIndex == 3)
    #expect(abs((found.candidates.first?.speed ?? 0) - 25.0 / 24) < 0.01)
  }

  @Test("sums up single blocks as the exhaustive scan does")
  func blocks() throws {
    var random = SyntheticSound.Random(seed: 12)
    let frameCount = 75
    let levels = (0..<frameCount * 369).map { _ in UInt8.random(in: 0..<16, using: &random) }
    let tables = EvidenceTables(
      values: (0..<EvidenceTables.valueCount * 6).map { _ in
        Int8.random(in: -64...64, using: &random)
      })
    let samples = Self.references[0]
    var analyzer = ReferenceAnalyzer()
    analyzer.append(samples.span)
    let signature = analyzer.finish()
    let folder = try TemporaryFolder()
    let gate = try GateSpace([try IndexedCatalog.make([signature], in: folder)])
    var layout = ScanLayout()
    layout.add(signature.packedPeaks.span, frameCount: signature.frameCount, signatureIndex: 0)
    var cells = QueryCells(frameCapacity: 100)
    cells.take(from: levels.span, upTo: frameCount)
    var scan = Scan(layout, hypotheses: Hypothesis.all)
    scan.advance(
      to: frameCount, of: cells, table: tables.scans[0], isEarly: true, isLast: true)
    var blocks = GateScan()
    blocks.fill(cells, frameCount: 40, stage: 0, table: tables.scans[0])
    blocks.fill(cells, frameCount: frameCount, stage: 0, table: tables.scans[0])
    var excerpt = GateExcerpt()
    for first in stride(from: -60, to: signature.frameCount / 2 - 32, by: 37) {
      // The three that take all peaks in both.
      for (number, hypothesis) in Hypothesis.all.prefix(3).enumerated() {
        excerpt.take(
          2 * first - 8..<2 * first + 260,
          of: GateSpace.Place(segment: 0, position: 0, step: first), in: gate)
        let best = blocks.best(
          from: first, hypothesis: hypothesis, peaks: excerpt.peaks, base: excerpt.base)
        let sums = (0..<32).map { lane in
          let position = first + lane + ScanLayout.leadStepCount
          return Int(
            scan.sum(
              ofTile: position / ScanLayout.tileOffsetCount,
              position: position % ScanLayout.tileOffsetCount, hypothesis: number))
        }
        #expect(best.sum == sums.max())
        #expect(best.step == first + (sums.firstIndex(of: sums.max() ?? 0) ?? 0))
      }
    }
  }

  @Test("makes the keys that its naive twin makes, however the query is cut")
  func keys() {
    var random = SyntheticSound.Random(seed: 5)
    var all: [QueryPeak] = []
    for frame in 0..<160 {
      for bin in Set((0..<3).map { _ in Int.random(in: 0..<369, using: &random) }).sorted() {
        let height = Int16.random(in: 128...2000, using: &random)
        all.append(QueryPeak(frame: Int32(frame), bin: Int16(bin), height: height))
      }
    }
    for shift in [0, 4, -4] {
      var found: [UInt32: Int] = [:]
      var peaks = GatePeaks(frameCapacity: 200)
      var done = 0
      for end in [32, 64, 96, 128, 160] {
        peaks.take(from: all.span, upTo: end)
        // A second pass beside it, so that shifts which share a group of bins are met as well.
        peaks.forEachKey(
          endingIn: done..<peaks.count,
          shifts: [(pass: 3, bins: shift), (pass: 5, bins: shift - 2)]
        ) { hash, _, pass in
          if pass == 3 { found[hash, default: 0] += 1 }
        }
        done = peaks.count
      }
      #expect(found == naiveKeys(all, shift: shift))
      #expect(found.count > 1000)
    }
  }

  private func naiveKeys(_ all: [QueryPeak], shift: Int) -> [UInt32: Int] {
    var chosen: [QueryPeak] = []
    for block in 0..<5 {
      let inside = all.filter { Int($0.frame) / 32 == block }
        .sorted { ($1.height, $0.frame, $0.bin) < ($0.height, $1.frame, $1.bin) }
      chosen += inside.prefix(23)
    }
    chosen.sort { ($0.frame, $0.bin) < ($1.frame, $1.bin) }
    var keys: [UInt32: Int] = [:]
    func cells(_ time: Int) -> Set<Int> {
      Set([Double(time) - 1.5, Double(time) + 1.5].map { min(2, Int(max(0, $0) / 6)) })
    }
    for (first, anchor) in chosen.enumerated() {
      for (second, one) in chosen.enumerated() where second > first {
        for other in chosen[(second + 1)...] {
          let times = [Int(one.frame - anchor.frame), Int(other.frame - anchor.frame)]
          guard times.allSatisfy({ (1...17).contains($0) }),
            abs(one.bin - anchor.bin) >= 3, abs(other.bin - anchor.bin) >= 3,
            abs(one.bin - other.bin) >= 3,
            [anchor, one, other].allSatisfy({ (0..<369).contains(Int($0.bin) - shift) })
          else { continue }
          for a in cells(times[0]) {
            for b in cells(times[1]) {
              let hash = IndexKey.hash(
                anchor: Int(anchor.bin) - shift, .init(bin: Int(one.bin) - shift, timeCell: a),
                .init(bin: Int(other.bin) - shift, timeCell: b))
              keys[hash, default: 0] += 1
            }
          }
        }
      }
    }
    return keys
  }

  @Test("finds the places with the most weight among many votes")
  func votes() {
    var random = SyntheticSound.Random(seed: 8)
    var votes = GateVotes()
    var all: [UInt64] = []
    func add(step: Int, anchor: Int, weight: Int) {
      all.append(UInt64(step + 7 * anchor) << 32 | GateVotes.packed(anchor: anchor, weight: weight))
    }
    for _ in 0..<200_000 {
      let weight = Int.random(in: 1...16, using: &random)
      let step = Int.random(in: 0...4_000_000_000, using: &random)
      add(step: step, anchor: Int.random(in: 0..<500, using: &random), weight: weight)
    }
    var expected: [Int: Int] = [:]
    for place in 0..<20 {
      let step = 1000 + 100_000_000 * place
      for anchor in 0..<(40 - place) {
        add(step: step + anchor % 3, anchor: anchor, weight: 10)
        // A second key of the same anchor counts once.
        add(step: step + anchor % 3, anchor: anchor, weight: 9)
      }
      expected[step + 1] = 10 * (40 - place)
    }
    votes.add(all, firstStep: 0, stepsBefore: (0..<500).map { 7 * UInt32($0) })
    let best = votes.best(20, distance: 16)
    #expect(best.count == 20)
    for candidate in best {
      let near = expected.first { abs($0.key - candidate.step) <= 2 }
      #expect((near?.value ?? .max) <= candidate.weight)
      #expect(candidate.weight <= (near?.value ?? 0) + 16)
    }
    #expect(best.map(\.weight) == best.map(\.weight).sorted(by: >))
  }

  @Test("sorts by the upper half and keeps the order of equal ones")
  func sort() {
    var random = SyntheticSound.Random(seed: 9)
    var words = (0..<5000).map { index in
      UInt64(UInt32.random(in: 0...UInt32.max, using: &random) & 0xf00f_00ff) << 32 | UInt64(index)
    }
    let expected = words.sorted()
    GateSort.byUpperHalf(&words)
    #expect(words == expected)
  }
}
