import EarshotSignature

/// What one chunk of the query is worth to every possible peak, as rows that the kernel adds.
///
/// For each bin and class a row holds, in reverse order of time, the biased evidence of the chunk's
/// frames, with the bias alone before and behind: so one unaligned load gives what 32 neighbouring
/// offsets gain from one peak. Reversed, because a later offset reads an earlier frame.
struct ScanRows: ~Copyable {
  /// Frames in a chunk, at most.
  static let frameCountMax = 32
  /// Bytes from one row to the next: 31 of bias to each side of the chunk, one for the kernel.
  static let stride = 96
  /// Bins beyond the axis to each side, so that a shift of pitch stays inside.
  static let binMargin = 8

  /// The chunk's frames.
  private(set) var frames = 0..<0
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
  mutating func forget() { frames = 0..<0 }

  /// Fills the rows with frames of the query, valued by one stage's table.
  mutating func fill(_ frames: Range<Int>, of cells: borrowing QueryCells, table: [UInt8]) {
    precondition(frames.count <= Self.frameCountMax, "a chunk has at most 32 frames")
    let bias = UInt8(EvidenceTables.scanBias)
    unsafe rows.pointer.update(repeating: bias, count: rows.count)
    let cells = unsafe cells.pointer
    let first = unsafe rows.pointer + Self.binMargin * PackedPeak.classCount * Self.stride
    let padding = Self.frameCountMax
    unsafe table.withUnsafeBufferPointer { table in
      for bin in 0..<AnalyzerSettings.binCount {
        for peakClass in 0..<PackedPeak.classCount {
          let row = unsafe first + (bin * PackedPeak.classCount + peakClass) * Self.stride
          let start = EvidenceTables.start(peakClass: peakClass, bin: bin)
          for (index, frame) in frames.enumerated() {
            let cell = unsafe cells[frame * AnalyzerSettings.binCount + bin]
            unsafe row[padding + frames.count - 1 - index] = table[start + Int(cell)]
          }
        }
      }
    }
    self.frames = frames
  }
}
