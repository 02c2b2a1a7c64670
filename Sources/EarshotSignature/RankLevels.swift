import Glibc

/// Gives each cell of a query its rank among all that its half octave has shown so far, as a level.
///
/// The rank r, in (0, 1], is the share of values that are at least as high; the level is
/// floor(-2 log2 r), at most 15: each two levels are twice as rare. Levels are never revised.
struct RankLevels: ~Copyable {
  private static let cellCount = 512
  /// One cell of a histogram is a quarter of a decibel, the middle cell is 0 dB.
  private static let cellShift = Int16(AnalyzerSettings.unitsPerDecibel / 4).trailingZeroBitCount
  static let bandCount =
    (AnalyzerSettings.binCount + AnalyzerSettings.rankBandBinCount - 1)
    / AnalyzerSettings.rankBandBinCount

  private let counts: WipedBuffer<Int32>
  private let levelOfCell: WipedBuffer<UInt8>
  /// For each level from 1 on, the largest share that has it.
  private let shares: [Double]

  init() {
    counts = WipedBuffer(count: Self.bandCount * Self.cellCount)
    levelOfCell = WipedBuffer(count: Self.cellCount)
    shares = (1..<AnalyzerSettings.levelCount).map { exp2(-Double($0) / 2) }
  }

  /// Counts a whitened frame in, and writes its 369 levels to `levels`.
  mutating func rank(
    _ whitened: borrowing WipedBuffer<Int16>, into levels: UnsafeMutablePointer<UInt8>
  ) {
    let values = unsafe whitened.pointer
    let ranks = unsafe levelOfCell.pointer
    for band in 0..<Self.bandCount {
      let first = band * AnalyzerSettings.rankBandBinCount
      let end = min(first + AnalyzerSettings.rankBandBinCount, AnalyzerSettings.binCount)
      let counts = unsafe counts.pointer + band * Self.cellCount
      for bin in first..<end { unsafe counts[Self.cell(of: values[bin])] &+= 1 }
      unsafe fillLevels(from: counts)
      for bin in first..<end { unsafe levels[bin] = ranks[Self.cell(of: values[bin])] }
    }
  }

  @inline(__always)
  private static func cell(of value: Int16) -> Int {
    min(max(Int(value >> Int16(cellShift)) + cellCount / 2, 0), cellCount - 1)
  }

  /// The level of every cell of one histogram, walking down from the highest values.
  private mutating func fillLevels(from counts: UnsafeMutablePointer<Int32>) {
    var total = 0
    for cell in 0..<Self.cellCount { unsafe total += Int(counts[cell]) }
    let ranks = unsafe levelOfCell.pointer
    var level = shares.count
    var limit = Double(total) * shares[level - 1]
    var atLeast = 0
    for cell in stride(from: Self.cellCount - 1, through: 0, by: -1) {
      unsafe atLeast += Int(counts[cell])
      while level > 0, Double(atLeast) > limit {
        level -= 1
        limit = level > 0 ? Double(total) * shares[level - 1] : 0
      }
      unsafe ranks[cell] = UInt8(level)
    }
  }
}
