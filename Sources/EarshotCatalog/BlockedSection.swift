/// A section that is written as it grows, in blocks of 64 KiB with a checksum each.
struct BlockedSection: Sendable {
  /// Where it begins in the file.
  let offset: Int
  /// Bytes taken so far.
  private(set) var byteCount = 0
  /// The checksums of the blocks that have been written.
  private(set) var checksums: [UInt64] = []
  private var block: [UInt8] = []

  init(offset: Int) {
    self.offset = offset
    block.reserveCapacity(CatalogFormat.blockByteCount)
  }

  /// Takes bytes, and writes each block that is full.
  mutating func append(_ bytes: RawSpan, to file: borrowing ReplacingFile) throws(CatalogError) {
    var start = 0
    while start < bytes.byteCount {
      let room = CatalogFormat.blockByteCount - block.count
      let count = min(room, bytes.byteCount - start)
      unsafe bytes.extracting(start..<(start + count)).withUnsafeBytes { unsafe block += $0 }
      start += count
      byteCount += count
      if block.count == CatalogFormat.blockByteCount { try flush(to: file) }
    }
  }

  /// Writes what is held as the last block.
  mutating func flush(to file: borrowing ReplacingFile) throws(CatalogError) {
    guard !block.isEmpty else { return }
    let place = offset + checksums.count * CatalogFormat.blockByteCount
    checksums.append(Checksum.of(block))
    var failure: CatalogError?
    unsafe block.withUnsafeBytes { buffer in
      do throws(CatalogError) {
        try unsafe file.write(buffer, at: place)
      } catch {
        failure = error
      }
    }
    block.removeAll(keepingCapacity: true)
    if let failure { throw failure }
  }
}
