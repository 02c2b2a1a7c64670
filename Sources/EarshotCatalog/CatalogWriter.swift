public import EarshotSignature

/// Writes a catalog file: signatures as they come, then the items, then all that finds them.
///
/// Signatures go to the disk at once, so memory grows only with the number of items. Nothing is
/// seen under the file's name before `finish`, which replaces it atomically; a writer that is
/// dropped leaves nothing. The same signatures, items and sections give the same bytes.
public struct CatalogWriter: ~Copyable {
  private var file: ReplacingFile
  private var peaks: BlockedSection
  private var signatures: [SignatureRecord] = []
  private var items: [ItemRecord] = []
  private var properties: [UInt8] = []
  private var identifiers: Set<String> = []
  private var extra: [(kind: SectionKind, bytes: [UInt8])] = []
  /// Whether the file gets an index. Default: where the catalog is large enough to need one.
  public var indexChoice = IndexChoice.whereNeeded
  /// Whether the passages that signatures share are looked for. Default: they are.
  public var passageChoice = PassageChoice.record
  /// Told often, by `finish`, what is worked on and which share of it is done, 0 to 1. When it returns
  /// false the work ends with `cancelled`. Default: nobody is told.
  public var whenFinishing: (FinishingPhase, Double) -> Bool = { _, _ in true }

  /// Begins a catalog that will stand under the name `path`.
  ///
  /// Throws `notWritable` when there can't be a file.
  public init(path: [UInt8]) throws(CatalogError) {
    try self.init(path: path, storage: KernelStorage())
  }

  init(path: [UInt8], storage: any Storage) throws(CatalogError) {
    file = try ReplacingFile(path: path, storage: storage)
    peaks = BlockedSection(offset: CatalogFormat.firstSectionOffset)
  }

  /// Signatures written so far.
  public var signatureCount: Int { signatures.count }

  /// Items written so far.
  public var itemCount: Int { items.count }

  /// Writes a signature and returns its index.
  public mutating func append(_ signature: Signature) throws(CatalogError) -> Int {
    try append(
      signature.packedPeaks.span, peakCount: signature.peakCount,
      sampleCount: signature.sampleCount)
  }

  /// Copies a signature of another catalog, which is checked on the way, and returns its index.
  public mutating func append(signature index: Int, of catalog: Catalog) throws(CatalogError)
    -> Int
  {
    let signature = try catalog.signature(index)
    return try append(signature)
  }

  /// Writes an item that is recognised by the signature at `signatureIndex`.
  ///
  /// Throws `duplicateIdentifier` or `unusableItem` with the index the item would have had.
  public mutating func append(_ item: MediaItem, signatureIndex: Int) throws(CatalogError) {
    precondition(signatures.indices.contains(signatureIndex), "the signature comes first")
    guard items.count < CatalogFormat.countMax else { throw .tooLarge }
    if let fault = item.fault { throw .unusableItem(index: items.count, fault) }
    guard let bytes = ItemCoding.bytes(item), bytes.count <= MediaItem.byteCountMax else {
      throw .unusableItem(index: items.count, .tooLarge)
    }
    guard identifiers.insert(item.id).inserted else {
      throw .duplicateIdentifier(index: items.count)
    }
    items.append(
      ItemRecord(
        propertyOffset: properties.count, propertyByteCount: bytes.count,
        signatureIndex: signatureIndex, identifierHash: Checksum.of(item.id.utf8)))
    properties += bytes
  }

  /// Adds a section that another room reads: an index, or shared passages.
  public mutating func append(section kind: SectionKind, bytes: [UInt8]) throws(CatalogError) {
    precondition(extra.allSatisfy { $0.kind != kind }, "a section comes once")
    extra.append((kind, bytes))
  }

  /// Writes what is left, makes it durable and puts the file in its place.
  public consuming func finish() throws(CatalogError) {
    var entries: [SectionEntry] = []
    var peaks = self.peaks
    var end = try finish(&peaks, kind: .peaks, flags: SectionEntry.needed, entries: &entries)
    var records: [UInt8] = []
    for signature in signatures { signature.append(to: &records) }
    end = try append(records, kind: .signatures, at: end, entries: &entries)
    records.removeAll(keepingCapacity: true)
    for item in items { item.append(to: &records) }
    end = try append(records, kind: .items, at: end, entries: &entries)
    end = try append(properties, kind: .properties, at: end, entries: &entries)
    if needsIndex { end = try writeIndex(of: peaks, at: end, entries: &entries) }
    if let passages = try passages(of: peaks) {
      extra.append((.passages, passages.bytes))
    }
    for section in extra {
      var blocked = BlockedSection(offset: CatalogFormat.aligned(end))
      try unsafe blocked.append(section.bytes.span.bytes, to: file)
      end = try finish(&blocked, kind: section.kind, flags: 0, entries: &entries)
    }
    var identity: [UInt8] = []
    for entry in entries { identity.append(littleEndian: entry.checksum) }
    let header = CatalogHeader(
      settingsDigest: AnalyzerSettings.digest, identity: Checksum.of(identity), byteCount: end,
      sections: entries)
    let front = header.bytes
    try write(
      front + [UInt8](repeating: 0, count: CatalogFormat.firstSectionOffset - front.count), at: 0)
    try file.commit()
  }

