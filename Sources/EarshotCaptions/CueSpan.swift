/// How a piece of a cue's text is set: the small set that every caption format is reduced to.
public struct CueStyle: OptionSet, Sendable, Hashable {
  /// The bits, one a style.
  public let rawValue: UInt8

  /// A set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Slanted: voices off screen, thought, song.
  public static let italic = CueStyle(rawValue: 1)
  /// Heavier.
  public static let bold = CueStyle(rawValue: 2)
  /// Underlined.
  public static let underlined = CueStyle(rawValue: 4)
  /// A reading aid beside the text before it (ruby), shown in brackets where lines are plain.
  public static let reading = CueStyle(rawValue: 8)
}

/// The eight colours of teletext, to which every colour of a caption file is reduced.
public enum CueColor: String, Sendable, Hashable, CaseIterable {
  case black
  case red
  case lime
  case yellow
  case blue
  case magenta
  case cyan
  case white

  /// The nearest of the eight to a colour, channel by channel. Scale: 0 to 255.
  init(red: Int, green: Int, blue: Int) {
    // Dark shades of a colour stand for the colour, so the bound follows the brightest channel.
    let brightest = max(red, green, blue)
    guard brightest >= 48 else {
      self = .black
      return
    }
    let bound = brightest * 5 / 8
    switch (red > bound, green > bound, blue > bound) {
    case (true, true, true): self = .white
    case (true, true, false): self = .yellow
    case (true, false, true): self = .magenta
    case (true, false, false): self = .red
    case (false, true, true): self = .cyan
    case (false, true, false): self = .lime
    case (false, false, true): self = .blue
    case (false, false, false): self = .white
    }
  }
}

/// A piece of a cue's text that is set in one way. It is text only, never markup.
public struct CueSpan: Sendable, Hashable {
  /// The text; lines are parted by a line feed, and no other control character is in it.
  public var text: String
  /// How it is set.
  public var style: CueStyle
  /// The colour of the letters; nil is the surface's own.
  public var color: CueColor?
  /// Who speaks, where the file says so.
  public var voice: String?
  /// The language as a BCP 47 tag, where it differs from the cue's.
  public var language: String?

  /// A span.
  public init(
    text: String, style: CueStyle = [], color: CueColor? = nil, voice: String? = nil,
    language: String? = nil
  ) {
    self.text = text
    self.style = style
    self.color = color
    self.voice = voice
    self.language = language
  }

  /// Whether two spans differ in nothing but their text.
  func isSetLike(_ other: CueSpan) -> Bool {
    style == other.style && color == other.color && voice == other.voice
      && language == other.language
  }
}
