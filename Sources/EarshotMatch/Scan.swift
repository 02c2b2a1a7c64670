import EarshotSignature

/// The running sums of evidence for every offset of the search space and every hypothesis.
struct Scan: ~Copyable {
  let hypotheses: [Hypothesis]
  /// Frames of the query that are in the sums.
  private(set) var frameCount = 0

  private let layout: ScanLayout
  private var passes: [HypothesisPass]
  private let sums: WipedBuffer<Int16>
  private var maxima: WipedBuffer<Int16>
  private var rows = ScanRows()

  /// Sums before the first offset and behind the last, for hypotheses whose offsets drift.
  private static let margin = 1024
  private var sumsPerHypothesis: Int {
    layout.tileCount * ScanLayout.tileOffsetCount + 2 * Self.margin
  }

  init(_ layout: ScanLayout, hypotheses: [Hypothesis]) {
    self.layout = layout
    self.hypotheses = hypotheses
    passes = HypothesisPass.group(hypotheses)
    let count = layout.tileCount * ScanLayout.tileOffsetCount + 2 * Self.margin
    sums = WipedBuffer(count: count * hypotheses.count, isKeptFromSwap: false)
    maxima = WipedBuffer(
      count: max(1, layout.tileCount * hypotheses.count), isKeptFromSwap: false)
  }

  /// Adds the query's frames up to `end`, valued by one stage's table.
  ///
  /// A short chunk costs nearly as much as a whole one. So only the reference's own speed takes
  /// every step at once, and only while `isEarly`; all else waits until half a chunk is there, unless
  /// the sound has ended. Sums that are a little behind still lead to the right candidates.
  mutating func advance(
    to end: Int, of cells: borrowing QueryCells, table: [UInt8], isEarly: Bool, isLast: Bool
  ) {
    let perStep = ScanLayout.framesPerStep
    let endStep = (isLast ? end + perStep - 1 : end) / perStep
    for index in passes.indices {
      let waits = !isLast && (passes[index].strongOnly || !isEarly)
      while passes[index].stepCount < endStep {
        let start = passes[index].stepCount
        let chunk = start..<min(endStep, start + ScanRows.stepCountMax)
        if waits && chunk.count < ScanRows.stepCountMax / 2 { break }
        if rows.steps != chunk { rows.fill(chunk, of: cells, frameCount: end, table: table) }
        add(passes[index])
        passes[index].stepCount = chunk.upperBound
      }
    }
    frameCount = max(frameCount, end)
  }

  private func add(_ pass: HypothesisPass) {
    let peaks = pass.strongOnly ? layout.strongPeaks : layout.peaks
    unsafe peaks.withUnsafeBufferPointer { peaks in
      guard let peaks = peaks.baseAddress else { return }
      for reference in layout.references {
        let range = pass.strongOnly ? reference.strongPeaks : reference.peaks
        unsafe add(pass, to: reference, peaks: peaks, range: range)
      }
    }
  }

  /// The highest sum in one tile, as of the last `updateMaxima`.
  func maximum(ofTile tile: Int, hypothesis: Int) -> Int16 {
    maxima[hypothesis * layout.tileCount + tile]
  }

  /// The position in a tile with the highest sum. Positions count offsets from the tile's first.
  func bestPosition(inTile tile: Int, hypothesis: Int, where isAllowed: (Int) -> Bool)
    -> (position: Int, sum: Int16)?
  {
    let start = hypothesis * sumsPerHypothesis + Self.margin + tile * ScanLayout.tileOffsetCount
    var best: (position: Int, sum: Int16)?
    for position in 0..<ScanLayout.tileOffsetCount {
      let sum = sums[start + position]
      if sum > best?.sum ?? Int16.min, isAllowed(position) { best = (position, sum) }
    }
    return best
  }

  /// The sum at one position of a tile.
  func sum(ofTile tile: Int, position: Int, hypothesis: Int) -> Int16 {
    sums[
      hypothesis * sumsPerHypothesis + Self.margin + tile * ScanLayout.tileOffsetCount + position]
  }

  /// Finds the highest sum of every tile, for `maximum`.
  mutating func updateMaxima() {
    for hypothesis in hypotheses.indices {
      for tile in 0..<layout.tileCount {
        let start = hypothesis * sumsPerHypothesis + Self.margin + tile * ScanLayout.tileOffsetCount
        let sums = unsafe sums.pointer + start
        var highest = Int16.min
        for position in 0..<ScanLayout.tileOffsetCount {
          unsafe highest = max(highest, sums[position])
        }
        maxima[hypothesis * layout.tileCount + tile] = highest
      }
    }
  }

  /// Forgets everything, for another query.
  mutating func reset() {
    frameCount = 0
    rows.forget()
    for index in passes.indices { passes[index].stepCount = 0 }
    unsafe sums.pointer.update(repeating: 0, count: sums.count)
  }

  private func add(
    _ pass: HypothesisPass, to reference: ScanLayout.Reference, peaks: UnsafePointer<UInt32>,
    range: Range<Int>
  ) {
    let block = ScanLayout.blockOffsetCount
    let origin =
      unsafe rows.origin + pass.binShift * PackedPeak.classCount * ScanRows.stride
    let reach = rows.steps.count + block - 1
    var low = range.lowerBound
    var high = range.lowerBound
    for tile in reference.tiles {
      let first = layout.firstOffset(ofTile: tile, in: reference)
      for start in stride(from: first, to: first + ScanLayout.tileOffsetCount, by: block) {
        let step = start + rows.steps.lowerBound
        unsafe low = advance(low, to: step, peaks: peaks, end: range.upperBound)
        unsafe high = advance(
          max(low, high), to: step + reach, peaks: peaks, end: range.upperBound)
        let gain = unsafe ScanKernel.gain(
          peaks: peaks, range: low..<high, rows: origin,
          startStep: step, stepCount: rows.steps.count)
        let position = Self.margin + tile * ScanLayout.tileOffsetCount + start - first
        for member in pass.members {
          add(gain, at: member.index * sumsPerHypothesis + position - drift(member.tempo))
        }
      }
    }
  }

  /// The first peak at or after `step`, searched from `index` on.
  @inline(__always)
  private func advance(
    _ index: Int, to step: Int, peaks: UnsafePointer<UInt32>, end: Int
  ) -> Int {
    guard step > 0 else { return index }
    let limit = UInt32(truncatingIfNeeded: step) << ScanLayout.stepShift
    var index = index
    while index + 16 < end, unsafe peaks[index + 16] < limit { index &+= 16 }
    while index < end, unsafe peaks[index] < limit { index &+= 1 }
    return index
  }

  /// Offsets by which a tempo has moved the middle of the present chunk.
  @inline(__always)
  private func drift(_ tempo: Double) -> Int {
    let middle = Double(rows.steps.lowerBound) + Double(rows.steps.count) / 2
    return Int(((tempo - 1) * middle).rounded())
  }

  @inline(__always)
  private func add(_ gain: SIMD32<Int16>, at index: Int) {
    let sums = unsafe UnsafeMutableRawPointer(sums.pointer + index)
    let sum = unsafe sums.loadUnaligned(as: SIMD32<Int16>.self) &+ gain
    unsafe sums.storeBytes(of: sum, as: SIMD32<Int16>.self)
  }
}
