/// Where a cue belongs on the picture, as far as a surface of lines can follow it.
public struct CuePlacement: Sendable, Hashable {
  /// How the lines stand to each other.
  public enum Alignment: String, Sendable, Hashable {
    /// Where the language begins its lines.
    case start
    case center
    /// Where the language ends its lines.
    case end
    case left
    case right
  }

  /// The direction in which lines are written.
  public enum Writing: String, Sendable, Hashable {
    case horizontal
    /// Upright columns that grow to the left.
    case verticalGrowingLeft = "vertical-rl"
    /// Upright columns that grow to the right.
    case verticalGrowingRight = "vertical-lr"
  }

  /// How far down the picture, 0 its top edge and 1 its bottom edge; nil is the usual place, below.
  public var fromTop: Double?
  /// How far from the left edge, 0 to 1; nil is the middle.
  public var fromLeft: Double?
  /// The alignment; centred unless the file says otherwise.
  public var alignment: Alignment
  /// The writing direction.
  public var writing: Writing

  /// A placement; as it stands, the usual one.
  public init(
    fromTop: Double? = nil, fromLeft: Double? = nil, alignment: Alignment = .center,
    writing: Writing = .horizontal
  ) {
    self.fromTop = fromTop
    self.fromLeft = fromLeft
    self.alignment = alignment
    self.writing = writing
  }

  /// Whether the cue asks for the upper half of the picture.
  public var isAtTop: Bool { (fromTop ?? 1) < 0.5 }
}

/// One caption: a text and the time at which it is shown.
public struct Cue: Sendable, Hashable {
  /// When it appears.
  public var start: CueTime
  /// When it goes away; the first moment at which it is no longer shown.
  public var end: CueTime
  /// The text in pieces of one setting each.
  public var spans: [CueSpan]
  /// The cue's name or number in its file.
  public var identifier: String?
  /// The language as a BCP 47 tag, where the file says so for this cue.
  public var language: String?
  /// Where it belongs on the picture.
  public var placement: CuePlacement
  /// The line of the file in which its time stands, counted from 1.
  public var line: Int
  /// The cue's number in the order of the file, counted from 0.
  public var order: Int

  /// A cue.
  public init(
    start: CueTime, end: CueTime, spans: [CueSpan], identifier: String? = nil,
    language: String? = nil, placement: CuePlacement = CuePlacement(), line: Int = 0,
    order: Int = 0
  ) {
    self.start = start
    self.end = end
    self.spans = spans
    self.identifier = identifier
    self.language = language
    self.placement = placement
    self.line = line
    self.order = order
  }

  /// The text alone, lines parted by a line feed, reading aids left out.
  public var text: String {
    var text = ""
    for span in spans where !span.style.contains(.reading) { text += span.text }
    return text
  }
}
