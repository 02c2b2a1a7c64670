public import EarshotSignature
import Synchronization

/// A catalog file, open for reading: media items and the signatures they are recognised by.
///
/// The file is mapped, so opening costs time and memory by the number of items, not of hours. The
/// header, the section table, the items and the records of signatures are checked at opening;
/// peaks and other large sections have a checksum for each 64 KiB, checked before the block is first
/// used. `CatalogVerifier` checks everything. Threads may share a catalog.
public final class Catalog: Sendable {
  /// The number of items.
  public let itemCount: Int
  /// The number of signatures.
  public let signatureCount: Int
  /// A number made from the checksums of all sections: two files with the same hold the same.
  public let identity: UInt64

  let file: MappedFile
  let header: CatalogHeader
  private let checkedBlocks: [SectionKind: CheckedParts]
  private let checkedSignatures: CheckedParts
  let openedIndex = Mutex<CatalogIndex?>(nil)
  let openedOutline = Mutex<CatalogOutline?>(nil)
  /// The passages that its signatures share; nil where the file says nothing of them.
  let recordedPassages: RecordedPassages?
  private let itemRecords: [ItemRecord]
  private let signatureRecords: [SignatureRecord]
  /// The items of each signature, one after the other, and where each signature's begin.
  private let itemsBySignature: [Int32]
  private let firstItemOfSignature: [Int32]

  /// Whether the first bytes of a file are those of a catalog or of a signature's file.
  public static func isBegun(by bytes: [UInt8]) -> Bool { bytes.starts(with: CatalogFormat.magic) }

  /// Opens the catalog whose name is the bytes of `path`.
  ///
  /// Throws what is wrong with the file and where. Trying again helps only for `unreadable`.
  public init(path: [UInt8]) throws(CatalogError) {
    file = try MappedFile(path: path)
    let reader = unsafe ByteReader(file.bytes)
    header = try CatalogHeader(reader)
    guard header.settingsDigest == AnalyzerSettings.digest else {
      throw .otherSettings(found: header.settingsDigest, expected: AnalyzerSettings.digest)
    }
    checkedBlocks = try Self.checkSections(header, reader)
    try unsafe Self.checkPadding(header, file.bytes)
    let items = try Self.section(.items, of: header)
    let properties = try Self.section(.properties, of: header)
    let signatures = try Self.section(.signatures, of: header)
    let peaks = try Self.section(.peaks, of: header)
    signatureRecords = try SignatureRecord.all(
      in: reader, section: signatures, peakByteCount: peaks.byteCount)
    itemRecords = try ItemRecord.all(
      in: reader, section: items, propertyByteCount: properties.byteCount,
      signatureCount: signatureRecords.count)
    itemCount = itemRecords.count
    signatureCount = signatureRecords.count
    identity = header.identity
    checkedSignatures = CheckedParts(count: signatureCount)
    (itemsBySignature, firstItemOfSignature) = Self.group(
      itemRecords, signatureCount: signatureRecords.count)
    recordedPassages = try Self.passages(header, file, signatureRecords)
  }

  /// Opens the catalog at a path in the usual spelling.
  public convenience init(path: String) throws(CatalogError) {
    try self.init(path: Array(path.utf8))
  }

  /// The size of the file in bytes.
  public var byteCount: Int { header.byteCount }

  /// The length of all signatures together, in seconds.
  public var duration: Double {
    signatureRecords.reduce(0) { $0 + Double($1.sampleCount) } / Double(AnalyzerSettings.sampleRate)
  }

  /// The item at `index`, read from the file.
  public func item(_ index: Int) throws(CatalogError) -> MediaItem {
    let record = itemRecords[index]
    guard let item = unsafe ItemCoding.item(properties(of: record)) else {
      throw file.hasLostPages ? .lostPages : .damagedItem(index: index)
    }
    return item
  }

  /// All items in their order.
  public func items() throws(CatalogError) -> [MediaItem] {
    var items: [MediaItem] = []
    items.reserveCapacity(itemCount)
    for index in 0..<itemCount { items.append(try item(index)) }
    return items
  }

  /// The index of the item with that identifier, or nil.
  public func index(ofItem identifier: String) throws(CatalogError) -> Int? {
    let hash = Checksum.of(identifier.utf8)
    for (index, record) in itemRecords.enumerated() where record.identifierHash == hash {
      if try item(index).id == identifier { return index }
    }
    return nil
  }

  /// The signature of an item.
  public func signatureIndex(ofItem index: Int) -> Int { itemRecords[index].signatureIndex }

  /// The items that share a signature, in their order; there is at least one.
  public func itemIndices(ofSignature index: Int) -> [Int] {
    itemsBySignature[Int(firstItemOfSignature[index])..<Int(firstItemOfSignature[index + 1])]
      .map { Int($0) }
  }

