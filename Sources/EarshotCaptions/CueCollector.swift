/// Gathers what a parser finds, within the limits.
struct CueCollector: Sendable {
  private(set) var cues: [Cue] = []
  private var faults: [CaptionFault] = []
  private var unlistedFaultCount = 0
  private var lastLine = 1

  /// Whether no further cue is taken.
  private(set) var isFull = false

  /// Adds a cue and gives it its number in the order of the file.
  mutating func add(_ cue: Cue) {
    guard cues.count < CaptionLimits.cues else {
      if !isFull { report(.beyondLimit, line: cue.line, .error) }
      isFull = true
      return
    }
    if cue.end <= cue.start { report(.endsBeforeStart, line: cue.line, .error) }
    if cue.spans.allSatisfy({ $0.text.utf8.allSatisfy(\.isBlank) }) {
      report(.emptyCue, line: cue.line, .warning)
    }
    var cue = cue
    cue.order = cues.count
    cues.append(cue)
  }

  /// Lists a fault.
  mutating func report(
    _ kind: CaptionFault.Kind, line: Int, _ severity: CaptionFault.Severity
  ) {
    lastLine = max(lastLine, line)
    if faults.count < CaptionLimits.faults {
      faults.append(CaptionFault(line: line, kind: kind, severity: severity))
    } else {
      unlistedFaultCount += 1
    }
  }

  /// The track, with the faults in the order of the file.
  consuming func track(format: CaptionFormat, language: String?) -> CaptionTrack {
    var listed = faults.enumerated().sorted {
      ($0.element.line, $0.offset) < ($1.element.line, $1.offset)
    }.map(\.element)
    if unlistedFaultCount > 0 {
      listed.append(
        CaptionFault(
          line: lastLine, kind: .more(count: unlistedFaultCount), severity: .warning))
    }
    return CaptionTrack(cues: cues, faults: listed, format: format, language: language)
  }
}
