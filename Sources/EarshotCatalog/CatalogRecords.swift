internal import EarshotSignature

/// The fixed part of an item: where its properties are and which signature it has.
struct ItemRecord: Sendable, Hashable {
  var propertyOffset: Int
  var propertyByteCount: Int
  var signatureIndex: Int
  var identifierHash: UInt64

  /// Reads and checks all records.
  static func all(
    in reader: ByteReader, section: SectionEntry, propertyByteCount: Int, signatureCount: Int
  ) throws(CatalogError) -> [ItemRecord] {
    let size = CatalogFormat.itemRecordByteCount
    try section.checkIsArray(of: size)
    var records: [ItemRecord] = []
    var claimed = 0
    records.reserveCapacity(section.byteCount / size)
    for place in stride(from: section.offset, to: section.offset + section.byteCount, by: size) {
      let record = ItemRecord(
        propertyOffset: try reader.size(place, part: .section(.items)),
        propertyByteCount: Int(try reader.uint32(place + 8)),
        signatureIndex: Int(try reader.uint32(place + 12)),
        identifierHash: try reader.uint64(place + 16))
      guard record.signatureIndex < signatureCount, record.propertyOffset <= propertyByteCount,
        record.propertyByteCount
          <= min(
            propertyByteCount - record.propertyOffset, MediaItem.byteCountMax)
      else { throw .malformed(part: .section(.items), offset: place) }
      // No two share bytes, so that reading all items takes no more than the file holds.
      claimed += record.propertyByteCount
      guard claimed <= propertyByteCount else {
        throw .malformed(part: .section(.items), offset: place)
      }
      records.append(record)
    }
    return records
  }

  func append(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: UInt64(propertyOffset))
    bytes.append(littleEndian: UInt32(propertyByteCount))
    bytes.append(littleEndian: UInt32(signatureIndex))
    bytes.append(littleEndian: identifierHash)
  }
}

/// The fixed part of a signature: where its peaks are and how long its sound is.
struct SignatureRecord: Sendable, Hashable {
  /// From the section's beginning, in bytes; even.
  var peakOffset: Int
  /// 16-bit words, escapes among them.
  var wordCount: Int
  var peakCount: Int
  var sampleCount: Int
  var contentHash: UInt64

  /// Reads and checks all records.
  static func all(in reader: ByteReader, section: SectionEntry, peakByteCount: Int)
    throws(CatalogError) -> [SignatureRecord]
  {
    let size = CatalogFormat.signatureRecordByteCount
    try section.checkIsArray(of: size)
    var records: [SignatureRecord] = []
    var claimed = 0
    records.reserveCapacity(section.byteCount / size)
    for place in stride(from: section.offset, to: section.offset + section.byteCount, by: size) {
      let record = SignatureRecord(
        peakOffset: try reader.size(place, part: .section(.signatures)),
        wordCount: Int(try reader.uint32(place + 8)),
        peakCount: Int(try reader.uint32(place + 12)),
        sampleCount: try reader.size(place + 16, part: .section(.signatures)),
        contentHash: try reader.uint64(place + 24))
      guard record.peakOffset.isMultiple(of: 2), record.peakOffset <= peakByteCount,
        2 * record.wordCount <= peakByteCount - record.peakOffset,
        record.peakCount <= record.wordCount, record.sampleCount <= Signature.sampleCountMax
      else { throw .malformed(part: .section(.signatures), offset: place) }
      // No two share peaks, so that all of them take no more than the file holds.
      claimed += 2 * record.wordCount
      guard claimed <= peakByteCount else {
        throw .malformed(part: .section(.signatures), offset: place)
      }
      records.append(record)
    }
    return records
  }

  func append(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: UInt64(peakOffset))
    bytes.append(littleEndian: UInt32(wordCount))
    bytes.append(littleEndian: UInt32(peakCount))
    bytes.append(littleEndian: UInt64(sampleCount))
    bytes.append(littleEndian: contentHash)
  }
}

extension SectionEntry {
  /// Whether the section is a whole number of records, not too many, and checked whole.
  fileprivate func checkIsArray(of size: Int) throws(CatalogError) {
    guard byteCount.isMultiple(of: size), byteCount / size <= CatalogFormat.countMax,
      !isCheckedByBlock
    else { throw .malformed(part: .section(kind), offset: offset) }
  }
}
