internal import EarshotSignature

/// The keys by which the index of a large catalog finds places: triples of strong peaks.
///
/// A key is made of the bins of three peaks and of the times from the first of them, the anchor, to
/// the two others. In a reference only peaks of the strongest quarter take part, and of those the
/// anchor and two of the first four after it, within a quarter of a second and three bins or more
/// apart. A steady tone makes no key. Bins are taken as they are: of the peaks that survive noise,
/// nine in ten stay in their bin. Times are taken in cells of six frames.
package enum IndexKey {
  /// The least strength of a peak that takes part.
  package static let strengthMin = 3
  /// Peaks after the anchor that are paired.
  static let targetCount = 4
  /// The most frames from the anchor to another peak.
  package static let reachFrameCount = 16
  /// The least distance between two of the three, in bins.
  package static let binDistanceMin = 3
  /// Frames in a cell of time.
  package static let framesPerTimeCell = 6
  /// Frames in a step, the unit in which places are kept.
  package static let framesPerStep = 2

  /// A hash of all numbers that an index depends on: another way to make keys needs another index.
  static let digest: UInt64 = {
    let numbers = [
      2, strengthMin, targetCount, reachFrameCount, binDistanceMin, framesPerTimeCell,
      framesPerStep, IndexTimeline.leadStepCount, IndexTimeline.trailStepCount,
    ]
    var bytes: [UInt8] = []
    for number in numbers { bytes.append(littleEndian: UInt64(number)) }
    return Checksum.of(bytes)
  }()

  /// One of the two peaks after the anchor.
  package struct Target: Sendable {
    package var bin: Int
    package var timeCell: Int

    @inline(__always)
    package init(bin: Int, timeCell: Int) {
      self.bin = bin
      self.timeCell = timeCell
    }
  }

  /// The hash of a key. The order of the targets is of no account, so that peaks which change
  /// places within a few milliseconds still make the same key.
  ///
  /// The lowest four bits are those of the anchor's bin, and all above them depend on the intervals,
  /// the times and which sixteen bins the anchor is one of. So keys that differ by a few bins of pitch
  /// lie in one group of buckets, or in two, and other speeds are looked up by the same reads.
  @inline(__always)
  package static func hash(anchor: Int, _ one: Target, _ other: Target) -> UInt32 {
    let slot = UInt32(truncatingIfNeeded: anchor) & (1 << UInt32(anchorBits) - 1)
    return shape(anchor: anchor, one, other).hash(anchorGroup: anchor >> anchorBits) | slot
  }

  /// What a key's hash depends on besides its anchor's bin: the same for all shifts of pitch.
  package struct Shape: Sendable {
    fileprivate var word: UInt64

    /// The hash without its lowest bits, for anchors of one group of bins.
    @inline(__always)
    package func hash(anchorGroup: Int) -> UInt32 {
      var word = word | UInt64(truncatingIfNeeded: anchorGroup) << 24
      word = (word ^ word >> 13) &* 0x9e37_79b9_7f4a_7c15
      word = (word ^ word >> 32) &* 0xd6e8_feb8_6659_fd93
      return UInt32(truncatingIfNeeded: word >> 32) & ~(1 << UInt32(anchorBits) - 1)
    }
  }

  /// The intervals and times of a key.
  @inline(__always)
  package static func shape(anchor: Int, _ one: Target, _ other: Target) -> Shape {
    let (low, high) = one.bin < other.bin ? (one, other) : (other, one)
    var word = UInt64(truncatingIfNeeded: low.bin &- anchor &+ 512)
    word = word << 10 | UInt64(truncatingIfNeeded: high.bin &- anchor &+ 512)
    word = word << 2 | UInt64(truncatingIfNeeded: low.timeCell)
    word = word << 2 | UInt64(truncatingIfNeeded: high.timeCell)
    return Shape(word: word)
  }

  /// Bits of the anchor's bin that name the bucket in its group.
  package static let anchorBits = IndexFormat.bucketsPerGroupBits

  /// The bucket that a hash names, of 2 to the power of `bits`: its highest bits name the group, its
  /// lowest the bucket in it.
  @inline(__always)
  package static func bucket(ofHash hash: UInt32, bits: Int) -> Int {
    let group = hash >> UInt32(32 - (bits - anchorBits))
    return Int(group) << anchorBits | Int(hash & (1 << UInt32(anchorBits) - 1))
  }

  /// A hash that names a bucket.
  package static func hash(ofBucket bucket: Int, bits: Int) -> UInt32 {
    let slot = UInt32(truncatingIfNeeded: bucket) & (1 << UInt32(anchorBits) - 1)
    return UInt32(truncatingIfNeeded: bucket >> anchorBits) << UInt32(32 - (bits - anchorBits))
      | slot
  }
}

/// The strong peaks of one signature, and the keys that they make.
struct IndexedPeaks {
  private var frames: [Int32] = []
  private var bins: [Int32] = []

  /// Takes a signature's strong peaks in place of those before.
  mutating func take(_ words: Span<UInt16>) {
    frames.removeAll(keepingCapacity: true)
    bins.removeAll(keepingCapacity: true)
    var frame: Int32 = 0
    for index in words.indices {
      let peak = PackedPeak(word: words[index])
      frame &+= Int32(truncatingIfNeeded: peak.frameStep)
      if peak.isEscape || peak.peakClass & 3 < IndexKey.strengthMin { continue }
      frames.append(frame)
      bins.append(Int32(truncatingIfNeeded: peak.bin))
    }
  }

  /// Calls `body` with the anchor's frame and the hash of every key.
  @inline(__always)
  func forEachKey(_ body: (_ frame: Int, _ hash: UInt32) -> Void) {
    let distance = Int32(IndexKey.binDistanceMin)
    unsafe frames.withUnsafeBufferPointer { frames in
      unsafe bins.withUnsafeBufferPointer { bins in
        for anchor in frames.indices {
          let (frame, bin) = unsafe (frames[anchor], bins[anchor])
          var targets: [4 of IndexKey.Target] = .init(repeating: .init(bin: 0, timeCell: 0))
          var count = 0
          var next = anchor + 1
          while next < frames.count, count < IndexKey.targetCount {
            let (time, other) = unsafe (frames[next] &- frame, bins[next])
            next += 1
            if time > IndexKey.reachFrameCount { break }
            if time < 1 || abs(other &- bin) < distance { continue }
            targets[count] = IndexKey.Target(
              bin: Int(other), timeCell: Int(time) / IndexKey.framesPerTimeCell)
            count += 1
          }
          for one in 0..<count {
            for other in (one + 1)..<max(count, one + 1)
            where abs(targets[one].bin - targets[other].bin) >= Int(distance) {
              body(Int(frame), IndexKey.hash(anchor: Int(bin), targets[one], targets[other]))
            }
          }
        }
      }
    }
  }
}
