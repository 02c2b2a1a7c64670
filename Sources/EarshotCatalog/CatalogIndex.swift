import Synchronization

/// The index of a large catalog: for each key, the steps of all signatures at which it stands.
///
/// It lies in the file, mapped, or in memory where the file has none. Directories and seek tables are
/// compared with their checksums when the index is opened, each group of buckets when it is first
/// read, and every number in them is held against its bounds; so damage is an error, and a file from
/// a stranger can at worst find nothing. Threads may share it.
@safe package final class CatalogIndex: Sendable {
  /// One stretch of signatures on one axis of steps.
  package struct Segment: Sendable {
    package let timeline: IndexTimeline
    let record: IndexSegmentRecord
    /// For each signature, its first place in the seek table.
    let firstSeeks: [UInt32]

    /// Keys that a bucket holds on average.
    package var meanCount: Int { max(1, record.keyCount >> record.bucketBits) }
    /// Keys in the segment.
    package var keyCount: Int { record.keyCount }
    /// Orders hashes as their buckets lie in the file.
    package var bucketBits: Int { record.bucketBits }
  }

  package let segments: [Segment]
  // SAFETY: the bytes don't change and live as long as `owner`; threads only read them.
  nonisolated(unsafe) private let bytes: UnsafeRawBufferPointer
  private let owner: any AnyObject & Sendable
  /// The file that the index lies in, and where; nil for one in memory.
  private let file: MappedFile?
  private let sectionOffset: Int?

  /// Takes the section's bytes, which live as long as `owner`.
  ///
  /// Returns nil where the index was made in another way than this build makes it, or for other
  /// signatures. Throws where it is damaged.
  init?(
    _ bytes: UnsafeRawBufferPointer, owner: any AnyObject & Sendable, signatureCount: Int,
    segmentStepCountMax: Int = IndexTimeline.stepCountMax, frameCount: (Int) -> Int
  ) throws(CatalogError) {
    let reader = unsafe ByteReader(bytes)
    let size = IndexFormat.trailerByteCount
    guard reader.count >= size else { throw Self.malformed(0) }
    let trailer = reader.count - size
    guard try reader.uint32(trailer) == IndexFormat.version,
      try reader.uint64(trailer + 8) == IndexKey.digest
    else { return nil }
    guard try reader.checksum(trailer, 32) == reader.uint64(trailer + 32) else {
      throw Self.malformed(trailer)
    }
    let count = Int(try reader.uint32(trailer + 4))
    let dataByteCount = try reader.size(trailer + 16, part: .section(.index))
    let recordSize = IndexFormat.segmentRecordByteCount
    guard dataByteCount <= trailer, count <= signatureCount,
      trailer - dataByteCount == count * recordSize,
      try reader.checksum(dataByteCount, count * recordSize) == reader.uint64(trailer + 24)
    else { throw Self.malformed(trailer) }
    let timelines = IndexTimeline.all(
      signatureCount: signatureCount, stepCountMax: segmentStepCountMax, frameCount: frameCount)
    guard count == timelines.count else { return nil }
    var segments: [Segment] = []
    for (number, timeline) in timelines.enumerated() {
      let place = dataByteCount + number * recordSize
      guard
        let record = try IndexSegmentRecord(reader, at: place, dataByteCount: dataByteCount)
      else { throw Self.malformed(place) }
      guard record.firstSignature == timeline.signatures.lowerBound,
        record.signatureCount == timeline.signatures.count,
        record.stepCount == timeline.stepCount
      else { return nil }
      segments.append(try Self.segment(record, timeline, reader, frameCount: frameCount))
    }
    self.segments = segments
    unsafe self.bytes = bytes
    self.owner = owner
    file = owner as? MappedFile
    if let base = unsafe file?.bytes.baseAddress, let start = bytes.baseAddress {
      sectionOffset = unsafe start - base
    } else {
      sectionOffset = nil
    }
  }

  private static func segment(
    _ record: IndexSegmentRecord, _ timeline: IndexTimeline, _ reader: ByteReader,
    frameCount: (Int) -> Int
  ) throws(CatalogError) -> Segment {
    var firstSeeks: [UInt32] = []
    var seekCount = 0
    for signature in timeline.signatures {
      firstSeeks.append(UInt32(seekCount))
      seekCount += IndexFormat.seekCount(ofFrames: frameCount(signature))
    }
    firstSeeks.append(UInt32(seekCount))
    guard record.seeks.count == seekCount * IndexFormat.seekByteCount,
      try reader.checksum(record.directory.lowerBound, record.directory.count)
        == record.directoryChecksum,
      try reader.checksum(record.seeks.lowerBound, record.seeks.count) == record.seekChecksum
    else { throw malformed(record.directory.lowerBound) }
    return Segment(
      timeline: timeline, record: record, firstSeeks: firstSeeks)
  }

  private static func malformed(_ offset: Int) -> CatalogError {
    .malformed(part: .section(.index), offset: offset)
  }

  /// Memory that one group of one index is read into. Each thread has its own.
  package struct Group: Sendable {
    fileprivate var bytes: [UInt8] = []
    fileprivate var count = 0
    /// Where the directory names what was read last; nil where nothing whole was.
    fileprivate var place: Int?

    package init() {}
  }

  /// Asks `isWanted` about the number of steps in a key's bucket, and if it agrees, calls `each` with
  /// every step, rising. Throws where the bucket is damaged, perhaps after some of its steps.
  package func forEachStep(
    ofHash hash: UInt32, inSegment index: Int, through group: inout Group,
    where isWanted: (Int) -> Bool, _ each: (UInt32) -> Void
  ) throws(CatalogError) {
    let record = segments[index].record
    let bucket = IndexKey.bucket(ofHash: hash, bits: record.bucketBits)
    try read(bucket >> IndexFormat.bucketsPerGroupBits, of: record, into: &group)
    let slot = bucket & (IndexFormat.bucketsPerGroup - 1)
    let isWhole = unsafe group.bytes.withUnsafeBytes { bytes -> Bool in
      func end(_ slot: Int) -> Int {
        let word = unsafe bytes.loadUnaligned(fromByteOffset: 8 + 4 * slot, as: UInt32.self)
        return Int(UInt32(littleEndian: word))
      }
      let start = slot == 0 ? IndexFormat.groupHeaderByteCount : end(slot - 1)
      guard start >= IndexFormat.groupHeaderByteCount, start <= end(slot),
        end(slot) <= group.count
      else { return false }
      if start == end(slot) { return true }
      let bucketBytes = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end(slot)])
      guard let (count, first) = unsafe IndexBits.count(bucketBytes), count > 0 else {
        return false
      }
      // The buffer goes on for eight bytes after its group.
      return unsafe !isWanted(count)
        || IndexBits.forEach(
          bucketBytes, stepCount: record.stepCount, count: count, from: first, each)
    }
    guard isWhole else { throw Self.malformed(record.groups.lowerBound) }
  }

  /// Reads a group and compares it with its checksum, unless it is the one that was read last.
  ///
  /// A group is copied out of the file rather than looked at in place: look-ups are spread all over
  /// the index, and each page of it would be mapped with its neighbours for a few hundred bytes.
  private func read(
    _ number: Int, of record: IndexSegmentRecord, into group: inout Group
  ) throws(CatalogError) {
    let place = record.directory.lowerBound + 4 * number
    if group.place == place { return }
    group.place = nil
    let first = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
    let next = unsafe bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
    let start = Int(UInt32(littleEndian: first)) * IndexFormat.groupAlignment
    let end = Int(UInt32(littleEndian: next)) * IndexFormat.groupAlignment
    guard start <= end, end <= record.groups.count,
      (IndexFormat.groupHeaderByteCount...IndexFormat.groupByteCountMax).contains(end - start)
    else { throw Self.malformed(place) }
    group.count = end - start
    if group.bytes.count < group.count + 8 {
      group.bytes = [UInt8](repeating: 0, count: 2 * group.count + 8)
    }
    let offset = record.groups.lowerBound + start
    let isRight = unsafe group.bytes.withUnsafeMutableBytes { buffer -> Bool in
      let found = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<(end - start)])
      if let file, let sectionOffset {
        guard unsafe file.read(found, at: sectionOffset + offset) else { return false }
      } else {
        unsafe found.copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + end - start)]))
      }
      let checksum = unsafe UInt64(littleEndian: found.loadUnaligned(as: UInt64.self))
      return unsafe Checksum.of(UnsafeRawBufferPointer(rebasing: found[8...])) == checksum
    }
    guard isRight else {
      throw .wrongChecksum(
        part: .section(.index), offset: offset, byteCount: group.count)
    }
    group.place = place
  }

  /// Where to begin reading a signature to come to a frame: a word, and the frame it counts from.
  ///
  /// `position` counts signatures from the segment's first. What is returned may be anything where
  /// the file is a stranger's; whoever uses it holds it against the signature.
  package func seek(toFrame frame: Int, position: Int, inSegment index: Int)
    -> (word: Int, frame: Int)
  {
    let segment = segments[index]
    let first = Int(segment.firstSeeks[position])
    let count = Int(segment.firstSeeks[position + 1]) - first
    guard count > 0, frame > 0 else { return (0, 0) }
    let place =
      segment.record.seeks.lowerBound
      + (first + min(frame / IndexFormat.framesPerSeek, count - 1)) * IndexFormat.seekByteCount
    let word = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
    let counted = unsafe bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
    return (Int(UInt32(littleEndian: word)), Int(UInt32(littleEndian: counted)))
  }
}

