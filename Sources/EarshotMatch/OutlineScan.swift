internal import EarshotCatalog
internal import EarshotSignature

/// Looks at every offset of an outline, 128 ms apart, and keeps the best.
///
/// Sound that is buried in noise may not have one key in common with its reference, though the
/// reference's peaks stand high in it. Then only adding up the evidence finds the place; and of the
/// strongest quarter of the peaks, over three seconds, there is enough of it to lead to the exact scan.
struct OutlineScan: ~Copyable {
  private var rows = OutlineRows()

  /// An offset that is worth an exact scan.
  struct Candidate: Sendable, Hashable {
    /// The signature of the catalog, and the step of it, 32 ms each, at which the query begins.
    var signature: Int
    var step: Int
    var sum: Int
  }

  /// The best of one cell's offsets.
  private struct Found {
    var cell: Int
    var lane: Int
    var sum: Int
  }

  /// Offsets that are kept before all but the best are dropped.
  private static let foundCountMax = 8192
  /// Peaks whose biased bytes can be added before a byte could overflow.
  private static let peaksPerGroup = ScanKernel.peaksPerGroup
  // The format's numbers, as this room's own: a call for each would cost as much as the sums.
  private static let stepsPerCell = 32
  private static let stepShift: UInt16 = 11
  private static let rowMask: UInt16 = 1023

  init() {
    precondition(
      Self.stepsPerCell == OutlineFormat.stepsPerCell && Self.stepShift == OutlineFormat.stepShift
        && Self.rowMask == OutlineFormat.rowMask, "the kernel reads what the format says")
  }

  /// Takes the query's last seconds, valued by one stage's table.
  mutating func fill(_ cells: borrowing QueryCells, table: [UInt8]) {
    rows.fill(cells, table: table)
  }

  /// The best offsets of an outline, at most `countMax`, best first; nil where it can't be read.
  func best(_ countMax: Int, in outline: CatalogOutline) -> [Candidate]? {
    var found: [Found] = []
    found.reserveCapacity(Self.foundCountMax)
    // An offset that has more against it than for it is none.
    var least = 0
    var piece = CatalogOutline.Piece()
    for number in 0..<outline.pieceCount {
      guard outline.read(number, into: &piece) else { return nil }
      unsafe piece.words.withUnsafeBufferPointer { words in
        guard let words = words.baseAddress else { return }
        for cell in piece.cells {
          let index = cell - piece.cells.lowerBound
          let best = unsafe best(
            words: words, own: piece.starts[index]..<piece.starts[index + 1],
            next: piece.starts[index + 1]..<piece.starts[index + 2], above: least)
          guard let best else { continue }
          found.append(Found(cell: cell, lane: best.lane, sum: best.sum))
          if found.count == Self.foundCountMax { least = Self.keepBest(countMax, of: &found) }
        }
      }
    }
    _ = Self.keepBest(countMax, of: &found)
    return found.map { candidate($0, in: outline) }
  }

  /// The best of the 32 offsets that begin in a cell, where it is above `least`.
  @inline(__always)
  private func best(
    words: UnsafePointer<UInt16>, own: Range<Int>, next: Range<Int>, above least: Int
  ) -> (lane: Int, sum: Int)? {
    var even = SIMD16<UInt16>()
    var odd = SIMD16<UInt16>()
    let origin = unsafe rows.origin
    let nextOrigin = unsafe origin - Self.stepsPerCell
    unsafe Self.add(words, own.lowerBound, own.upperBound, rows: origin, to: &even, &odd)
    unsafe Self.add(words, next.lowerBound, next.upperBound, rows: nextOrigin, to: &even, &odd)
    // A place that every second peak gives less than half of what is needed is given up: that saves
    // half of the work, and of 90 places in noise and far away it has lost none (seed 7, 1,000 hours).
    let half = (own.count + 1) / 2 + (next.count + 1) / 2
    let halfLimit = SIMD16<Int16>(
      repeating: Int16(truncatingIfNeeded: least / 2 + half * EvidenceTables.scanBias))
    guard
      any(
        (SIMD16<Int16>(truncatingIfNeeded: even) .> halfLimit)
          .| (SIMD16<Int16>(truncatingIfNeeded: odd) .> halfLimit))
    else { return nil }
    unsafe Self.add(words, own.lowerBound + 1, own.upperBound, rows: origin, to: &even, &odd)
    unsafe Self.add(words, next.lowerBound + 1, next.upperBound, rows: nextOrigin, to: &even, &odd)
    let bias = (own.count + next.count) * EvidenceTables.scanBias
    let limit = SIMD16<Int16>(repeating: Int16(truncatingIfNeeded: least + bias))
    let evenSums = SIMD16<Int16>(truncatingIfNeeded: even)
    let oddSums = SIMD16<Int16>(truncatingIfNeeded: odd)
    guard any((evenSums .> limit) .| (oddSums .> limit)) else { return nil }
    var best = (lane: 0, sum: Int.min)
    for index in 0..<16 {
      let (one, other) = (Int(evenSums[index]) - bias, Int(oddSums[index]) - bias)
      if one > best.sum { best = (2 * index, one) }
      if other > best.sum { best = (2 * index + 1, other) }
    }
    return best
  }

  /// Adds up the rows of every second of a cell's peaks, the even and the odd offsets apart.
  @inline(__always)
  private static func add(
    _ words: UnsafePointer<UInt16>, _ first: Int, _ last: Int, rows: UnsafeRawPointer,
    to even: inout SIMD16<UInt16>, _ odd: inout SIMD16<UInt16>
  ) {
    var index = first
    while index < last {
      let end = min(index &+ 2 &* peaksPerGroup, last)
      var bytes = SIMD32<UInt8>()
      while index < end {
        let word = unsafe words[index]
        let offset =
          Int(word & rowMask) &* OutlineRows.stride
          &- Int(word &>> stepShift)
        bytes &+= unsafe rows.loadUnaligned(fromByteOffset: offset, as: SIMD32<UInt8>.self)
        index &+= 2
      }
      let pairs = unsafe unsafeBitCast(bytes, to: SIMD16<UInt16>.self)
      even &+= pairs & 0xff
      odd &+= pairs &>> 8
    }
  }

  /// Keeps the best; returns the sum that others have to be above to be among them.
  private static func keepBest(_ countMax: Int, of found: inout [Found]) -> Int {
    found.sort { ($1.sum, $0.cell) < ($0.sum, $1.cell) }
    if found.count > countMax { found.removeLast(found.count - countMax) }
    return found.count == countMax ? found[countMax - 1].sum : 0
  }

  private func candidate(_ found: Found, in outline: CatalogOutline) -> Candidate {
    var (low, high) = (0, outline.firstCells.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if outline.firstCells[middle] <= found.cell { low = middle } else { high = middle }
    }
    let cell = found.cell - outline.firstCells[low] - 1
    let frame = (cell * OutlineFormat.stepsPerCell + found.lane) * OutlineFormat.framesPerStep
    return Candidate(
      signature: low, step: (frame - rows.firstFrame) / ScanLayout.framesPerStep, sum: found.sum)
  }

  /// Forgets the query.
  mutating func reset() { rows.forget() }
}
