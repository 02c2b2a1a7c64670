/// The formats of caption files that are read.
public enum CaptionFormat: String, Sendable, Hashable, CaseIterable {
  case webVTT = "WebVTT"
  case subRip = "SRT"
  /// TTML, which includes IMSC 1.1 Text.
  case timedText = "TTML"
}

/// The cues of one caption file, in the order of their times, and what was wrong in it.
///
/// A value; reading one file never costs more than time in proportion to its length.
public struct CaptionTrack: Sendable {
  /// The cues by start, equal ones in the order of the file.
  public let cues: [Cue]
  /// What the parser found, in the order of the file, at most `CaptionLimits.faults`.
  public let faults: [CaptionFault]
  /// The format the file was read as.
  public let format: CaptionFormat
  /// The language that the file names, as a BCP 47 tag.
  public let language: String?
  private let intervals: IntervalIndex

  init(cues: [Cue], faults: [CaptionFault], format: CaptionFormat, language: String?) {
    // Files are written in order as a rule, and looking costs less than sorting.
    let isSorted = zip(cues, cues.dropFirst()).allSatisfy { $0.start <= $1.start }
    let sorted = isSorted ? cues : cues.sorted { ($0.start, $0.order) < ($1.start, $1.order) }
    self.cues = sorted
    self.faults = faults
    self.format = format
    self.language = language
    intervals = IntervalIndex(sorted.map { $0.start..<max($0.start, $0.end) })
  }

  /// Whether the file says nothing that could be shown.
  public var isEmpty: Bool { cues.isEmpty }

  /// The end of the last cue to go away.
  public var end: CueTime { intervals.end }

  /// The cues shown at a time, in the order of the file.
  ///
  /// Takes time in proportion to their number and the logarithm of the track's length.
  public func active(at time: CueTime) -> [Cue] {
    intervals.containing(time).map { cues[$0] }.sorted { $0.order < $1.order }
  }

  /// The first time after another at which a cue appears or goes away; nil when none will.
  public func change(after time: CueTime) -> CueTime? { intervals.change(after: time) }

  /// The track with only the cues of a language: those that name it, and those that name none.
  ///
  /// `tag` is a BCP 47 tag; `en` takes `en-GB` too.
  public func filtered(language tag: String) -> CaptionTrack {
    let wanted = tag.lowercased()
    func fits(_ language: String) -> Bool {
      let language = language.lowercased()
      return language == wanted || language.hasPrefix(wanted + "-")
    }
    let kept = cues.filter { $0.language.map(fits) ?? true }
    return CaptionTrack(cues: kept, faults: faults, format: format, language: language)
  }
}
