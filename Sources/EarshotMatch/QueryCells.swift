import EarshotSignature

/// The query's cells: each level together with the context that says how surprising it is.
///
/// A cell has its level in bits 0 to 3, how busy its bin has been in bits 4 and 5, what the bin held
/// about 100 ms before in bits 6 and 7, how far the nearest ridge is in bits 8 and 9, and whether the
/// bin is higher shortly before (bit 10) and shortly after (bit 11). What a bin does all the time is
/// no evidence for any particular place, and what is strong without being a peak is little; the tables
/// say so by context and shape.
struct QueryCells: ~Copyable {
  /// Frames taken over from the analyzer.
  private(set) var frameCount = 0
  /// The most frames that fit.
  let frameCapacity: Int

  private let cells: WipedBuffer<UInt16>
  private let levelSums: WipedBuffer<Int32>

  private static let binCount = AnalyzerSettings.binCount
  /// Frames over which a bin's busyness is averaged: 4 s.
  private static let busyFrameCount = 250
  /// Frames of the usual level that every average begins with.
  private static let priorFrameCount = 60
  /// The usual level, in hundredths.
  private static let usualLevelHundredths = 195
  /// Excess over the usual level, in hundredths, at which the next busyness begins.
  private static let busySteps = (25, 80, 180)
  /// Frames before the present one that count as 'before'.
  private static let before = (oldest: 12, newest: 5)

  /// Frames to each side over which a cell is compared with its own bin.
  private static let shapeReach = 3

  /// The bits of a cell's level in the byte that the analyzer gives.
  private static let levelMask: UInt8 = 15
  /// The values that a cell can have.
  static let valueCount = 4096
  /// Those of its level and context alone.
  static let contextValueCount = 256
  /// The shapes: four distances from a ridge, higher before or not, higher after or not.
  static let shapeCount = 16

  /// Whether a cell's bin was strong 100 ms before already.
  @inline(__always)
  static func isSustained(_ cell: UInt16) -> Bool { cell >> 6 & 3 == 2 }

  init(frameCapacity: Int) {
    self.frameCapacity = frameCapacity
    cells = WipedBuffer(count: frameCapacity * Self.binCount)
    levelSums = WipedBuffer(count: Self.binCount)
  }

  /// The cells as memory, 369 a frame, valid as long as this value.
  var pointer: UnsafePointer<UInt16> { unsafe UnsafePointer(cells.pointer) }

  /// Takes over the analyzer's frames up to `frameCountMax` in all.
  mutating func take(from levels: Span<UInt8>, upTo frameCountMax: Int) {
    let end = min(frameCountMax, frameCapacity)
    unsafe levels.withUnsafeBufferPointer { levels in
      precondition(levels.count >= end * Self.binCount, "the analyzer has these frames")
      guard let base = levels.baseAddress else { return }
      let start = frameCount
      while frameCount < end {
        unsafe fillFrame(frameCount, from: base)
        frameCount += 1
      }
      // Frames that came last before have only now got frames after them.
      for frame in max(0, start - Self.shapeReach)..<end {
        unsafe setTimeShape(frame, from: base)
      }
    }
  }

  /// Forgets everything, for another query.
  mutating func reset() {
    frameCount = 0
    unsafe levelSums.pointer.update(repeating: 0, count: levelSums.count)
  }

  private func fillFrame(_ frame: Int, from levels: UnsafePointer<UInt8>) {
    let row = unsafe levels + frame * Self.binCount
    let target = unsafe cells.pointer + frame * Self.binCount
    let sums = unsafe levelSums.pointer
    for bin in 0..<Self.binCount { unsafe sums[bin] &+= Int32(row[bin] & Self.levelMask) }
    if frame >= Self.busyFrameCount {
      let old = unsafe row - Self.busyFrameCount * Self.binCount
      for bin in 0..<Self.binCount { unsafe sums[bin] &-= Int32(old[bin] & Self.levelMask) }
    }
    let heard = min(frame + 1, Self.busyFrameCount)
    let divisor = heard + Self.priorFrameCount
    // A sum s stands for an excess of (100 s + 60 * 195) / divisor - 195 hundredths.
    func threshold(_ excess: Int) -> Int32 {
      let hundredths = (excess + Self.usualLevelHundredths) * divisor
      return Int32(
        (hundredths - Self.priorFrameCount * Self.usualLevelHundredths + 99) / 100)
    }
    let (first, second, third) = (
      threshold(Self.busySteps.0), threshold(Self.busySteps.1), threshold(Self.busySteps.2)
    )
    for bin in 0..<Self.binCount {
      let sum = unsafe sums[bin]
      let busy: UInt16 =
        (sum >= first ? 16 : 0) &+ (sum >= second ? 16 : 0) &+ (sum >= third ? 16 : 0)
      let byte = unsafe UInt16(row[bin])
      // The level stays where it is; the distance goes from bit 4 to bit 8.
      unsafe target[bin] = (byte & 15) | busy | (byte >> 4) << 8
    }
    unsafe addBefore(frame, row: row, target: target)
  }

  /// Sets bits 6 and 7: 3 when there is no 'before' yet, else 0 below level 4, 1 below 7, 2.
  private func addBefore(
    _ frame: Int, row: UnsafePointer<UInt8>, target: UnsafeMutablePointer<UInt16>
  ) {
    guard frame >= Self.before.newest else {
      for bin in 0..<Self.binCount { unsafe target[bin] |= 3 << 6 }
      return
    }
    let oldest = min(frame, Self.before.oldest)
    for bin in 0..<Self.binCount {
      var highest: UInt8 = 0
      for step in Self.before.newest...oldest {
        highest = unsafe max(highest, row[bin - step * Self.binCount] & Self.levelMask)
      }
      let before: UInt16 = (highest >= 4 ? 64 : 0) &+ (highest >= 7 ? 64 : 0)
      unsafe target[bin] |= before
    }
  }

  /// Sets bits 10 and 11: whether one of the three frames before, or after, is higher. A frame that is
  /// not there is not higher.
  private func setTimeShape(_ frame: Int, from levels: UnsafePointer<UInt8>) {
    let row = unsafe levels + frame * Self.binCount
    let target = unsafe cells.pointer + frame * Self.binCount
    let first = max(0, frame - Self.shapeReach)
    let last = min(frameCount - 1, frame + Self.shapeReach)
    for bin in 0..<Self.binCount { unsafe target[bin] &= 0x3ff }
    for other in first...last where other != frame {
      let otherRow = unsafe levels + other * Self.binCount
      let bit: UInt16 = other < frame ? 1 << 10 : 1 << 11
      for bin in 0..<Self.binCount {
        let isHigher = unsafe (otherRow[bin] & Self.levelMask) > (row[bin] & Self.levelMask)
        unsafe target[bin] |= isHigher ? bit : 0
      }
    }
  }
}
