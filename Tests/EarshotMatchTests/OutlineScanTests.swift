import EarshotCatalog
import Glibc
import TestSupport
import Testing

@_spi(Training) @testable import EarshotMatch
@testable import EarshotSignature

@Suite("The scan of an outline")
struct OutlineScanTests {
  private static let tables: EvidenceTables = {
    var random = SyntheticSound.Random(seed: 31)
    return EvidenceTables(
      values: (0..<EvidenceTables.valueCount * 6).map { _ in
        Int8.random(in: -64...64, using: &random)
      })
  }()

  /// Signatures with many strong peaks at random places.
  private static func signatures(_ seconds: [Int], seed: UInt64) throws -> [Signature] {
    var random = SyntheticSound.Random(seed: seed)
    return try seconds.map { seconds in
      let frameCount = AnalyzerSettings.frameCount(ofSampleCount: seconds * 16_000)
      var words: [UInt16] = []
      var previous = 0
      for frame in 0..<frameCount where Int.random(in: 0..<3, using: &random) == 0 {
        words.append(
          PackedPeak(
            bin: Int.random(in: 0..<369, using: &random),
            strength: Int.random(in: 2...3, using: &random),
            isRepeated: Bool.random(using: &random), step: min(14, frame - previous)
          ).word)
        previous += min(14, frame - previous)
      }
      return try Signature(
        sampleCount: seconds * 16_000, packedPeaks: words, settingsDigest: AnalyzerSettings.digest)
    }
  }

  private static func space(_ signatures: [Signature]) throws -> GateSpace {
    try GateSpace([IndexedCatalog.make(signatures, in: TemporaryFolder())])
  }

  private static func cells(frameCount: Int, seed: UInt64) -> QueryCells {
    var random = SyntheticSound.Random(seed: seed)
    let levels = (0..<frameCount * 369).map { _ in UInt8.random(in: 0..<16, using: &random) }
    var cells = QueryCells(frameCapacity: frameCount)
    cells.take(from: levels.span, upTo: frameCount)
    return cells
  }

  /// The value of a peak at a step of the query's window, as the words say it.
  private static func value(
    _ cells: borrowing QueryCells, window: Range<Int>, step: Int, bin: Int, isRepeated: Bool
  ) -> Int {
    var (sum, weights) = (0.0, 0.0)
    for frame in (8 * step - 2)..<(8 * step + 10) {
      let place = window.lowerBound + frame
      guard place >= 0, place < window.upperBound else { continue }
      let cell = unsafe cells.pointer[place * 369 + bin]
      let index = EvidenceTables.index(cell: cell, peakClass: isRepeated ? 7 : 3, bin: bin)
      let value = Double(Int(tables.scans[1][index]) - EvidenceTables.scanBias) / 4
      let weight = (8 * step..<8 * step + 8).contains(frame) ? 1 : 0.5
      sum += weight * exp(value)
      weights += weight
    }
    return Int((4 * log(sum / weights)).rounded())
  }