  private var needsIndex: Bool {
    let sampleCount = signatures.reduce(0) { $0 + $1.sampleCount }
    let hours = Double(sampleCount) / Double(AnalyzerSettings.sampleRate) / 3600
    return switch indexChoice {
    case .whereNeeded: hours >= Catalog.indexedHoursMin
    case .always: true
    case .never: false
    }
  }

  /// Builds the index and the outline from the peaks that have been written, and returns where the
  /// file ends now.
  private mutating func writeIndex(
    of peaks: BlockedSection, at end: Int, entries: inout [SectionEntry]
  ) throws(CatalogError) -> Int {
    let written = WrittenIndexSource(
      records: signatures,
      peaks: try file.mapped(offset: peaks.offset, byteCount: peaks.byteCount))
    let tell = whenFinishing
    var readCount = 0
    var share = 0.0
    let source = WatchedSource(source: written) { () throws(CatalogError) in
      // The sum over all signatures that the share takes isn't asked for at each of them.
      if readCount.isMultiple(of: 1 + written.signatureCount / 256) {
        share = IndexBuilder().share(afterReading: readCount, of: written)
      }
      guard tell(.index, share) else { throw .cancelled }
      readCount += 1
    }
    var blocked = BlockedSection(offset: CatalogFormat.aligned(end))
    try IndexBuilder().build(source) { bytes throws(CatalogError) in
      try unsafe blocked.append(bytes.span.bytes, to: file)
    }
    let indexEnd = try finish(&blocked, kind: .index, flags: 0, entries: &entries)
    var outline = BlockedSection(offset: CatalogFormat.aligned(indexEnd))
    try OutlineBuilder().build(source) { bytes throws(CatalogError) in
      try unsafe outline.append(bytes.span.bytes, to: file)
    }
    return try finish(&outline, kind: .outline, flags: 0, entries: &entries)
  }

  /// What the file says of shared passages: nothing, or that they are left for later, or which.
  private func passages(of peaks: BlockedSection) throws(CatalogError) -> RecordedPassages? {
    let later = RecordedPassages(isSearched: false, passages: [])
    switch passageChoice {
    case .never: return nil
    case .later: return later
    case .record:
      let source = WrittenIndexSource(
        records: signatures,
        peaks: try file.mapped(offset: peaks.offset, byteCount: peaks.byteCount))
      let tell = whenFinishing
      let found = try PassageFinder().find(source) { (share: Double) throws(CatalogError) in
        guard tell(.passages, share) else { throw .cancelled }
      }
      return found.map {
        RecordedPassages(isSearched: true, passages: $0)
      } ?? later
    }
  }

  private mutating func append(_ words: Span<UInt16>, peakCount: Int, sampleCount: Int)
    throws(CatalogError) -> Int
  {
    guard signatures.count < CatalogFormat.countMax, words.count <= UInt32.max else {
      throw .tooLarge
    }
    signatures.append(
      SignatureRecord(
        peakOffset: peaks.byteCount, wordCount: words.count, peakCount: peakCount,
        sampleCount: sampleCount, contentHash: Checksum.of(words, sampleCount: sampleCount)))
    try unsafe peaks.append(words.bytes, to: file)
    return signatures.count - 1
  }

  /// Writes a section that is checked whole, and returns where the file ends now.
  private mutating func append(
    _ bytes: [UInt8], kind: SectionKind, at end: Int, entries: inout [SectionEntry]
  ) throws(CatalogError) -> Int {
    let offset = CatalogFormat.aligned(end)
    try write([UInt8](repeating: 0, count: offset - end) + bytes, at: end)
    entries.append(
      SectionEntry(
        kind: kind, flags: SectionEntry.needed, offset: offset, byteCount: bytes.count,
        checksum: Checksum.of(bytes), blockChecksumsOffset: 0))
    return offset + bytes.count
  }

  /// Writes the end of a section that is checked by block, with its checksums behind it.
  private mutating func finish(
    _ section: inout BlockedSection, kind: SectionKind, flags: UInt32,
    entries: inout [SectionEntry]
  ) throws(CatalogError) -> Int {
    try section.flush(to: file)
    let end = section.offset + section.byteCount
    let offset = CatalogFormat.aligned(end)
    var checksums: [UInt8] = []
    for checksum in section.checksums { checksums.append(littleEndian: checksum) }
    try write([UInt8](repeating: 0, count: offset - end) + checksums, at: end)
    entries.append(
      SectionEntry(
        kind: kind, flags: flags | SectionEntry.checkedByBlock, offset: section.offset,
        byteCount: section.byteCount, checksum: Checksum.of(checksums),
        blockChecksumsOffset: offset))
    return offset + checksums.count
  }

  private func write(_ bytes: [UInt8], at offset: Int) throws(CatalogError) {
    // A typed error can't cross `withUnsafeBytes` of an array in this release.
    var failure: CatalogError?
    unsafe bytes.withUnsafeBytes { buffer in
      do throws(CatalogError) {
        try unsafe file.write(buffer, at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}
