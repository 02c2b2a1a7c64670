/// Reads little-endian numbers from bytes that may be anything, checking every place first.
@safe struct ByteReader {
  private let bytes: UnsafeRawBufferPointer

  /// Takes bytes that live longer than the reader.
  init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

  var count: Int { unsafe bytes.count }

  func uint32(_ offset: Int) throws(CatalogError) -> UInt32 {
    try check(offset, 4)
    return unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  func uint64(_ offset: Int) throws(CatalogError) -> UInt64 {
    try check(offset, 8)
    return unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// A 64-bit number that is an offset or a size; what doesn't fit is malformed.
  func size(_ offset: Int, part: CatalogPart) throws(CatalogError) -> Int {
    guard let size = Int(exactly: try uint64(offset)) else {
      throw .malformed(part: part, offset: offset)
    }
    return size
  }

  /// The checksum of a stretch.
  func checksum(_ offset: Int, _ byteCount: Int) throws(CatalogError) -> UInt64 {
    try check(offset, byteCount)
    return unsafe Checksum.of(
      UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + byteCount)]))
  }

  /// A copy of a stretch.
  func bytes(_ offset: Int, _ byteCount: Int) throws(CatalogError) -> [UInt8] {
    try check(offset, byteCount)
    return unsafe Array(bytes[offset..<(offset + byteCount)])
  }

  private func check(_ offset: Int, _ needed: Int) throws(CatalogError) {
    guard offset >= 0, needed >= 0, offset <= count, needed <= count - offset else {
      throw .truncated(offset: offset, needed: needed, available: max(0, count - offset))
    }
  }
}

extension [UInt8] {
  /// Appends a number, lowest byte first.
  mutating func append<Number: FixedWidthInteger & UnsignedInteger>(littleEndian number: Number) {
    for byte in 0..<(Number.bitWidth / 8) {
      append(UInt8(truncatingIfNeeded: number >> Number(8 * byte)))
    }
  }
}
