/// Looks for what makes a readable caption file hard to read.
///
/// The thresholds are those in wide use by broadcasters and streaming services: 20 characters a
/// second, five sixths of a second at least, seven at most, two frames of gap, two lines of 42.
public struct CaptionCheck: Sendable, Hashable {
  /// Most characters to be read in a second; a wide character counts as two.
  public var charactersPerSecondMax = 20.0
  /// Shortest time on the screen, in seconds.
  public var secondsMin = 5.0 / 6
  /// Longest time on the screen, in seconds.
  public var secondsMax = 7.0
  /// Shortest gap between two cues that is seen as one, in seconds; no gap at all is right too.
  public var gapSecondsMin = 2.0 / 24
  /// Widest line, in columns.
  public var columnsMax = 42
  /// Most lines in a cue.
  public var linesMax = 2

  /// A check with the usual thresholds.
  public init() {}

  /// All that is wrong in a track: what its parser found and what this check finds, by line.
  ///
  /// At most twice `CaptionLimits.faults` are listed; the rest is counted.
  public func faults(in track: CaptionTrack) -> [CaptionFault] {
    var found: [CaptionFault] = []
    var unlistedCount = 0
    func report(_ kind: CaptionFault.Kind, _ cue: Cue) {
      if found.count < CaptionLimits.faults {
        found.append(CaptionFault(line: cue.line, kind: kind, severity: .warning))
      } else {
        unlistedCount += 1
      }
    }
    var latestEnd: CueTime?
    var latestOrder = -1
    for cue in track.cues {
      let seconds = cue.end.seconds - cue.start.seconds
      if cue.order < latestOrder { report(.outOfOrder, cue) }
      latestOrder = max(latestOrder, cue.order)
      guard seconds > 0 else { continue }
      if let latestEnd {
        let gap = cue.start.seconds - latestEnd.seconds
        if gap < 0 { report(.overlap(seconds: -gap), cue) }
        if gap > 0, gap < gapSecondsMin - 1e-9 { report(.shortGap(seconds: gap), cue) }
      }
      latestEnd = max(latestEnd ?? .zero, cue.end)
      check(cue, seconds: seconds, report)
    }
    if track.cues.isEmpty {
      found.append(CaptionFault(line: 1, kind: .noCues, severity: .error))
    }
    if unlistedCount > 0 {
      let line = track.cues.last?.line ?? 1
      found.append(
        CaptionFault(line: line, kind: .more(count: unlistedCount), severity: .warning))
    }
    return (track.faults + found).enumerated()
      .sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }
      .map(\.element)
  }

  /// What one cue's text and time say about each other.
  private func check(
    _ cue: Cue, seconds: Double, _ report: (CaptionFault.Kind, Cue) -> Void
  ) {
    let lines = cue.text.split(separator: "\n")
    let widths = lines.map { CellWidth.columns(of: $0) }
    guard let widest = widths.max(), widest > 0 else { return }
    if seconds < secondsMin - 1e-9 { report(.tooBrief(seconds: seconds), cue) }
    if seconds > secondsMax + 1e-9 { report(.tooLong(seconds: seconds), cue) }
    let speed = Double(widths.reduce(0, +)) / seconds
    if speed > charactersPerSecondMax { report(.readingSpeed(charactersPerSecond: speed), cue) }
    if widest > columnsMax { report(.wideLine(columns: widest), cue) }
    if lines.count > linesMax { report(.manyLines(count: lines.count), cue) }
  }
}
