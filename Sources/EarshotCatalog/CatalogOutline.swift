import Synchronization

/// The outline of a large catalog: its strongest peaks in the order in which a scan reads them.
///
/// It lies in the file, or in memory where the file has none. Its counts are checked when it is opened;
/// its words are not, because every word names a row and a step that there are, and no answer rests on
/// them: they choose what is looked at. Threads may share it.
package final class CatalogOutline: Sendable {
  /// For each signature its first cell, which is empty, and at the end how many there are.
  package let firstCells: [Int]
  /// Peaks of each cell.
  private let counts: [UInt8]
  /// Where the words of each piece begin, counted from the first.
  private let firstWords: [Int]
  private let storage: Storage

  /// Cells that are read together.
  private static let cellsPerPiece = 512

  private enum Storage: Sendable {
    /// In a file, from a place on.
    case file(MappedFile, offset: Int)
    case memory([UInt8])
  }

  /// Cells in all.
  package var cellCount: Int { counts.count }

  /// Pieces in which the outline is read.
  package var pieceCount: Int { firstWords.count }

  /// Some cells and the one after them, copied out of the outline.
  package struct Piece: Sendable {
    /// The cells that begin here; the one after them is held as well.
    package fileprivate(set) var cells = 0..<0
    /// The words of all cells.
    package fileprivate(set) var words: [UInt16] = []
    /// Where the words of each cell begin; one more than there are cells, the last one's end.
    package fileprivate(set) var starts: [Int] = []

    package init() {}
  }

  /// Reads the section's trailer and counts; nil where it was made in another way, or for other
  /// signatures. Throws where it is damaged.
  private init?(
    _ reader: ByteReader, offset: Int, byteCount: Int, storage: Storage, signatureCount: Int,
    frameCount: (Int) -> Int
  ) throws(CatalogError) {
    let malformed = CatalogError.malformed(part: .section(.outline), offset: offset)
    let size = OutlineFormat.trailerByteCount
    guard byteCount >= size else { throw malformed }
    let trailer = offset + byteCount - size
    guard try reader.uint32(trailer) == OutlineFormat.version,
      try reader.uint64(trailer + 8) == OutlineFormat.digest
    else { return nil }
    let wordCount = try reader.size(trailer + 16, part: .section(.outline))
    let cellCount = try reader.size(trailer + 24, part: .section(.outline))
    guard try reader.checksum(trailer, 40) == reader.uint64(trailer + 40),
      wordCount <= byteCount, cellCount <= byteCount,
      (2 * wordCount + 7) & ~7 + (cellCount + 7) & ~7 == byteCount - size
    else { throw malformed }
    firstCells = OutlineFormat.firstCells(
      signatureCount: signatureCount, frameCount: frameCount)
    guard firstCells[signatureCount] == cellCount else { return nil }
    let start = offset + (2 * wordCount + 7) & ~7
    guard try reader.checksum(start, cellCount) == reader.uint64(trailer + 32) else {
      throw malformed
    }
    counts = try reader.bytes(start, cellCount)
    var firstWords: [Int] = []
    var words = 0
    for (cell, count) in counts.enumerated() {
      if cell.isMultiple(of: Self.cellsPerPiece) { firstWords.append(words) }
      words += Int(count)
    }
    guard words == wordCount else { throw malformed }
    self.firstWords = firstWords
    self.storage = storage
  }

  /// Copies a piece; false where it can't be read.
  package func read(_ number: Int, into piece: inout Piece) -> Bool {
    let first = number * Self.cellsPerPiece
    piece.cells = first..<min(first + Self.cellsPerPiece, counts.count)
    piece.starts.removeAll(keepingCapacity: true)
    var end = 0
    for cell in first..<min(piece.cells.upperBound + 1, counts.count) {
      piece.starts.append(end)
      end += Int(counts[cell])
    }
    piece.starts.append(end)
    // After the last cell of all comes an empty one.
    if piece.cells.upperBound == counts.count { piece.starts.append(end) }
    if piece.words.count < end { piece.words = [UInt16](repeating: 0, count: 2 * end) }
    let place = 2 * firstWords[number]
    return unsafe piece.words.withUnsafeMutableBytes { buffer in
      let wanted = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<(2 * end)])
      switch storage {
      case .file(let file, let offset):
        return unsafe file.read(wanted, at: offset + place)
      case .memory(let bytes):
        unsafe bytes.withUnsafeBytes { bytes in
          unsafe wanted.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: bytes[place..<(place + 2 * end)]))
        }
        return true
      }
    }
  }

  /// The outline in a catalog's file; nil where it has none, or another build's.
  fileprivate static func stored(in catalog: Catalog) throws(CatalogError) -> CatalogOutline? {
    guard let entry = catalog.header.sections.first(where: { $0.kind == .outline }) else {
      return nil
    }
    return try CatalogOutline(
      unsafe ByteReader(catalog.file.bytes), offset: entry.offset, byteCount: entry.byteCount,
      storage: .file(catalog.file, offset: entry.offset), signatureCount: catalog.signatureCount,
      frameCount: { catalog.frameCount(ofSignature: $0) })
  }

  /// Takes a section's bytes.
  static func opened(
    _ bytes: [UInt8], signatureCount: Int, frameCount: (Int) -> Int
  ) throws(CatalogError) -> CatalogOutline? {
    var result: Result<CatalogOutline?, CatalogError> = .success(nil)
    unsafe bytes.withUnsafeBytes { buffer in
      do throws(CatalogError) {
        result = .success(
          try CatalogOutline(
            unsafe ByteReader(buffer), offset: 0, byteCount: buffer.count, storage: .memory(bytes),
            signatureCount: signatureCount, frameCount: frameCount))
      } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  fileprivate static func built(of catalog: Catalog) throws(CatalogError) -> CatalogOutline {
    var bytes: [UInt8] = []
    try OutlineBuilder().build(CatalogIndexSource(catalog: catalog)) {
      part throws(CatalogError) in bytes += part
    }
    guard
      let outline = try opened(
        bytes, signatureCount: catalog.signatureCount,
        frameCount: { catalog.frameCount(ofSignature: $0) })
    else { preconditionFailure("an outline fits the signatures that it was built of") }
    return outline
  }
}

extension Catalog {
  /// The outline, from the file; built in memory where the file has none or an older one, which takes
  /// about 1 s for 1,000 hours and 0.16 MB an hour.
  ///
  /// Throws where the file is damaged.
  package func outline() throws(CatalogError) -> CatalogOutline {
    let result = openedOutline.withLock { known -> Result<CatalogOutline, CatalogError> in
      if let known { return .success(known) }
      do throws(CatalogError) {
        let stored = try CatalogOutline.stored(in: self)
        let outline: CatalogOutline
        if let stored { outline = stored } else { outline = try CatalogOutline.built(of: self) }
        known = outline
        return .success(outline)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
