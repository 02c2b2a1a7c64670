internal import EarshotSignature

/// The peaks of one signature in the order of frames, for comparing places.
struct PassagePeaks {
  let frameCount: Int
  private(set) var frames: [Int32] = []
  private(set) var bins: [Int16] = []
  /// For each block of frames, its first peak; one more at the end.
  private(set) var blockStarts: [Int32] = []

  /// Frames in a block: half a second.
  static let framesPerBlock = 32

  init(frameCount: Int) { self.frameCount = frameCount }

  mutating func take(_ words: Span<UInt16>) {
    PackedPeak.forEach(in: words) { frame, peak in
      while blockStarts.count * Self.framesPerBlock <= frame {
        blockStarts.append(Int32(frames.count))
      }
      frames.append(Int32(truncatingIfNeeded: frame))
      bins.append(Int16(truncatingIfNeeded: peak.bin))
    }
    let blockCount = (frameCount + Self.framesPerBlock - 1) / Self.framesPerBlock
    while blockStarts.count <= blockCount { blockStarts.append(Int32(frames.count)) }
  }

  /// The first peak at or after a frame.
  func index(atFrame frame: Int) -> Int {
    let block = min(max(0, frame / Self.framesPerBlock), blockStarts.count - 1)
    var index = Int(blockStarts[block])
    while index < frames.count, frames[index] < frame { index += 1 }
    return index
  }
}

/// Tells how far the same sound reaches around two places.
struct PassageComparison {
  private let first: PassagePeaks
  private let second: PassagePeaks

  /// What two places share: where in the first, how much further in the second, how much of it.
  struct Stretch {
    var range: Range<Int>
    var distance: Int
    var likeness: Int
  }

  /// The share of peaks that two places have in common where they hold the same sound: of a block,
  /// with its neighbours, and of the whole stretch. Chance gives 0.04, the same scale on the same
  /// instruments up to 0.15; another coding 0.6 and more, and a loop under another voice 0.3.
  private static let shareMin = (block: 0.22, stretch: 0.3)
  /// Peaks without which a block says nothing.
  private static let blockPeakCountMin = 8
  /// Frames and bins by which a peak may differ.
  private static let tolerance = (frames: Int32(1), bins: Int16(1))
  /// A passage is as long as this, in frames: 2 s. Shorter ones hold nobody up.
  static let frameCountMin = 125

  init(_ first: PassagePeaks, _ second: PassagePeaks) {
    self.first = first
    self.second = second
  }

  /// The stretch around `range` of the first, whose sound is `distance` frames further in the
  /// second; nil when they share too little, or too short a stretch.
  func stretch(around range: Range<Int>, distance: Int) -> Stretch? {
    // A part of a frame apart two distances fit: the one that fits exactly more often.
    let best = (-2...2).map { step in
      (
        distance: distance + step,
        count: counts(in: range, distance: distance + step, frames: 0).hits
      )
    }.max { $0.count < $1.count }
    guard let best else { return nil }
    let size = PassagePeaks.framesPerBlock
    var blocks: [Int: (peaks: Int, hits: Int)] = [:]
    func count(_ block: Int) -> (peaks: Int, hits: Int) {
      if let known = blocks[block] { return known }
      let found = counts(in: (block * size)..<((block + 1) * size), distance: best.distance)
      blocks[block] = found
      return found
    }
    func isShared(_ block: Int) -> Bool {
      let (before, here, after) = (count(block - 1), count(block), count(block + 1))
      let peaks = here.peaks + (before.peaks + after.peaks) / 2
      let hits = here.hits + (before.hits + after.hits) / 2
      return peaks >= Self.blockPeakCountMin
        && Double(hits) >= Self.shareMin.block * Double(peaks)
    }
    guard let core = (range.lowerBound / size...range.upperBound / size).first(where: isShared)
    else { return nil }
    var (low, high) = (core, core)
    while low > 0, isShared(low - 1) { low -= 1 }
    while (high + 1) * size < first.frameCount, isShared(high + 1) { high += 1 }
    // A block at an end counts only as far as it holds the same sound itself.
    while low < high, !isSharedAlone(count(low)) { low += 1 }
    while high > low, !isSharedAlone(count(high)) { high -= 1 }
    let lower = max(low * size, -best.distance, 0)
    let upper = min((high + 1) * size, first.frameCount, second.frameCount - best.distance)
    guard upper - lower >= Self.frameCountMin else { return nil }
    let whole = counts(in: lower..<upper, distance: best.distance)
    let share = Double(whole.hits) / Double(max(1, whole.peaks))
    guard share >= Self.shareMin.stretch else { return nil }
    return Stretch(
      range: lower..<upper, distance: best.distance,
      likeness: min(1000, max(1, Int((share * 1000).rounded()))))
  }

  private func isSharedAlone(_ count: (peaks: Int, hits: Int)) -> Bool {
    Double(count.hits) >= Self.shareMin.block * Double(max(1, count.peaks))
  }

  /// Peaks of the first in `range`, and those of them that the second has too.
  private func counts(
    in range: Range<Int>, distance: Int, frames: Int32 = PassageComparison.tolerance.frames
  ) -> (peaks: Int, hits: Int) {
    let from = max(range.lowerBound, 0, -distance)
    let to = min(range.upperBound, first.frameCount, second.frameCount - distance)
    guard from < to else { return (0, 0) }
    var (peaks, hits) = (0, 0)
    var low = second.index(atFrame: from + distance - Int(frames))
    var index = first.index(atFrame: from)
    while index < first.frames.count, first.frames[index] < to {
      let frame = first.frames[index] &+ Int32(truncatingIfNeeded: distance)
      let bin = first.bins[index]
      while low < second.frames.count, second.frames[low] < frame - frames {
        low += 1
      }
      var other = low
      while other < second.frames.count, second.frames[other] <= frame + frames {
        if abs(second.bins[other] - bin) <= Self.tolerance.bins {
          hits += 1
          break
        }
        other += 1
      }
      peaks += 1
      index += 1
    }
    return (peaks, hits)
  }
}
