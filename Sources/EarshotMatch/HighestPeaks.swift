import EarshotSignature

/// The query's highest peaks so far, as many as a reference would keep of the same time.
///
/// Of clean music a reference that is really there explains most of them, of music in noise few: so what
/// they leave unexplained says something only beside how high they are.
struct HighestPeaks: Sendable {
  /// Peaks a second that are taken, as of a reference.
  private static let peaksPerSecond = 90.0
  /// Frames at the end whose peaks may not all be known yet.
  private static let openFrameCount = 3

  /// The peaks, by frame and bin.
  private var peaks: [QueryPeak] = []
  /// Their mean height in decibels; what is missing of their number counts as 0.
  private(set) var clarity = 0.0

  init() {}

  /// Takes the highest of the peaks in the first frames of the query.
  init(of all: Span<QueryPeak>, frameCount: Int) {
    let end = Int32(frameCount - Self.openFrameCount)
    let seconds = Double(end) / AnalyzerSettings.framesPerSecond
    let wanted = Int(seconds * Self.peaksPerSecond)
    guard wanted > 0 else { return }
    var candidates: [QueryPeak] = []
    for index in all.indices where all[index].frame < end { candidates.append(all[index]) }
    // Ties are broken by place, so that the choice is always the same.
    candidates.sort { ($1.height, $0.frame, $0.bin) < ($0.height, $1.frame, $1.bin) }
    let sum = candidates.prefix(wanted).reduce(0) { $0 + Int($1.height) }
    clarity = Double(sum) / Double(wanted * AnalyzerSettings.unitsPerDecibel)
    peaks = candidates.prefix(wanted).sorted { ($0.frame, $0.bin) < ($1.frame, $1.bin) }
  }

  /// Begins to note which of them an alignment explains.
  func explanation() -> Explanation { Explanation(of: self) }

  /// Which of the peaks are explained by promised ones, whose frames never go back.
  struct Explanation {
    private let highest: HighestPeaks
    private var isExplained: [Bool]
    private var first = 0

    /// How far off a promised peak may be.
    private static let reach = (frames: 2, bins: 1)

    fileprivate init(of highest: HighestPeaks) {
      self.highest = highest
      isExplained = Array(repeating: false, count: highest.peaks.count)
    }

    /// Notes a promised peak.
    mutating func promise(frame: Int, bin: Int) {
      let peaks = highest.peaks
      while first < peaks.count, Int(peaks[first].frame) < frame - Self.reach.frames { first += 1 }
      var index = first
      while index < peaks.count, Int(peaks[index].frame) <= frame + Self.reach.frames {
        if abs(Int(peaks[index].bin) - bin) <= Self.reach.bins { isExplained[index] = true }
        index += 1
      }
    }

    /// The shares so far.
    var result: ExplainedPeaks {
      var result = ExplainedPeaks()
      result.clarity = highest.clarity
      var (count, height, heightOfAll) = (0, 0, 0)
      for (index, peak) in highest.peaks.enumerated() {
        heightOfAll += Int(peak.height)
        guard isExplained[index] else { continue }
        count += 1
        height += Int(peak.height)
      }
      result.share = Double(count) / Double(max(1, highest.peaks.count))
      result.shareOfHeight = Double(height) / Double(max(1, heightOfAll))
      return result
    }
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
