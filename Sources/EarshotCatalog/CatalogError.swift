/// The ways a catalog, or the writing of one, can be wrong. Offsets and sizes are in bytes.
public enum CatalogError: Error, Sendable, Hashable {
  /// The file cannot be opened or read. `errno` is the kernel's word.
  case unreadable(errno: Int32)
  /// The path names a folder, a socket or a device, not a file.
  case notAFile
  /// The file does not begin with the catalog magic number; its first four bytes are given.
  case notACatalog(found: UInt32)
  /// The file was written in a format that this build does not read.
  case unreadableVersion(found: UInt32, newest: UInt32)
  /// The file ended early.
  case truncated(offset: Int, needed: Int, available: Int)
  /// The file goes on after its end.
  case trailingBytes(offset: Int, count: Int)
  /// A stretch of the file is not what was written: its checksum differs.
  case wrongChecksum(part: CatalogPart, offset: Int, byteCount: Int)
  /// The field at this place holds an offset, a count or a length that cannot be.
  case malformed(part: CatalogPart, offset: Int)
  /// The file needs a section that this build does not know; its four letters are given.
  case unknownSection(SectionKind)
  /// The signatures were made with other analyzer settings (wall W4). Creating it again helps.
  case otherSettings(found: UInt64, expected: UInt64)
  /// The properties of an item are not readable.
  case damagedItem(index: Int)
  /// The peaks of a signature are not in order; `word` counts its 16-bit words.
  case damagedSignature(index: Int, word: Int)
  /// Two items would have the same identifier; the index of the second is given.
  case duplicateIdentifier(index: Int)
  /// An item's properties are out of range; see `MediaItem.Fault`.
  case unusableItem(index: Int, MediaItem.Fault)
  /// More items, signatures or bytes than the format can hold.
  case tooLarge
  /// The file cannot be written or replaced. `errno` is the kernel's word.
  case notWritable(errno: Int32)
  /// The file was replaced, but the folder could not be made durable: a power cut may still bring the
  /// old one back. `errno` is the kernel's word.
  case notConfirmed(errno: Int32)
  /// Whoever was told how far the work had come has ended it; nothing was changed.
  case cancelled
  /// Another process is changing the catalog. Trying again later helps.
  case beingChanged(process: Int32?)
  /// The file system has no locks, so two processes could change the catalog at once. `errno` is the
  /// kernel's word.
  case notLockable(errno: Int32)
  /// A part of the file is gone since it was opened: it was shortened, or its disk or server failed.
  case lostPages
}

/// A part of a catalog file, for messages.
public enum CatalogPart: Sendable, Hashable {
  /// The fixed first bytes.
  case header
  /// The table that says where sections are.
  case sectionTable
  /// A section.
  case section(SectionKind)
  /// The checksums of a section's blocks.
  case blockChecksums(SectionKind)
  /// Zeros between sections.
  case padding
}
