extension Catalog {
  /// The most bytes that may lie unused between two sections; writers leave less than a page.
  static let gapLimit = 65_536

  /// Checks that all bytes that belong to nothing are zero, so that no changed byte goes unseen.
  static func checkPadding(_ header: CatalogHeader, _ bytes: UnsafeRawBufferPointer)
    throws(CatalogError)
  {
    var stretches = [
      0..<(CatalogFormat.headerByteCount + header.sections.count * CatalogFormat.entryByteCount)
    ]
    for entry in header.sections {
      stretches.append(entry.offset..<(entry.offset + entry.byteCount))
      if entry.isCheckedByBlock {
        let start = entry.blockChecksumsOffset
        stretches.append(start..<(start + entry.blockChecksumByteCount))
      }
    }
    stretches.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
    stretches.append(header.byteCount..<header.byteCount)
    var end = 0
    for stretch in stretches {
      let gap = end..<max(end, stretch.lowerBound)
      guard gap.count <= gapLimit else { throw .malformed(part: .padding, offset: end) }
      if let odd = unsafe bytes[gap].firstIndex(where: { $0 != 0 }) {
        throw .wrongChecksum(part: .padding, offset: odd, byteCount: 1)
      }
      end = max(end, stretch.upperBound)
    }
  }
}
