internal import EarshotSignature

/// Where the peaks come from that an index is built of.
protocol IndexSource {
  var signatureCount: Int { get }
  func frameCount(ofSignature index: Int) -> Int
  func peakCount(ofSignature index: Int) -> Int
  /// Hands `body` a signature's words. They are in order, or this throws.
  func withWords(ofSignature index: Int, _ body: (Span<UInt16>) -> Void) throws(CatalogError)
}

/// Builds the index of a catalog, segment by segment, and hands its bytes on as they come.
///
/// Keys are made several times over rather than kept: once to count them, then for as many parts of the
/// buckets as fit the memory at a time. They are first laid into their parts one after the other, and
/// then sorted within each, where that stays in the processor's cache: put into their buckets at once,
/// each would cost a wait for memory or two. Signatures are gone through in order, so each bucket's
/// steps come out rising.
struct IndexBuilder {
  /// Keys that are held at a time, 8 bytes each.
  var keyCountMax = 1 << 27
  /// Steps of one segment.
  var segmentStepCountMax = IndexTimeline.stepCountMax
  /// Bits of a key's hash that name its part, at most.
  private static let partBitsMax = 12

  /// Which share of building index and outline is done when signatures have been read so many times.
  ///
  /// They are read once to count their keys, then for each part of the keys that fits the memory, and
  /// once for the outline. A signature has about as many keys as peaks; counting takes about three tenths
  /// of the time that a part takes, and the outline one.
  func share(afterReading count: Int, of source: some IndexSource) -> Double {
    let keyCount = (0..<source.signatureCount).reduce(0) { $0 + source.peakCount(ofSignature: $1) }
    let partCount = 1 + keyCount / keyCountMax
    let passes = Double(count) / Double(max(1, source.signatureCount))
    let all = Self.countingWeight + Double(partCount) + Self.outlineWeight
    let parts = min(Double(partCount), max(0, passes - 1))
    let outline = min(1, max(0, passes - 1 - Double(partCount)))
    return (Self.countingWeight * min(1, passes) + parts + Self.outlineWeight * outline) / all
  }

  private static let countingWeight = 0.3
  private static let outlineWeight = 0.1

  /// Builds the whole section. `write` takes its bytes in order.
  func build(
    _ source: some IndexSource, write: ([UInt8]) throws(CatalogError) -> Void
  ) throws(CatalogError) {
    let timelines = IndexTimeline.all(
      signatureCount: source.signatureCount, stepCountMax: segmentStepCountMax
    ) { source.frameCount(ofSignature: $0) }
    var written = 0
    var records: [UInt8] = []
    for timeline in timelines {
      var record = IndexSegmentRecord(
        timeline: timeline,
        bucketBits: IndexFormat.bucketBits(
          peakCount: timeline.signatures.reduce(0) { $0 + source.peakCount(ofSignature: $1) }))
      try build(timeline, source, record: &record, written: &written, write: write)
      record.append(to: &records)
    }
    var trailer: [UInt8] = []
    trailer.append(littleEndian: IndexFormat.version)
    trailer.append(littleEndian: UInt32(timelines.count))
    trailer.append(littleEndian: IndexKey.digest)
    trailer.append(littleEndian: UInt64(written))
    trailer.append(littleEndian: Checksum.of(records))
    trailer.append(littleEndian: Checksum.of(trailer))
    trailer += [UInt8](repeating: 0, count: IndexFormat.trailerByteCount - trailer.count)
    try write(records + trailer)
  }

  private func build(
    _ timeline: IndexTimeline, _ source: some IndexSource, record: inout IndexSegmentRecord,
    written: inout Int, write: ([UInt8]) throws(CatalogError) -> Void
  ) throws(CatalogError) {
    var seeks: [UInt8] = []
    let partBits = min(Self.partBitsMax, record.bucketBits - IndexKey.anchorBits)
    let shift = UInt32(32 - partBits)
    var counts = [Int](repeating: 0, count: 1 << partBits)
    try forEachKey(of: timeline, source, seeks: &seeks) { _, hash in
      counts[Int(hash >> shift)] &+= 1
    }
    var writer = GroupWriter(start: written, stepCount: timeline.stepCount)
    var first = 0
    while first < counts.count {
      var parts = first..<(first + 1)
      var count = counts[first]
      while parts.upperBound < counts.count, count + counts[parts.upperBound] <= keyCountMax {
        count += counts[parts.upperBound]
        parts = first..<(parts.upperBound + 1)
      }
      record.keyCount += try fill(
        parts, counts: counts, bits: (partBits, record.bucketBits), of: timeline, source,
        into: &writer, write: write)
      first = parts.upperBound
    }
    record.groups = written..<writer.end
    written = writer.end
    let directory = writer.directory
    record.directoryChecksum = Checksum.of(directory)
    record.directory = try append(directory, written: &written, write: write)
    record.seekChecksum = Checksum.of(seeks)
    record.seeks = try append(seeks, written: &written, write: write)
  }

