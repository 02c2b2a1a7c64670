internal import CXXHash

/// The checksum of the catalog file: XXH3, 64 bits.
enum Checksum {
  /// Of bytes in memory.
  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    unsafe XXH3_64bits(bytes.baseAddress, bytes.count)
  }

  /// Of bytes in an array.
  static func of(_ bytes: some Collection<UInt8>) -> UInt64 {
    let contiguous = ContiguousArray(bytes)
    return unsafe contiguous.withUnsafeBytes { unsafe of($0) }
  }

  /// Of packed peaks and the length of their sound: two signatures with the same are one.
  static func of(_ words: Span<UInt16>, sampleCount: Int) -> UInt64 {
    unsafe words.withUnsafeBytes {
      unsafe XXH3_64bits_withSeed(
        $0.baseAddress, $0.count, UInt64(truncatingIfNeeded: sampleCount))
    }
  }
}
