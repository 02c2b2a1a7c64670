import EarshotSignature

/// The query's highest peaks so far, as many as a reference would keep of the same time.
///
/// Of clean music a reference that is really there explains most of them, of music in noise few: so what
/// they leave unexplained says something only beside how high they are.
struct HighestPeaks: ~Copyable {
  /// Peaks a second that are taken, as of a reference.
  private static let peaksPerSecond = 90.0
  /// Frames at the end whose peaks may not all be known yet.
  private static let openFrameCount = 3

  /// The peaks, by frame and bin, as far as `count` goes.
  private let peaks: WipedBuffer<QueryPeak>
  private(set) var count = 0
  /// Their mean height in decibels; what is missing of their number counts as 0.
  private(set) var clarity = 0.0

  init(frameCapacity: Int) { peaks = WipedBuffer(count: Self.wantedCount(frameCapacity) + 1) }

  /// The peaks as memory, valid as long as this value.
  var pointer: UnsafePointer<QueryPeak> { unsafe UnsafePointer(peaks.pointer) }

  /// Takes the highest of the peaks in the first frames of the query, in place of what it has.
  ///
  /// Of equally high ones the earlier and lower come first, so that the choice is always the same.
  mutating func take(from all: Span<QueryPeak>, frameCount: Int) {
    forget()
    let end = frameCount - Self.openFrameCount
    let wanted = min(Self.wantedCount(end), peaks.count)
    guard wanted > 0 else { return }
    var known = 0
    while known < all.count, Int(all[known].frame) < end { known += 1 }
    func countOfHigher(than height: Int) -> Int {
      var higher = 0
      for index in 0..<known where Int(all[index].height) > height { higher += 1 }
      return higher
    }
    // The lowest height beyond which there are no more than are wanted.
    var (low, high) = (Int(Int16.min) - 1, Int(Int16.max))
    while low < high {
      let middle = (low + high) >> 1
      if countOfHigher(than: middle) <= wanted { high = middle } else { low = middle + 1 }
    }
    var equalCount = wanted - countOfHigher(than: high)
    var sum = 0
    for index in 0..<known {
      let height = Int(all[index].height)
      guard height > high || (height == high && equalCount > 0) else { continue }
      if height == high { equalCount -= 1 }
      unsafe peaks.pointer[count] = all[index]
      count += 1
      sum += height
    }
    clarity = Double(sum) / Double(wanted * AnalyzerSettings.unitsPerDecibel)
  }

  /// Forgets everything, for another query.
  mutating func forget() { (count, clarity) = (0, 0) }

  private static func wantedCount(_ frameCount: Int) -> Int {
    max(0, Int(Double(frameCount) / AnalyzerSettings.framesPerSecond * peaksPerSecond))
  }
}

/// Which of the query's highest peaks are explained by promised ones, whose frames never go back.
struct Explanation {
  private var isExplained: [Bool]
  private var first = 0

  /// How far off a promised peak may be.
  private static let reach = (frames: 2, bins: 1)

  /// Begins for so many peaks.
  init(count: Int) { isExplained = Array(repeating: false, count: count) }

  /// Notes a promised peak; `peaks` are the highest ones.
  mutating func promise(frame: Int, bin: Int, among peaks: UnsafePointer<QueryPeak>) {
    let count = isExplained.count
    while first < count, unsafe Int(peaks[first].frame) < frame - Self.reach.frames { first += 1 }
    var index = first
    while index < count, unsafe Int(peaks[index].frame) <= frame + Self.reach.frames {
      if unsafe abs(Int(peaks[index].bin) - bin) <= Self.reach.bins { isExplained[index] = true }
      index += 1
    }
  }

  /// The shares so far.
  func result(among highest: borrowing HighestPeaks) -> ExplainedPeaks {
    var (count, height, heightOfAll) = (0, 0, 0)
    for index in isExplained.indices {
      let own = unsafe Int(highest.pointer[index].height)
      heightOfAll += own
      guard isExplained[index] else { continue }
      count += 1
      height += own
    }
    return ExplainedPeaks(
      clarity: highest.clarity, share: Double(count) / Double(max(1, isExplained.count)),
      shareOfHeight: Double(height) / Double(max(1, heightOfAll)))
  }
}

/// How much of the query's highest peaks an alignment explains.
@_spi(Training) public struct ExplainedPeaks: Sendable, Hashable {
  /// The mean height of those peaks, in decibels over their surroundings.
  public var clarity = 0.0
  /// The share that is promised, within two frames and a bin.
  public var share = 0.0
  /// The same, each peak counted by its height.
  public var shareOfHeight = 0.0
}
