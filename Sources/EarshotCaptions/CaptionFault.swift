/// Something wrong in a caption file that does not keep the rest of it from being used.
public struct CaptionFault: Sendable, Hashable {
  /// How much was lost.
  public enum Severity: String, Sendable, Hashable {
    /// A cue, or a piece of one, is not shown.
    case error
    /// All is shown, but the file breaks a rule or is hard to read.
    case warning
  }

  /// What is wrong. Durations are in seconds.
  public enum Kind: Sendable, Hashable {
    // What the parsers find.
    /// A line with an arrow in which the times cannot be read.
    case unreadableTime
    /// A time written against the rules of its format, but clear.
    case irregularTime
    /// The cue ends at or before its start and is never shown.
    case endsBeforeStart
    /// Text that belongs to no cue and is not shown.
    case strayText
    /// The text is parted from its time by an empty line and was joined.
    case parted
    /// A cue without text.
    case emptyCue
    /// The file asks to be shifted by this much (`X-TIMESTAMP-MAP`); it is not, unless asked for.
    case asksForShift(seconds: Double)
    /// A setting that could not be read was left out.
    case unreadableSetting
    /// The signature of the format is not at the very beginning.
    case lateSignature
    /// The XML is not well-formed here; what could be read was read.
    case malformedMarkup
    /// A reference to an entity that is not known was left out.
    case unknownEntity
    /// The file ends in the middle of its markup.
    case cutShort
    /// The file goes deeper or wider than is read; what lies beyond was left out.
    case beyondLimit
    /// Captions that are pictures can't be shown.
    case picture
    /// Control characters were left out of the text.
    case controlCharacters

    // What the check finds beyond that.
    /// The cue starts before the one above it in the file.
    case outOfOrder
    /// The cue starts before an earlier one ends.
    case overlap(seconds: Double)
    /// The gap to the next cue is so short that it flickers.
    case shortGap(seconds: Double)
    /// The cue is shown too briefly to be seen.
    case tooBrief(seconds: Double)
    /// The cue stays longer than is usual.
    case tooLong(seconds: Double)
    /// More is to be read than can be. Scale: characters in a second, wide ones count twice.
    case readingSpeed(charactersPerSecond: Double)
    /// A line is wider than fits. Scale: columns.
    case wideLine(columns: Int)
    /// The cue has more lines than are shown well.
    case manyLines(count: Int)
    /// No cue could be read.
    case noCues
    /// More faults were found than are listed.
    case more(count: Int)
  }

  /// The line of the file, counted from 1.
  public var line: Int
  /// What is wrong.
  public var kind: Kind
  /// How much was lost.
  public var severity: Severity

  /// A fault.
  public init(line: Int, kind: Kind, severity: Severity) {
    self.line = line
    self.kind = kind
    self.severity = severity
  }
}
