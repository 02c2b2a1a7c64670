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
/// Keys are made several times over rather than kept: once to count them, then for as many buckets
/// as fit the memory at a time. Signatures are gone through in order, so each bucket's steps come
/// out rising and nothing is sorted.
struct IndexBuilder {
  /// Steps that are held at a time, 4 bytes each.
  var stepCountMax = 1 << 27
  /// Steps of one segment.
  var segmentStepCountMax = IndexTimeline.stepCountMax

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
    var counts = [UInt32](repeating: 0, count: 1 << record.bucketBits)
    let shift = UInt32(32 - record.bucketBits)
    try forEachKey(of: timeline, source, seeks: &seeks) { _, hash in
      counts[Int(hash >> shift)] &+= 1
    }
    let most = IndexFormat.bucketStepCountMax(stepCount: timeline.stepCount)
    for index in counts.indices where counts[index] > most { counts[index] = 0 }
    record.keyCount = counts.reduce(0) { $0 + Int($1) }

    var writer = GroupWriter(start: written, stepCount: timeline.stepCount)
    var first = 0
    while first < counts.count {
      let buckets = first..<end(of: counts, from: first)
      try fill(
        buckets, of: timeline, source, counts: counts, shift: shift, into: &writer, write: write)
      first = buckets.upperBound
    }
    record.groups = written..<writer.end
    written = writer.end
    let directory = writer.directory
    record.directoryChecksum = Checksum.of(directory)
    record.directory = try append(directory, written: &written, write: write)
    record.seekChecksum = Checksum.of(seeks)
    record.seeks = try append(seeks, written: &written, write: write)
  }

  /// As many whole groups as fit the memory.
  private func end(of counts: [UInt32], from first: Int) -> Int {
    var end = first
    var stepCount = 0
    while end < counts.count {
      var group = 0
      for bucket in end..<(end + IndexFormat.bucketsPerGroup) { group += Int(counts[bucket]) }
      if end > first, stepCount + group > stepCountMax { break }
      stepCount += group
      end += IndexFormat.bucketsPerGroup
    }
    return end
  }

  private func fill(
    _ buckets: Range<Int>, of timeline: IndexTimeline, _ source: some IndexSource,
    counts: [UInt32], shift: UInt32, into writer: inout GroupWriter,
    write: ([UInt8]) throws(CatalogError) -> Void
  ) throws(CatalogError) {
    var ends: [Int32] = []
    ends.reserveCapacity(buckets.count + 1)
    var end: Int32 = 0
    for bucket in buckets {
      ends.append(end)
      end += Int32(counts[bucket])
    }
    ends.append(end)
    var next = ends
    var steps = [UInt32](repeating: 0, count: Int(end))
    try forEachKey(of: timeline, source) { step, hash in
      let bucket = Int(hash >> shift)
      guard buckets.contains(bucket), counts[bucket] > 0 else { return }
      let index = bucket - buckets.lowerBound
      steps[Int(next[index])] = UInt32(truncatingIfNeeded: step)
      next[index] &+= 1
    }
    for group in stride(from: 0, to: buckets.count, by: IndexFormat.bucketsPerGroup) {
      writer.begin()
      for index in group..<(group + IndexFormat.bucketsPerGroup) {
        writer.append(steps.span.extracting(Int(ends[index])..<Int(ends[index + 1])))
      }
      writer.close()
      if writer.bytes.count >= 1 << 20 { try write(writer.take()) }
    }
    try write(writer.take())
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
