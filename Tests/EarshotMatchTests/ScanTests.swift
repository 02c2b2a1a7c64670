import EarshotSignature
import TestSupport
import Testing

@_spi(Training) @testable import EarshotMatch

@Suite("The scan")
struct ScanTests {
  private struct Setup {
    var signatures: [Signature]
    var levels: [UInt8]
    var tables: EvidenceTables
  }

  /// Random signatures, levels and tables from a seed.
  private func setup(seed: UInt64, frameCount: Int) throws -> Setup {
    var random = SyntheticSound.Random(seed: seed)
    let lengths = [2048 + 256 * 40, 2048 + 256 * 700]
    let signatures = try lengths.map { sampleCount in
      var words: [UInt16] = []
      var frame = 0
      while true {
        let step = Int.random(in: 0...2, using: &random)
        frame += step
        if frame >= AnalyzerSettings.frameCount(ofSampleCount: sampleCount) { break }
        words.append(
          PackedPeak(
            bin: Int.random(in: 0..<369, using: &random),
            strength: Int.random(in: 0..<4, using: &random),
            isRepeated: Bool.random(using: &random), step: step
          ).word)
      }
      return try Signature(
        sampleCount: sampleCount, packedPeaks: words, settingsDigest: AnalyzerSettings.digest)
    }
    let levels = (0..<frameCount * 369).map { _ in UInt8.random(in: 0..<16, using: &random) }
    let values = (0..<EvidenceTables.valueCount * 6).map { _ in
      Int8.random(in: -64...64, using: &random)
    }
    return Setup(signatures: signatures, levels: levels, tables: EvidenceTables(values: values))
  }

  private func advance(
    _ scan: inout Scan, to end: Int, of cells: borrowing QueryCells, _ setup: Setup
  ) {
    scan.advance(to: end, of: cells, table: setup.tables.scans[0], isEarly: true, isLast: true)
  }

  /// The plain sum over peaks and chunks that the scan has to equal.
  private func naiveSum(
    _ setup: Setup, signature: Signature, offset: Int, hypothesis: Hypothesis, chunks: [Range<Int>],
    cells: borrowing QueryCells
  ) -> Int {
    let table = setup.tables.scans[0]
    var sum = 0
    for chunk in chunks {
      let middle = Double(chunk.lowerBound) + Double(chunk.count) / 2
      let local = offset + Int(((hypothesis.tempo - 1) * middle).rounded())
      PackedPeak.forEach(in: signature.packedPeaks.span) { time, peak in
        let step = time / 2 - local
        guard chunk.contains(step) else { return }
        if hypothesis.binShift != 0, peak.peakClass & 3 < ScanLayout.strongFrom { return }
        let bin = peak.bin + hypothesis.binShift
        guard bin >= 0, bin < 369 else { return }
        let cell = cells.pointer[2 * step * 369 + bin]
        let next = cells.pointer[min(2 * step + 1, 74) * 369 + bin]
        // Rows are filled by the query's bin and the peak's class.
        let pair = [cell, next].reduce(0) { sum, cell in
          sum + Int(table[EvidenceTables.index(cell: cell, peakClass: peak.peakClass, bin: bin)])
        }
        sum += (pair + 1) / 2 - EvidenceTables.scanBias
      }
    }
    return sum
  }

  @Test(
    "equals its naive twin at every offset and hypothesis", arguments: 1...3 as ClosedRange<UInt64>)
  func twin(seed: UInt64) throws {
    let setup = try setup(seed: seed, frameCount: 75)
    var layout = ScanLayout()
    for (index, signature) in setup.signatures.enumerated() {
      layout.add(
        signature.packedPeaks.span, frameCount: signature.frameCount, signatureIndex: index)
    }
    var cells = QueryCells(frameCapacity: 100)
    cells.take(from: setup.levels.span, upTo: 75)
    var scan = Scan(layout, hypotheses: Hypothesis.all)
    advance(&scan, to: 12, of: cells, setup)
    advance(&scan, to: 75, of: cells, setup)
    scan.updateMaxima()
    let chunks = [0..<6, 6..<38]
    var compared = 0
    for (index, reference) in layout.references.enumerated() {
      for hypothesis in scan.hypotheses.indices {
        for offset in stride(from: -50, to: reference.frameCount / 2, by: 3) {
          let position = offset + ScanLayout.leadStepCount
          let found = scan.sum(
            ofTile: reference.tiles.lowerBound + position / ScanLayout.tileOffsetCount,
            position: position % ScanLayout.tileOffsetCount, hypothesis: hypothesis)
          let expected = naiveSum(
            setup, signature: setup.signatures[index], offset: offset,
            hypothesis: scan.hypotheses[hypothesis], chunks: chunks, cells: cells)
          #expect(Int(found) == expected)
          compared += 1
        }
      }
    }
    #expect(compared > 700)
  }

  @Test("finds the highest sum of each tile")
  func maxima() throws {
    let setup = try setup(seed: 4, frameCount: 60)
    var layout = ScanLayout()
    for (index, signature) in setup.signatures.enumerated() {
      layout.add(
        signature.packedPeaks.span, frameCount: signature.frameCount, signatureIndex: index)
    }
    var cells = QueryCells(frameCapacity: 100)
    cells.take(from: setup.levels.span, upTo: 60)
    var scan = Scan(layout, hypotheses: Hypothesis.all)
    advance(&scan, to: 60, of: cells, setup)
    scan.updateMaxima()
    for hypothesis in scan.hypotheses.indices {
      for tile in 0..<layout.tileCount {
        let sums = (0..<ScanLayout.tileOffsetCount).map {
          scan.sum(ofTile: tile, position: $0, hypothesis: hypothesis)
        }
        #expect(scan.maximum(ofTile: tile, hypothesis: hypothesis) == sums.max())
        let best = scan.bestPosition(inTile: tile, hypothesis: hypothesis) { _ in true }
        #expect(best?.position == sums.firstIndex(of: sums.max() ?? 0))
      }
    }
  }

  @Test("bytes cannot overflow within a group of peaks")
  func groups() {
    let most = EvidenceTables.scanRange.upperBound + EvidenceTables.scanBias
    #expect(ScanKernel.peaksPerGroup * most <= 255)
    #expect((ScanKernel.peaksPerGroup + 1) * most > 255)
  }
}