  @Test(
    "adds up what its naive twin adds up, where every second peak has something for it",
    arguments: [75, 120, 256, 400])
  func twin(frameCount: Int) throws {
    let signatures = try Self.signatures([9, 30, 4], seed: UInt64(frameCount))
    let space = try Self.space(signatures)
    let cells = Self.cells(frameCount: frameCount, seed: 3)
    var scan = OutlineScan()
    scan.fill(cells, table: Self.tables.scans[1])
    let answer = scan.best(1000, in: space.outlines[0].outline)
    let found = try #require(answer)
    let window = max(0, frameCount - 256) & ~1..<frameCount
    let stepCount = (window.count + 7) / 8
    var values: [Int: Int] = [:]
    var expected: [OutlineScan.Candidate] = []
    var givenUp = 0
    for (number, signature) in signatures.enumerated() {
      var peaks: [(step: Int, bin: Int, isRepeated: Bool, isFirstHalf: Bool)] = []
      var countsOfCells: [Int: Int] = [:]
      PackedPeak.forEach(in: signature.packedPeaks.span) { frame, peak in
        guard peak.peakClass & 3 == 3 else { return }
        let count = countsOfCells[frame / 256, default: 0]
        peaks.append((frame / 8, peak.bin, peak.peakClass & 4 != 0, count % 2 == 0))
        countsOfCells[frame / 256] = count + 1
      }
      for cell in -1..<(signature.frameCount + 255) / 256 {
        var best = OutlineScan.Candidate(signature: number, step: 0, sum: 0)
        var isWorthwhile = false
        for lane in 0..<32 {
          let offset = 32 * cell + lane
          var (sum, firstHalf) = (0, 0)
          for peak in peaks where (0..<stepCount).contains(peak.step - offset) {
            let step = peak.step - offset
            let key = (step * 369 + peak.bin) * 2 + (peak.isRepeated ? 1 : 0)
            let value =
              values[key]
              ?? Self.value(
                cells, window: window, step: step, bin: peak.bin, isRepeated: peak.isRepeated)
            values[key] = value
            sum += value
            if peak.isFirstHalf { firstHalf += value }
          }
          if firstHalf > 0 { isWorthwhile = true }
          if sum > best.sum {
            best.sum = sum
            best.step = (8 * offset - window.lowerBound) / 2
          }
        }
        if best.sum > 0 {
          if isWorthwhile { expected.append(best) } else { givenUp += 1 }
        }
      }
    }
    #expect(found.map(\.sum) == found.map(\.sum).sorted(by: >))
    #expect(Set(found) == Set(expected))
    #expect(expected.count > 3)
    #expect(givenUp < expected.count)
  }

  @Test("keeps no more than it is asked for, the best ones")
  func bounded() throws {
    let space = try Self.space(try Self.signatures([900], seed: 77))
    let cells = Self.cells(frameCount: 200, seed: 4)
    var scan = OutlineScan()
    scan.fill(cells, table: Self.tables.scans[1])
    let outline = space.outlines[0].outline
    let (whole, bounded) = (scan.best(100_000, in: outline), scan.best(10, in: outline))
    let all = try #require(whole)
    let few = try #require(bounded)
    #expect(all.count > 20)
    #expect(few == Array(all.prefix(10)))
  }

  @Test("leads to the place of an excerpt that the index was not asked for", arguments: 0..<4)
  func alone(number: Int) throws {
    let references = (21...24).map { SyntheticSound.melody(seconds: 30, seed: UInt64($0)) }
    let signatures = references.map { samples in
      var analyzer = ReferenceAnalyzer()
      analyzer.append(samples.span)
      return analyzer.finish()
    }
    let space = try Self.space(signatures)
    let start = 16_000 * (3 + 5 * number) + 700
    let noise = SyntheticSound.noise(seconds: 4, amplitude: 0.05, seed: UInt64(number))
    let excerpt = zip(references[number][start..<start + 64_000], noise).map { $0 + $1 }
    var analyzer = QueryAnalyzer()
    analyzer.append(excerpt.span)
    analyzer.finish()
    var cells = QueryCells(frameCapacity: analyzer.frameCapacity)
    cells.take(from: analyzer.levelsOfFrames, upTo: analyzer.frameCount)
    var search = GateSearch(
      space, hypotheses: [.trueSpeed], frameCapacity: analyzer.frameCapacity)
    let table = EvidenceTables.trained.scans[1]
    let before = search.best(
      24, cells: cells, frameCount: cells.frameCount, stage: 1, table: table, excluding: [])
    #expect(before.isEmpty)
    let tracks = search.bestByOutline(
      24, cells: cells, frameCount: cells.frameCount, table: table, excluding: [])
    #expect(tracks.first?.signatureIndex == number)
    let step = try #require(tracks.first?.found.first?.place.step)
    #expect(abs(Double(step) * 0.032 - Double(start) / 16_000) < 0.1)
  }
}