  /// Samples at 16 kHz that the signature stands for.
  public func sampleCount(ofSignature index: Int) -> Int { signatureRecords[index].sampleCount }

  /// Frames of analysis of the signature.
  public func frameCount(ofSignature index: Int) -> Int {
    AnalyzerSettings.frameCount(ofSampleCount: signatureRecords[index].sampleCount)
  }

  /// Peaks of the signature.
  public func peakCount(ofSignature index: Int) -> Int { signatureRecords[index].peakCount }

  /// A number made from the signature's content: the same for the same sound.
  public func contentHash(ofSignature index: Int) -> UInt64 { signatureRecords[index].contentHash }

  /// Hands `body` the packed peaks of a signature as they lie in the file.
  ///
  /// Before the first use the blocks they lie in are compared with their checksums, and the peaks
  /// are checked word by word; after that nothing is checked and nothing is copied. Throws
  /// `wrongChecksum` or `damagedSignature`. The span must not be kept.
  public func withPeaks<Result>(
    ofSignature index: Int, _ body: (Span<UInt16>) -> Result
  ) throws(CatalogError) -> Result {
    let record = signatureRecords[index]
    let section = try Self.section(.peaks, of: header)
    let bytes = try unsafe checkedBytes(
      of: section, at: record.peakOffset, byteCount: 2 * record.wordCount)
    // SAFETY: peaks begin at even places of a section that begins at a multiple of 64.
    let words = unsafe Span(
      _unsafeElements: UnsafeBufferPointer(
        start: bytes.baseAddress?.assumingMemoryBound(to: UInt16.self), count: record.wordCount))
    if !checkedSignatures.contains(index) {
      try check(words, of: record, index: index)
      checkedSignatures.insert(index)
    }
    return body(words)
  }

  /// Copies words of a signature as they are in the file, at most `countMax`, and returns
  /// how many there are; none where they can't be read.
  ///
  /// They are not compared with checksums, and no order can be relied on. For choosing what to look
  /// at: no answer may rest on them.
  package func readUncheckedWords(
    ofSignature index: Int, from first: Int, atMost countMax: Int, into words: inout [UInt16]
  ) -> Int {
    let record = signatureRecords[index]
    guard first >= 0, first < record.wordCount,
      let section = header.sections.first(where: { $0.kind == .peaks })
    else { return 0 }
    let count = min(countMax, words.count, record.wordCount - first)
    // Opening has checked that the signature's words lie in the section.
    let start = section.offset + record.peakOffset + 2 * first
    let isRead = unsafe words.withUnsafeMutableBytes { bytes in
      unsafe file.read(UnsafeMutableRawBufferPointer(rebasing: bytes[..<(2 * count)]), at: start)
    }
    return isRead ? count : 0
  }

  /// A copy of a signature.
  public func signature(_ index: Int) throws(CatalogError) -> Signature {
    let words = try withPeaks(ofSignature: index) { words in words.indices.map { words[$0] } }
    do {
      return try Signature(
        sampleCount: signatureRecords[index].sampleCount, packedPeaks: words,
        settingsDigest: header.settingsDigest)
    } catch {
      throw .damagedSignature(index: index, word: 0)
    }
  }

  /// The kinds of the file's sections.
  public var sectionKinds: [SectionKind] { header.sections.map(\.kind) }

  /// Hands `body` a whole section, checked; nil when the file has none of that kind.
  ///
  /// For indexes and shared passages. The bytes must not be kept.
  public func withSection<Result>(
    _ kind: SectionKind, _ body: (RawSpan) -> Result
  ) throws(CatalogError) -> Result? {
    guard let entry = header.sections.first(where: { $0.kind == kind }) else { return nil }
    let bytes = try unsafe checkedBytes(of: entry, at: 0, byteCount: entry.byteCount)
    return unsafe body(RawSpan(_unsafeBytes: bytes))
  }

  private func check(_ words: Span<UInt16>, of record: SignatureRecord, index: Int)
    throws(CatalogError)
  {
    let found: Int
    do {
      found = try Signature.check(words, sampleCount: record.sampleCount)
    } catch .binOutOfRange(let word, _) {
      throw .damagedSignature(index: index, word: word)
    } catch .peakAfterEnd(let word, _, _) {
      throw .damagedSignature(index: index, word: word)
    } catch {
      throw .damagedSignature(index: index, word: 0)
    }
    guard found == record.peakCount,
      Checksum.of(words, sampleCount: record.sampleCount) == record.contentHash
    else { throw .damagedSignature(index: index, word: words.count) }
  }

  private func properties(of record: ItemRecord) -> UnsafeRawBufferPointer {
    guard let section = header.sections.first(where: { $0.kind == .properties }) else {
      preconditionFailure("opening has checked that there are properties")
    }
    let start = section.offset + record.propertyOffset
    return unsafe UnsafeRawBufferPointer(
      rebasing: file.bytes[start..<(start + record.propertyByteCount)])
  }

