import EarshotSignature

/// Adds up what an alignment's promised peaks bring, for `AlignmentSupport`.
struct AlignmentSums {
  private var bands: [11 of Int] = .init(repeating: 0)
  private var kinds = SIMD8<Int>()
  private var found = 0
  private var missed = 0
  private var peakCount = 0
  private var strongCount = 0
  private var strongHitCount = 0
  private var moving: EvidenceSpread
  private var all: EvidenceSpread

  /// Bins of half an octave.
  private static let binsPerBand = 36
  /// The lowest strength of the upper half, of four.
  private static let strongClass = 2

  init(frameCount: Int) {
    moving = EvidenceSpread(frameCount: frameCount)
    all = EvidenceSpread(frameCount: frameCount)
  }

  /// Adds a promised peak with what the mixture's tables say of its cell, in parts of a nat.
  mutating func add(_ values: SIMD8<Int8>, cell: UInt16, peakClass: Int, frame: Int, bin: Int) {
    let value = Int(values[EvidenceTables.kindCount])
    kinds &+= SIMD8<Int>(truncatingIfNeeded: values)
    peakCount += 1
    if value > 0 { found += value } else { missed -= value }
    if peakClass & 3 >= Self.strongClass {
      strongCount += 1
      if cell & 15 >= UInt16(AlignmentScore.hitLevel) { strongHitCount += 1 }
    }
    let moves = !QueryCells.isSustained(cell)
    moving.add(moves ? value : 0, frame: frame)
    all.add(value, frame: frame)
    if moves { bands[min(bin / Self.binsPerBand, bands.count - 1)] += value }
  }

  /// What they make together; `explained` is left empty.
  var support: AlignmentSupport {
    let parts = Double(EvidenceTables.partsPerNat)
    let count = Double(max(1, peakCount)) * parts
    var support = AlignmentSupport()
    support.evidence = Double(found - missed) / parts
    support.foundEvidence = Double(found) / parts
    support.missedEvidence = Double(missed) / parts
    support.spread = moving.share
    support.spreadOfAll = all.share
    support.strongCoverage = Double(strongHitCount) / Double(max(1, strongCount))
    support.clean = Double(kinds[0]) / count
    support.noisy = Double(kinds[EvidenceTables.kindCount - 1]) / count
    var sum = 0.0
    var squares = 0.0
    for band in bands.indices {
      sum += Double(bands[band])
      squares += Double(bands[band]) * Double(bands[band])
      if bands[band] >= EvidenceTables.partsPerNat / 2 { support.bandCount += 1 }
    }
    support.movingEvidence = sum / parts
    support.bandSpread = sum > 0 ? sum * sum / (Double(bands.count) * squares) : 0
    return support
  }
}
