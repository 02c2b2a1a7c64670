internal import EarshotCatalog
internal import EarshotSignature

/// The query's strong peaks, and the keys that they make.
///
/// A reference's keys are made of the highest quarter of its peaks. Noise pushes some of them down in
/// the query's order, so the highest half takes part here; and all pairs after an anchor do, not the
/// first few, because the query may hold peaks that the reference doesn't, and the other way round.
struct GatePeaks: ~Copyable {
  /// Frames of the query that have been looked at.
  private(set) var frameCount = 0
  /// Peaks that were chosen.
  private(set) var count = 0
  private let chosen: WipedBuffer<QueryPeak>
  /// Peaks of the analyzer that have been looked at.
  private var takenCount = 0

  /// Frames from which the highest are chosen, at most; as in a reference.
  private static let framesPerBlock = 32
  /// Peaks that are chosen of a whole block: half of what a reference has.
  private static let peaksPerBlock = 23
  /// Frames by which noise moves a peak's time, in halves: 1.5 frames.
  private static let timeErrorHalves = 3

  init(frameCapacity: Int) {
    let blocks = frameCapacity / Self.framesPerBlock + 1
    chosen = WipedBuffer(count: 2 * blocks * Self.peaksPerBlock)
  }

  /// The frame of a chosen peak.
  @inline(__always)
  func frame(_ index: Int) -> Int { Int(unsafe chosen.pointer[index].frame) }

  /// Chooses among the peaks of further frames, up to `end`.
  mutating func take(from peaks: Span<QueryPeak>, upTo end: Int) {
    while frameCount < end {
      let block = frameCount..<min(end, frameCount + Self.framesPerBlock)
      var candidates: [QueryPeak] = []
      while takenCount < peaks.count, peaks[takenCount].frame < block.upperBound {
        candidates.append(peaks[takenCount])
        takenCount += 1
      }
      // Ties are broken by place, so that the choice is always the same.
      candidates.sort { ($1.height, $0.frame, $0.bin) < ($0.height, $1.frame, $1.bin) }
      let wanted =
        (Self.peaksPerBlock * block.count + Self.framesPerBlock / 2) / Self.framesPerBlock
      if candidates.count > wanted { candidates.removeLast(candidates.count - wanted) }
      candidates.sort { ($0.frame, $0.bin) < ($1.frame, $1.bin) }
      for candidate in candidates where count < chosen.count {
        unsafe chosen.pointer[count] = candidate
        count += 1
      }
      frameCount = block.upperBound
    }
  }

  /// Calls `body` with the hash, the anchor and the number of the shift of every key whose last peak
  /// is one of `peaks`, as a reference would have them that sounds as many bins lower as each of `shifts`.
  @inline(__always)
  func forEachKey(
    endingIn peaks: Range<Int>, shifts: [(pass: Int, bins: Int)],
    _ body: (_ hash: UInt32, _ anchor: Int, _ pass: Int) -> Void
  ) {
    let all = unsafe chosen.pointer
    let reach = Int32(IndexKey.reachFrameCount + 1)
    let distance = Int16(IndexKey.binDistanceMin)
    for last in peaks {
      let end = unsafe all[last]
      var anchor = last
      while anchor > 0 {
        anchor -= 1
        let first = unsafe all[anchor]
        let endTime = end.frame &- first.frame
        if endTime > reach { break }
        guard endTime > 0, abs(end.bin &- first.bin) >= distance else { continue }
        for middle in (anchor + 1)..<max(last, anchor + 1) {
          let peak = unsafe all[middle]
          let time = peak.frame &- first.frame
          guard time > 0, abs(peak.bin &- first.bin) >= distance,
            abs(peak.bin &- end.bin) >= distance
          else { continue }
          let bins = (Int(first.bin), Int(peak.bin), Int(end.bin))
          for one in cells(Int(time)) {
            for other in cells(Int(endTime)) {
              let shape = IndexKey.shape(
                anchor: bins.0, .init(bin: bins.1, timeCell: one),
                .init(bin: bins.2, timeCell: other))
              Self.forEachShift(shape, bins: bins, shifts: shifts) { body($0, anchor, $1) }
            }
          }
        }
      }
    }
  }

  /// Calls `body` with the hash of a shape at each shift that leaves all three bins on the axis.
  @inline(__always)
  private static func forEachShift(
    _ shape: IndexKey.Shape, bins: (Int, Int, Int), shifts: [(pass: Int, bins: Int)],
    _ body: (_ hash: UInt32, _ pass: Int) -> Void
  ) {
    let low = min(bins.0, bins.1, bins.2)
    let high = max(bins.0, bins.1, bins.2)
    var known = (group: -1, hash: UInt32(0))
    for shift in shifts where low >= shift.bins && high - shift.bins < AnalyzerSettings.binCount {
      let anchor = bins.0 - shift.bins
      // Most shifts leave the anchor in the same group of bins.
      if anchor >> IndexKey.anchorBits != known.group {
        known.group = anchor >> IndexKey.anchorBits
        known.hash = shape.hash(anchorGroup: known.group)
      }
      let slot = UInt32(truncatingIfNeeded: anchor) & (1 << UInt32(IndexKey.anchorBits) - 1)
      body(known.hash | slot, shift.pass)
    }
  }

  /// The cells in which a reference may hold a time.
  @inline(__always)
  private func cells(_ time: Int) -> ClosedRange<Int> {
    let width = 2 * IndexKey.framesPerTimeCell
    let last = IndexKey.reachFrameCount / IndexKey.framesPerTimeCell
    let low = max(0, 2 * time - Self.timeErrorHalves) / width
    return min(low, last)...min((2 * time + Self.timeErrorHalves) / width, last)
  }
}

/// Sorts what hashes are looked up for, so that the index is read from its beginning to its end.
enum GateSort {
  /// Sorts by the upper 32 bits; equal ones keep their order.
  static func byUpperHalf(_ words: inout [UInt64]) {
    var other = [UInt64](repeating: 0, count: words.count)
    for shift: UInt64 in [32, 43, 54] {
      var starts = [Int](repeating: 0, count: 2049)
      for word in words { starts[Int(word >> shift & 2047) + 1] += 1 }
      for index in 1..<2049 { starts[index] += starts[index - 1] }
      for word in words {
        let digit = Int(word >> shift & 2047)
        other[starts[digit]] = word
        starts[digit] += 1
      }
      swap(&words, &other)
    }
  }
}