/// Bytes in memory that an index is built into.
@safe private final class IndexMemory: Sendable {
  // SAFETY: the bytes are written before the object is shared, and never after.
  nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

  init(_ parts: [[UInt8]]) {
    let count = parts.reduce(0) { $0 + $1.count }
    unsafe bytes = .allocate(byteCount: count, alignment: 64)
    var end = 0
    for part in parts {
      unsafe part.withUnsafeBytes { source in
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[end..<(end + source.count)])
          .copyMemory(from: source)
      }
      end += part.count
    }
  }

  deinit { unsafe bytes.deallocate() }
}

extension Catalog {
  /// The hours of sound from which a catalog's file holds an index, and from which one is used.
  package static let indexedHoursMin = 200.0

  /// The index, from the file; built in memory where the file has none or an older one.
  ///
  /// Building takes about 45 s for 1,000 hours, and then 1 MB an hour. Throws where the file is
  /// damaged.
  package func index() throws(CatalogError) -> CatalogIndex {
    let result = openedIndex.withLock { known -> Result<CatalogIndex, CatalogError> in
      if let known { return .success(known) }
      do throws(CatalogError) {
        let index: CatalogIndex
        if let stored = try storedIndex() { index = stored } else { index = try builtIndex() }
        known = index
        return .success(index)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Whether the file holds an index.
  public var hasIndex: Bool { sectionKinds.contains(.index) }

  private func storedIndex() throws(CatalogError) -> CatalogIndex? {
    guard let entry = header.sections.first(where: { $0.kind == .index }) else { return nil }
    let bytes = unsafe UnsafeRawBufferPointer(
      rebasing: file.bytes[entry.offset..<(entry.offset + entry.byteCount)])
    return try unsafe CatalogIndex(
      bytes, owner: file, signatureCount: signatureCount,
      frameCount: { self.frameCount(ofSignature: $0) })
  }

  private func builtIndex() throws(CatalogError) -> CatalogIndex {
    var parts: [[UInt8]] = []
    try IndexBuilder().build(CatalogIndexSource(catalog: self)) { bytes throws(CatalogError) in
      parts.append(bytes)
    }
    let memory = IndexMemory(parts)
    parts.removeAll()
    guard
      let index = try unsafe CatalogIndex(
        UnsafeRawBufferPointer(memory.bytes), owner: memory, signatureCount: signatureCount,
        frameCount: { self.frameCount(ofSignature: $0) })
    else { preconditionFailure("an index fits the signatures that it was built of") }
    return index
  }
}

/// A catalog's signatures, checked as they are read.
struct CatalogIndexSource: IndexSource {
  let catalog: Catalog

  var signatureCount: Int { catalog.signatureCount }
  func frameCount(ofSignature index: Int) -> Int { catalog.frameCount(ofSignature: index) }
  func peakCount(ofSignature index: Int) -> Int { catalog.peakCount(ofSignature: index) }

  func withWords(ofSignature index: Int, _ body: (Span<UInt16>) -> Void) throws(CatalogError) {
    try catalog.withPeaks(ofSignature: index, body)
  }
}