  /// Makes the keys of some parts, sorts them, and hands their groups on; returns how many are kept.
  private func fill(
    _ parts: Range<Int>, counts: [Int], bits: (part: Int, bucket: Int), of timeline: IndexTimeline,
    _ source: some IndexSource, into writer: inout GroupWriter,
    write: ([UInt8]) throws(CatalogError) -> Void
  ) throws(CatalogError) -> Int {
    var starts = [0]
    for part in parts { starts.append(starts[part - parts.lowerBound] + counts[part]) }
    var next = starts
    var keys = [UInt64](repeating: 0, count: max(1, starts[parts.count]))
    let shift = UInt32(32 - bits.part)
    try forEachKey(of: timeline, source) { step, hash in
      let part = Int(hash >> shift)
      guard parts.contains(part) else { return }
      let place = next[part - parts.lowerBound]
      next[part - parts.lowerBound] = place &+ 1
      keys[place] = UInt64(hash) << 32 | UInt64(truncatingIfNeeded: step)
    }
    var sorter = BucketSorter(
      bucketCount: 1 << (bits.bucket - bits.part), bucketBits: bits.bucket,
      stepCountMax: IndexFormat.bucketStepCountMax(stepCount: timeline.stepCount))
    var keptCount = 0
    for part in parts {
      let index = part - parts.lowerBound
      sorter.sort(keys.span.extracting(starts[index]..<starts[index + 1]))
      keptCount += sorter.keptCount
      for group in stride(from: 0, to: sorter.bucketCount, by: IndexFormat.bucketsPerGroup) {
        writer.begin()
        for bucket in group..<(group + IndexFormat.bucketsPerGroup) {
          writer.append(sorter.steps(ofBucket: bucket))
        }
        writer.close()
        if writer.bytes.count >= 1 << 20 { try write(writer.take()) }
      }
    }
    try write(writer.take())
    return keptCount
  }

  private func append(
    _ bytes: [UInt8], written: inout Int, write: ([UInt8]) throws(CatalogError) -> Void
  ) throws(CatalogError) -> Range<Int> {
    let padding =
      (CatalogFormat.alignment - bytes.count % CatalogFormat.alignment)
      % CatalogFormat.alignment
    let range = written..<(written + bytes.count)
    try write(bytes + [UInt8](repeating: 0, count: padding))
    written += bytes.count + padding
    return range
  }

  /// Calls `body` with the step and the hash of every key of a segment, in the order of signatures.
  private func forEachKey(
    of timeline: IndexTimeline, _ source: some IndexSource,
    _ body: (_ step: Int, _ hash: UInt32) -> Void
  ) throws(CatalogError) {
    var peaks = IndexedPeaks()
    for (position, signature) in timeline.signatures.enumerated() {
      try source.withWords(ofSignature: signature) { peaks.take($0) }
      let start = Int(timeline.starts[position])
      peaks.forEachKey { frame, hash in body(start + frame / IndexKey.framesPerStep, hash) }
    }
  }

  /// The same, with the places that the seek tables hold on the way.
  private func forEachKey(
    of timeline: IndexTimeline, _ source: some IndexSource, seeks: inout [UInt8],
    _ body: (_ step: Int, _ hash: UInt32) -> Void
  ) throws(CatalogError) {
    var peaks = IndexedPeaks()
    for (position, signature) in timeline.signatures.enumerated() {
      let seekCount = IndexFormat.seekCount(ofFrames: source.frameCount(ofSignature: signature))
      try source.withWords(ofSignature: signature) { words in
        peaks.take(words)
        Self.appendSeeks(words, seekCount: seekCount, to: &seeks)
      }
      let start = Int(timeline.starts[position])
      peaks.forEachKey { frame, hash in body(start + frame / IndexKey.framesPerStep, hash) }
    }
  }

