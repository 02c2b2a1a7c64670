/// The numbers of the index section. `Catalogs/FORMAT.md` draws the bytes.
enum IndexFormat {
  static let version: UInt32 = 1
  static let trailerByteCount = 64
  static let segmentRecordByteCount = 96
  /// Buckets in a group, which has one checksum.
  static let bucketsPerGroup = 16
  static let bucketsPerGroupBits = 4
  /// A group begins with its checksum and the ends of its buckets.
  static let groupHeaderByteCount = 8 + 4 * bucketsPerGroup
  /// Groups begin at multiples of this.
  static let groupAlignment = 8
  /// The most bytes of a group. A writer makes at most a third of it.
  static let groupByteCountMax = 1 << 20
  /// Bits of a key's hash that name its bucket, at least and at most.
  static let bucketBits = bucketsPerGroupBits...28
  /// Keys that a bucket holds on average, about; from half to twice as many.
  static let keysPerBucket = 16
  /// Frames from one place of a signature's seek table to the next.
  static let framesPerSeek = 512
  static let seekByteCount = 8

  /// Bits that give buckets their mean size, for so many peaks.
  static func bucketBits(peakCount: Int) -> Int {
    let buckets = max(1, peakCount / keysPerBucket)
    let bits = Int.bitWidth - 1 - buckets.leadingZeroBitCount
    return min(max(bits, bucketBits.lowerBound), bucketBits.upperBound)
  }

  /// The most steps of one bucket that are kept: a key that comes more often than once an hour names
  /// no place, and what it would cost grows with the square of the hours.
  static func bucketStepCountMax(stepCount: Int) -> Int {
    max(256, stepCount / stepsPerHour)
  }

  private static let stepsPerHour = 112_500

  static func seekCount(ofFrames frameCount: Int) -> Int {
    (frameCount + framesPerSeek - 1) / framesPerSeek
  }
}

/// Where one segment of the index lies, and what it covers.
struct IndexSegmentRecord: Sendable, Hashable {
  var firstSignature: Int
  var signatureCount: Int
  var stepCount: Int
  var bucketBits: Int
  /// Places in the section.
  var groups: Range<Int>
  var directory: Range<Int>
  var seeks: Range<Int>
  var directoryChecksum: UInt64
  var seekChecksum: UInt64
  var keyCount: Int

  var groupCount: Int { 1 << (bucketBits - IndexFormat.bucketsPerGroupBits) }

  func append(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: UInt32(firstSignature))
    bytes.append(littleEndian: UInt32(signatureCount))
    bytes.append(littleEndian: UInt32(stepCount))
    bytes.append(littleEndian: UInt32(bucketBits))
    for range in [groups, directory, seeks] {
      bytes.append(littleEndian: UInt64(range.lowerBound))
      bytes.append(littleEndian: UInt64(range.count))
    }
    bytes.append(littleEndian: directoryChecksum)
    bytes.append(littleEndian: seekChecksum)
    bytes.append(littleEndian: UInt64(keyCount))
    bytes.append(littleEndian: UInt64(0))
  }

  /// Reads a record; nil when a number in it can't be.
  init?(_ reader: ByteReader, at place: Int, dataByteCount: Int) throws(CatalogError) {
    let part = CatalogPart.section(.index)
    firstSignature = Int(try reader.uint32(place))
    signatureCount = Int(try reader.uint32(place + 4))
    stepCount = Int(try reader.uint32(place + 8))
    bucketBits = Int(try reader.uint32(place + 12))
    var ranges: [Range<Int>] = []
    for index in 0..<3 {
      let start = try reader.size(place + 16 + 16 * index, part: part)
      let count = try reader.size(place + 24 + 16 * index, part: part)
      guard start <= dataByteCount, count <= dataByteCount - start, start.isMultiple(of: 8) else {
        return nil
      }
      ranges.append(start..<(start + count))
    }
    (groups, directory, seeks) = (ranges[0], ranges[1], ranges[2])
    directoryChecksum = try reader.uint64(place + 64)
    seekChecksum = try reader.uint64(place + 72)
    keyCount = try reader.size(place + 80, part: part)
    guard IndexFormat.bucketBits.contains(bucketBits), try reader.uint64(place + 88) == 0 else {
      return nil
    }
    guard directory.count == 4 * (groupCount + 1),
      groups.count.isMultiple(of: IndexFormat.groupAlignment)
    else { return nil }
  }

  init(timeline: IndexTimeline, bucketBits: Int) {
    firstSignature = timeline.signatures.lowerBound
    signatureCount = timeline.signatures.count
    stepCount = timeline.stepCount
    self.bucketBits = bucketBits
    (groups, directory, seeks) = (0..<0, 0..<0, 0..<0)
    (directoryChecksum, seekChecksum, keyCount) = (0, 0, 0)
  }
}
