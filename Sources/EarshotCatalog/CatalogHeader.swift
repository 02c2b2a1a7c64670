/// The fixed first bytes of a catalog and its section table, checked.
struct CatalogHeader: Sendable, Hashable {
  var settingsDigest: UInt64
  var identity: UInt64
  var byteCount: Int
  var sections: [SectionEntry]

  /// Reads and checks the header, the table and where every section lies.
  init(_ reader: ByteReader) throws(CatalogError) {
    let needed = CatalogFormat.headerByteCount
    guard reader.count >= 8, try Self.hasMagic(reader) else {
      guard reader.count >= 4 else {
        throw .truncated(offset: 0, needed: needed, available: reader.count)
      }
      throw .notACatalog(found: try reader.uint32(0))
    }
    guard reader.count >= needed else {
      throw .truncated(offset: 0, needed: needed, available: reader.count)
    }
    // The version comes before the checksum: a newer format may count its header otherwise.
    let version = try reader.uint32(8)
    guard version == CatalogFormat.version else {
      throw .unreadableVersion(found: version, newest: CatalogFormat.version)
    }
    guard try reader.checksum(0, 56) == reader.uint64(56) else {
      throw .wrongChecksum(part: .header, offset: 0, byteCount: needed)
    }
    byteCount = try reader.size(16, part: .header)
    guard byteCount >= CatalogFormat.firstSectionOffset else {
      throw .malformed(part: .header, offset: 16)
    }
    guard reader.count >= byteCount else {
      throw .truncated(
        offset: reader.count, needed: byteCount - reader.count, available: 0)
    }
    guard reader.count == byteCount else {
      throw .trailingBytes(offset: byteCount, count: reader.count - byteCount)
    }
    settingsDigest = try reader.uint64(24)
    identity = try reader.uint64(40)
    let sectionCount = Int(try reader.uint32(12))
    guard sectionCount <= CatalogFormat.sectionCountMax else {
      throw .malformed(part: .header, offset: 12)
    }
    guard try reader.uint64(32) == 0 else { throw .malformed(part: .header, offset: 32) }
    let tableByteCount = sectionCount * CatalogFormat.entryByteCount
    guard try reader.checksum(needed, tableByteCount) == reader.uint64(48) else {
      throw .wrongChecksum(part: .sectionTable, offset: needed, byteCount: tableByteCount)
    }
    sections = []
    for index in 0..<sectionCount {
      sections.append(try entry(reader, at: needed + index * CatalogFormat.entryByteCount))
    }
    try checkPlaces()
  }

  /// Makes the header of a file that is about to be finished.
  init(settingsDigest: UInt64, identity: UInt64, byteCount: Int, sections: [SectionEntry]) {
    self.settingsDigest = settingsDigest
    self.identity = identity
    self.byteCount = byteCount
    self.sections = sections
  }

  /// Header and table as they are stored.
  var bytes: [UInt8] {
    var table: [UInt8] = []
    for entry in sections {
      table.append(littleEndian: entry.kind.rawValue)
      table.append(littleEndian: entry.flags)
      table.append(littleEndian: UInt64(entry.offset))
      table.append(littleEndian: UInt64(entry.byteCount))
      table.append(littleEndian: entry.checksum)
      table.append(littleEndian: UInt64(entry.blockChecksumsOffset))
    }
    var header = CatalogFormat.magic
    header.append(littleEndian: CatalogFormat.version)
    header.append(littleEndian: UInt32(sections.count))
    header.append(littleEndian: UInt64(byteCount))
    header.append(littleEndian: settingsDigest)
    header.append(littleEndian: UInt64(0))
    header.append(littleEndian: identity)
    header.append(littleEndian: Checksum.of(table))
    header.append(littleEndian: Checksum.of(header))
    return header + table
  }

  private static func hasMagic(_ reader: ByteReader) throws(CatalogError) -> Bool {
    let first = try reader.uint64(0)
    return CatalogFormat.magic.indices.allSatisfy {
      UInt8(truncatingIfNeeded: first >> UInt64(8 * $0)) == CatalogFormat.magic[$0]
    }
  }

  private func entry(_ reader: ByteReader, at place: Int) throws(CatalogError)
    -> SectionEntry
  {
    let entry = SectionEntry(
      kind: SectionKind(rawValue: try reader.uint32(place)), flags: try reader.uint32(place + 4),
      offset: try reader.size(place + 8, part: .sectionTable),
      byteCount: try reader.size(place + 16, part: .sectionTable),
      checksum: try reader.uint64(place + 24),
      blockChecksumsOffset: try reader.size(place + 32, part: .sectionTable))
    guard entry.flags & ~(SectionEntry.needed | SectionEntry.checkedByBlock) == 0,
      entry.isCheckedByBlock == (entry.blockChecksumsOffset != 0),
      entry.byteCount <= byteCount
    else { throw .malformed(part: .sectionTable, offset: place) }
    return entry
  }

  /// Whether all stretches lie in the file, in order, without touching each other.
  private func checkPlaces() throws(CatalogError) {
    var seen: Set<SectionKind> = []
    var stretches: [(offset: Int, byteCount: Int, place: Int)] = []
    for (index, entry) in sections.enumerated() {
      let place = CatalogFormat.headerByteCount + index * CatalogFormat.entryByteCount
      guard seen.insert(entry.kind).inserted else {
        throw .malformed(part: .sectionTable, offset: place)
      }
      stretches.append((entry.offset, entry.byteCount, place))
      if entry.isCheckedByBlock {
        stretches.append((entry.blockChecksumsOffset, entry.blockChecksumByteCount, place))
      }
    }
    stretches.sort { ($0.offset, $0.byteCount) < ($1.offset, $1.byteCount) }
    var end = CatalogFormat.firstSectionOffset
    for stretch in stretches {
      guard stretch.offset >= end, stretch.offset % CatalogFormat.alignment == 0,
        stretch.offset <= byteCount, stretch.byteCount <= byteCount - stretch.offset
      else { throw .malformed(part: .sectionTable, offset: stretch.place) }
      end = stretch.offset + stretch.byteCount
    }
  }
}
