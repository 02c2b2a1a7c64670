import EarshotSignature

/// What one chunk of the query is worth to every possible peak, as rows that the kernel adds.
///
/// For each bin and class a row holds, in reverse order of time, the biased evidence of the chunk's
/// steps, with the bias alone before and behind: so one unaligned load gives what 32 neighbouring
/// offsets gain from one peak. Reversed, because a later offset reads an earlier step.
struct ScanRows: ~Copyable {
  /// Steps in a chunk, at most.
  static let stepCountMax = 32
  /// Bytes from one row to the next: 31 of bias to each side of the chunk, one for the kernel.
  static let stride = 96
  /// Bins beyond the axis to each side, so that a shift of pitch stays inside.
  static let binMargin = 8

  /// The chunk's steps.
  private(set) var steps = 0..<0
  private let rows: WipedBuffer<UInt8>

  private static let rowCount =
    (AnalyzerSettings.binCount + 2 * binMargin) * PackedPeak.classCount

  init() {
    rows = WipedBuffer(count: (Self.rowCount + 1) * Self.stride)
    unsafe rows.pointer.update(repeating: UInt8(EvidenceTables.scanBias), count: rows.count)
  }

  /// The row of bin 0, class 0.
  var origin: UnsafeRawPointer {
    unsafe UnsafeRawPointer(
      rows.pointer + Self.binMargin * PackedPeak.classCount * Self.stride)
  }

  /// Makes the rows hold no chunk.
  mutating func forget() { steps = 0..<0 }

  /// Fills the rows with steps of the query, of which there are `frameCount` frames, valued by one
  /// stage's table. A step is worth the mean of its frames.
  mutating func fill(
    _ steps: Range<Int>, of cells: borrowing QueryCells, frameCount: Int, table: [UInt8]
  ) {
    precondition(steps.count <= Self.stepCountMax, "a chunk has at most 32 steps")
    let bias = UInt8(EvidenceTables.scanBias)
    unsafe rows.pointer.update(repeating: bias, count: rows.count)
    let binCount = AnalyzerSettings.binCount
    let cells = unsafe cells.pointer
    let first = unsafe rows.pointer + Self.binMargin * PackedPeak.classCount * Self.stride
    let last = Self.stepCountMax + steps.count - 1
    let classes = MemoryLayout<SIMD8<UInt8>>.stride
    precondition(classes == PackedPeak.classCount, "one load takes all classes of a cell")
    unsafe table.withUnsafeBytes { table in
      for (index, step) in steps.enumerated() {
        let frame = step * ScanLayout.framesPerStep
        let now = unsafe cells + frame * binCount
        let next = unsafe frame + 1 < frameCount ? now + binCount : now
        for bin in 0..<binCount {
          let row = unsafe first + bin * PackedPeak.classCount * Self.stride + last - index
          let one = unsafe EvidenceTables.index(cell: now[bin], peakClass: 0, bin: bin)
          let other = unsafe EvidenceTables.index(cell: next[bin], peakClass: 0, bin: bin)
          let values = unsafe SIMD8<UInt16>(
            truncatingIfNeeded: table.loadUnaligned(fromByteOffset: one, as: SIMD8<UInt8>.self))
          let others = unsafe SIMD8<UInt16>(
            truncatingIfNeeded: table.loadUnaligned(fromByteOffset: other, as: SIMD8<UInt8>.self))
          let means = SIMD8<UInt8>(truncatingIfNeeded: (values &+ others &+ 1) &>> 1)
          for peakClass in 0..<PackedPeak.classCount {
            unsafe row[peakClass * Self.stride] = means[peakClass]
          }
        }
      }
    }
    self.steps = steps
  }
}