  /// For each 512 frames: the first word that leads there, and the frame that it counts from.
  private static func appendSeeks(
    _ words: Span<UInt16>, seekCount: Int, to seeks: inout [UInt8]
  ) {
    var frame = 0
    var made = 0
    for index in words.indices {
      let next = frame + PackedPeak(word: words[index]).frameStep
      while made < seekCount, next >= made * IndexFormat.framesPerSeek {
        seeks.append(littleEndian: UInt32(index))
        seeks.append(littleEndian: UInt32(frame))
        made += 1
      }
      frame = next
    }
    while made < seekCount {
      seeks.append(littleEndian: UInt32(words.count))
      seeks.append(littleEndian: UInt32(frame))
      made += 1
    }
  }
}

/// Sorts the keys of one part into its buckets, each bucket's in the order in which they came.
private struct BucketSorter {
  let bucketCount: Int
  let bucketBits: Int
  /// The most steps of one bucket that are kept: one with more is left empty.
  let stepCountMax: Int
  /// Keys that were kept of the part that was sorted last.
  private(set) var keptCount = 0
  private var ends: [Int]
  private var sorted: [UInt32] = []

  init(bucketCount: Int, bucketBits: Int, stepCountMax: Int) {
    self.bucketCount = bucketCount
    self.bucketBits = bucketBits
    self.stepCountMax = stepCountMax
    ends = [Int](repeating: 0, count: bucketCount + 1)
  }

  /// Takes keys: the hash in the upper half, the step in the lower.
  mutating func sort(_ keys: Span<UInt64>) {
    for index in ends.indices { ends[index] = 0 }
    for index in keys.indices { ends[bucket(of: keys[index])] &+= 1 }
    keptCount = 0
    for index in 0..<bucketCount {
      if ends[index] > stepCountMax { ends[index] = 0 }
      keptCount += ends[index]
    }
    var start = 0
    for index in 0...bucketCount {
      // Where the bucket's next step goes; an empty one's is the next one's beginning.
      let count = ends[index]
      ends[index] = count == 0 ? -1 : start
      start += count
    }
    if sorted.count < keptCount { sorted = [UInt32](repeating: 0, count: keptCount) }
    for index in keys.indices {
      let bucket = bucket(of: keys[index])
      let place = ends[bucket]
      guard place >= 0 else { continue }
      sorted[place] = UInt32(truncatingIfNeeded: keys[index])
      ends[bucket] = place &+ 1
    }
    // Now each bucket's number is its end; those without steps end where the one before does.
    var end = 0
    for index in 0..<bucketCount {
      if ends[index] < 0 { ends[index] = end } else { end = ends[index] }
    }
  }

  /// The steps of one bucket of the part.
  @_lifetime(borrow self)
  func steps(ofBucket bucket: Int) -> Span<UInt32> {
    let start = bucket == 0 ? 0 : ends[bucket - 1]
    return sorted.span.extracting(start..<ends[bucket])
  }

  @inline(__always)
  private func bucket(of key: UInt64) -> Int {
    IndexKey.bucket(ofHash: UInt32(truncatingIfNeeded: key >> 32), bits: bucketBits)
      & (bucketCount - 1)
  }
}

/// Puts buckets into groups, and remembers where each group begins.
private struct GroupWriter {
  let start: Int
  let stepCount: Int
  private(set) var bytes: [UInt8] = []
  private(set) var directory: [UInt8] = []
  /// The place in the section behind what was written.
  private(set) var end: Int
  private var group: [UInt8] = []
  private var ends: [UInt32] = []

  init(start: Int, stepCount: Int) {
    self.start = start
    self.stepCount = stepCount
    end = start
    directory.append(littleEndian: UInt32(0))
  }

  mutating func begin() {
    group = [UInt8](repeating: 0, count: IndexFormat.groupHeaderByteCount)
    ends.removeAll(keepingCapacity: true)
  }

  mutating func append(_ steps: Span<UInt32>) {
    IndexBits.append(steps, stepCount: stepCount, to: &group)
    ends.append(UInt32(group.count))
  }

  /// Ends the group: its ends, its checksum, and its place in the directory.
  mutating func close() {
    while group.count % IndexFormat.groupAlignment != 0 { group.append(0) }
    for (index, end) in ends.enumerated() {
      for byte in 0..<4 {
        group[8 + 4 * index + byte] = UInt8(truncatingIfNeeded: end >> UInt32(8 * byte))
      }
    }
    let checksum = Checksum.of(group[8...])
    for byte in 0..<8 { group[byte] = UInt8(truncatingIfNeeded: checksum >> UInt64(8 * byte)) }
    bytes += group
    end += group.count
    directory.append(littleEndian: UInt32((end - start) / IndexFormat.groupAlignment))
  }

  mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }
}
