/// The numbers of the catalog file's format, version 1. `Catalogs/FORMAT.md` draws the bytes.
enum CatalogFormat {
  /// The first eight bytes. Line ends are among them, so that a transfer as text is noticed.
  static let magic: [UInt8] = [0x89, 0x45, 0x53, 0x43, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The newest version that this build reads, and the one it writes.
  static let version: UInt32 = 1
  static let headerByteCount = 64
  static let entryByteCount = 40
  /// The first section begins here; the section table stands before it.
  static let firstSectionOffset = 4096
  static let sectionCountMax = (firstSectionOffset - headerByteCount) / entryByteCount
  /// Sections begin at multiples of this.
  static let alignment = 64
  static let blockByteCount = 64 << 10
  static let itemRecordByteCount = 24
  static let signatureRecordByteCount = 32
  /// The most items, and the most signatures, in a catalog.
  static let countMax = 16_000_000

  /// The next multiple of the alignment.
  static func aligned(_ offset: Int) -> Int { (offset + alignment - 1) & ~(alignment - 1) }

  /// The number of blocks of a section that is checked block by block.
  static func blockCount(_ byteCount: Int) -> Int {
    (byteCount + blockByteCount - 1) / blockByteCount
  }
}

/// One line of the section table.
struct SectionEntry: Sendable, Hashable {
  /// Set when a reader that doesn't know the section must refuse the file.
  static let needed: UInt32 = 1
  /// Set when the section has a checksum a block, which are checked on first use.
  static let checkedByBlock: UInt32 = 2

  var kind: SectionKind
  var flags: UInt32
  var offset: Int
  var byteCount: Int
  /// Of the section, or of its block checksums when it is checked by block.
  var checksum: UInt64
  /// Where the block checksums stand; 0 when the section is checked whole.
  var blockChecksumsOffset: Int

  var isCheckedByBlock: Bool { flags & Self.checkedByBlock != 0 }
  var blockChecksumByteCount: Int {
    isCheckedByBlock ? 8 * CatalogFormat.blockCount(byteCount) : 0
  }
}