  /// Bytes of a section, with the blocks they lie in compared to their checksums once.
  func checkedBytes(of entry: SectionEntry, at offset: Int, byteCount: Int)
    throws(CatalogError) -> UnsafeRawBufferPointer
  {
    guard !file.hasLostPages else { throw .lostPages }
    let start = entry.offset + offset
    if let checked = checkedBlocks[entry.kind], byteCount > 0 {
      let size = CatalogFormat.blockByteCount
      for block in (offset / size)...((offset + byteCount - 1) / size)
      where !checked.contains(block) {
        try checkBlock(block, of: entry)
        checked.insert(block)
      }
    }
    return unsafe UnsafeRawBufferPointer(rebasing: file.bytes[start..<(start + byteCount)])
  }

  /// Compares one block with its checksum.
  func checkBlock(_ block: Int, of entry: SectionEntry) throws(CatalogError) {
    try Self.checkBlock(block, of: entry, in: file)
  }

  fileprivate static func checkBlock(_ block: Int, of entry: SectionEntry, in file: MappedFile)
    throws(CatalogError)
  {
    let reader = unsafe ByteReader(file.bytes)
    let start = entry.offset + block * CatalogFormat.blockByteCount
    let count = min(CatalogFormat.blockByteCount, entry.offset + entry.byteCount - start)
    guard
      try reader.checksum(start, count) == reader.uint64(entry.blockChecksumsOffset + 8 * block)
    else {
      guard !file.hasLostPages else { throw .lostPages }
      throw .wrongChecksum(part: .section(entry.kind), offset: start, byteCount: count)
    }
  }
}

extension Catalog {
  /// Sections that this build knows how to use, apart from those that any room adds.
  private static let ownSections: Set<SectionKind> = [.items, .properties, .signatures, .peaks]

  fileprivate static func section(_ kind: SectionKind, of header: CatalogHeader)
    throws(CatalogError) -> SectionEntry
  {
    guard let entry = header.sections.first(where: { $0.kind == kind }) else {
      throw .malformed(part: .section(kind), offset: CatalogFormat.headerByteCount)
    }
    return entry
  }

  /// Checks whole sections and block checksums; returns what remembers the blocks of each section.
  fileprivate static func checkSections(_ header: CatalogHeader, _ reader: ByteReader)
    throws(CatalogError) -> [SectionKind: CheckedParts]
  {
    var checked: [SectionKind: CheckedParts] = [:]
    for entry in header.sections {
      if entry.flags & SectionEntry.needed != 0, !ownSections.contains(entry.kind) {
        throw .unknownSection(entry.kind)
      }
      let (offset, byteCount) =
        entry.isCheckedByBlock
        ? (entry.blockChecksumsOffset, entry.blockChecksumByteCount)
        : (entry.offset, entry.byteCount)
      guard try reader.checksum(offset, byteCount) == entry.checksum else {
        let part: CatalogPart =
          entry.isCheckedByBlock ? .blockChecksums(entry.kind) : .section(entry.kind)
        throw .wrongChecksum(part: part, offset: offset, byteCount: byteCount)
      }
      if entry.isCheckedByBlock {
        checked[entry.kind] = CheckedParts(count: CatalogFormat.blockCount(entry.byteCount))
      }
    }
    return checked
  }

  /// The shared passages, read and checked whole; nil where the file says nothing of them.
  fileprivate static func passages(
    _ header: CatalogHeader, _ file: MappedFile, _ signatures: [SignatureRecord]
  ) throws(CatalogError) -> RecordedPassages? {
    guard let entry = header.sections.first(where: { $0.kind == .passages }) else { return nil }
    guard entry.isCheckedByBlock else {
      throw .malformed(part: .section(.passages), offset: entry.offset)
    }
    for block in 0..<CatalogFormat.blockCount(entry.byteCount) {
      try checkBlock(block, of: entry, in: file)
    }
    return try RecordedPassages(
      unsafe ByteReader(file.bytes), offset: entry.offset, byteCount: entry.byteCount,
      signatureCount: signatures.count,
      frameCount: { AnalyzerSettings.frameCount(ofSampleCount: signatures[$0].sampleCount) })
  }

  /// Sorts items by signature, keeping their order.
  fileprivate static func group(_ items: [ItemRecord], signatureCount: Int)
    -> (items: [Int32], first: [Int32])
  {
    var first = [Int32](repeating: 0, count: signatureCount + 1)
    for item in items { first[item.signatureIndex + 1] += 1 }
    for index in 0..<signatureCount { first[index + 1] += first[index] }
    var next = first
    var grouped = [Int32](repeating: 0, count: items.count)
    for (index, item) in items.enumerated() {
      grouped[Int(next[item.signatureIndex])] = Int32(index)
      next[item.signatureIndex] += 1
    }
    return (grouped, first)
  }
}
