internal import EarshotSignature

/// The numbers of the outline section. `Catalogs/FORMAT.md` draws the bytes.
///
/// The outline is the strongest quarter of all peaks once more, coarse in time, in the order in which
/// a scan of every offset reads them. Each signature has one empty cell and then one for each 4 s.
package enum OutlineFormat {

  static let version: UInt32 = 1
  static let trailerByteCount = 64
  /// Frames in a step: 128 ms.
  package static let framesPerStep = 8
  /// Steps in a cell.
  package static let stepsPerCell = 32
  /// Frames in a cell.
  package static let framesPerCell = framesPerStep * stepsPerCell
  /// Peaks of one cell, at most: what a byte counts. A writer's analysis makes at most 96.
  static let peaksPerCellMax = 255
  /// Bits of a word below its step: those of bin, one that says whether the peak is repeated, and a zero.
  package static let stepShift: UInt16 = 11
  /// The bits of a word that name bin and repetition.
  package static let rowMask: UInt16 = 1023
  /// The rows that a word can name, whatever it is.
  package static let rowCount = Int(rowMask) + 1

  /// A hash of all numbers that an outline depends on.
  static let digest: UInt64 = {
    var bytes: [UInt8] = []
    for number in [1, IndexKey.strengthMin, framesPerStep, stepsPerCell] {
      bytes.append(littleEndian: UInt64(number))
    }
    return Checksum.of(bytes)
  }()

  /// The row of a peak: two a bin.
  package static func row(bin: Int, isRepeated: Bool) -> Int { bin << 1 | (isRepeated ? 1 : 0) }

  /// Cells of a signature with so many frames.
  static func cellCount(ofFrames frameCount: Int) -> Int {
    1 + (frameCount + framesPerCell - 1) / framesPerCell
  }

  /// For each signature its first cell, and at the end how many there are.
  static func firstCells(signatureCount: Int, frameCount: (Int) -> Int) -> [Int] {
    var first: [Int] = [0]
    first.reserveCapacity(signatureCount + 1)
    for index in 0..<signatureCount {
      first.append(first[index] + cellCount(ofFrames: frameCount(index)))
    }
    return first
  }
}

/// Builds the outline of a catalog, signature by signature, and hands its bytes on as they come.
struct OutlineBuilder {
  /// Builds the whole section. `write` takes its bytes in order.
  func build(
    _ source: some IndexSource, write: ([UInt8]) throws(CatalogError) -> Void
  ) throws(CatalogError) {
    var counts: [UInt8] = []
    var bytes: [UInt8] = []
    var wordCount = 0
    for signature in 0..<source.signatureCount {
      let cellCount = OutlineFormat.cellCount(ofFrames: source.frameCount(ofSignature: signature))
      let first = counts.count + 1
      counts += [UInt8](repeating: 0, count: cellCount)
      try source.withWords(ofSignature: signature) { words in
        Self.append(words, to: &bytes, counts: &counts, firstCell: first)
      }
      if bytes.count >= 1 << 20 {
        wordCount += bytes.count / 2
        try write(bytes)
        bytes.removeAll(keepingCapacity: true)
      }
    }
    wordCount += bytes.count / 2
    bytes += [UInt8](repeating: 0, count: -2 * wordCount & 7)
    var trailer: [UInt8] = []
    trailer.append(littleEndian: OutlineFormat.version)
    trailer.append(littleEndian: UInt32(0))
    trailer.append(littleEndian: OutlineFormat.digest)
    trailer.append(littleEndian: UInt64(wordCount))
    trailer.append(littleEndian: UInt64(counts.count))
    trailer.append(littleEndian: Checksum.of(counts))
    trailer.append(littleEndian: Checksum.of(trailer))
    trailer += [UInt8](repeating: 0, count: OutlineFormat.trailerByteCount - trailer.count)
    counts += [UInt8](repeating: 0, count: -counts.count & 7)
    try write(bytes + counts + trailer)
  }

  /// Appends a signature's strong peaks; those of its sound begin in the cell `first`.
  private static func append(
    _ words: Span<UInt16>, to bytes: inout [UInt8], counts: inout [UInt8], firstCell first: Int
  ) {
    var frame = 0
    for index in words.indices {
      let peak = PackedPeak(word: words[index])
      frame += peak.frameStep
      if peak.isEscape || peak.peakClass & 3 < IndexKey.strengthMin { continue }
      let cell = first + frame / OutlineFormat.framesPerCell
      guard cell < counts.count, counts[cell] < OutlineFormat.peaksPerCellMax else { continue }
      counts[cell] += 1
      let step = frame % OutlineFormat.framesPerCell / OutlineFormat.framesPerStep
      let row = OutlineFormat.row(bin: peak.bin, isRepeated: peak.peakClass & 4 != 0)
      let word = UInt16(step) << OutlineFormat.stepShift | UInt16(row)
      bytes.append(UInt8(truncatingIfNeeded: word))
      bytes.append(UInt8(truncatingIfNeeded: word >> 8))
    }
  }
}
