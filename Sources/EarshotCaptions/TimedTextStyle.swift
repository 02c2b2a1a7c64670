/// The styles of TTML that are shown, each nil where nothing was said.
struct TimedTextStyle: Sendable, Hashable {
  private var isItalic: Bool?
  private var isBold: Bool?
  private var isUnderlined: Bool?
  private var color: CueColor?
  private var alignment: CuePlacement.Alignment?
  private var writing: CuePlacement.Writing?
  private var originY: Double?
  private var originX: Double?
  private var height: Double?
  private var width: Double?
  // Small enumerations: every element copies its style, and text would be counted each time.
  private var displayAlign: DisplayAlign?
  private var isInvisible: Bool?
  private var isDisplayed: Bool?
  private var ruby: Ruby?

  private enum DisplayAlign: String {
    case before, center, after
  }

  private enum Ruby: String {
    case text, textContainer, delimiter, other
  }

  init() {}

  /// The styles that an element's own attributes set.
  init(_ element: XMLElement, scale: TimedTextScale) {
    for (name, value) in element.attributes where name.space == .styling {
      switch name.local {
      case "fontStyle": isItalic = value == "italic" || value == "oblique"
      case "fontWeight": isBold = value == "bold"
      case "textDecoration":
        let words = value.split(separator: " ")
        if words.contains("underline") { isUnderlined = true }
        if words.contains("noUnderline") || words.contains("none") { isUnderlined = false }
      case "color": color = CueColor(named: value)
      case "textAlign": alignment = CuePlacement.Alignment(rawValue: value)
      case "writingMode":
        writing =
          switch value {
          case "tbrl", "tb": .verticalGrowingLeft
          case "tblr": .verticalGrowingRight
          default: .horizontal
          }
      case "origin", "position":
        if let (x, y) = scale.pair(value) { (originX, originY) = (x, y) }
      case "extent":
        if let (x, y) = scale.pair(value) { (width, height) = (x, y) }
      case "displayAlign": displayAlign = DisplayAlign(rawValue: value)
      case "visibility": isInvisible = value == "hidden"
      case "display": isDisplayed = value != "none"
      case "opacity": if let opacity = Double(value), opacity <= 0 { isInvisible = true }
      case "ruby": ruby = Ruby(rawValue: value) ?? .other
      default: break
      }
    }
  }

  /// Whether nothing is set.
  var isEmpty: Bool { self == TimedTextStyle() }

  /// Lays what another says over this.
  mutating func overlay(_ other: TimedTextStyle) {
    isItalic = other.isItalic ?? isItalic
    isBold = other.isBold ?? isBold
    isUnderlined = other.isUnderlined ?? isUnderlined
    color = other.color ?? color
    alignment = other.alignment ?? alignment
    writing = other.writing ?? writing
    originY = other.originY ?? originY
    originX = other.originX ?? originX
    height = other.height ?? height
    width = other.width ?? width
    displayAlign = other.displayAlign ?? displayAlign
    isInvisible = other.isInvisible ?? isInvisible
    isDisplayed = other.isDisplayed ?? isDisplayed
    ruby = other.ruby ?? ruby
  }

  /// Whether text set in it is not to be seen.
  var isHidden: Bool { isInvisible == true || isDisplayed == false || ruby == .delimiter }

  /// How text set in it looks; the text is empty.
  func setting(language: String?) -> CueSpan {
    var span = CueSpan(text: "", color: color, language: language)
    if isItalic == true { span.style.insert(.italic) }
    if isBold == true { span.style.insert(.bold) }
    if isUnderlined == true { span.style.insert(.underlined) }
    if ruby == .text || ruby == .textContainer { span.style.insert(.reading) }
    return span
  }

  /// Where a paragraph set in it goes.
  var placement: CuePlacement {
    var placement = CuePlacement()
    placement.alignment = alignment ?? .center
    placement.writing = writing ?? .horizontal
    if let originY {
      let share =
        switch displayAlign {
        case .after: 1.0
        case .center: 0.5
        default: 0.0
        }
      placement.fromTop = min(max(originY + share * (height ?? 1 - originY), 0), 1)
    } else if displayAlign == .before {
      placement.fromTop = 0
    }
    if let originX, let width { placement.fromLeft = min(max(originX + width / 2, 0), 1) }
    return placement
  }
}

/// What lengths in a TTML document are measured against.
struct TimedTextScale: Sendable, Hashable {
  private var cells = (columns: 32.0, rows: 15.0)
  private var pixels: (width: Double, height: Double)?

  init() {}

  /// Takes the measures from the document's outermost element.
  init(_ root: XMLElement) {
    if let text = root[.parameter, "cellResolution"] {
      let parts = text.split(separator: " ").compactMap { Double($0) }
      if parts.count == 2, parts[0] >= 1, parts[1] >= 1 { cells = (parts[0], parts[1]) }
    }
    if let text = root[.styling, "extent"] {
      let parts = text.split(separator: " ").compactMap { word in
        word.hasSuffix("px") ? Double(word.dropLast(2)) : nil
      }
      if parts.count == 2, parts[0] >= 1, parts[1] >= 1 { pixels = (parts[0], parts[1]) }
    }
  }

  /// Two lengths as shares of the picture's width and height.
  func pair(_ text: String) -> (Double, Double)? {
    let words = text.split(separator: " ")
    guard words.count == 2, text.utf8.count <= 64,
      let x = share(words[0], cells: cells.columns, pixels: pixels?.width),
      let y = share(words[1], cells: cells.rows, pixels: pixels?.height),
      x.isFinite, y.isFinite
    else { return nil }
    return (x, y)
  }

  private func share(_ word: Substring, cells: Double, pixels: Double?) -> Double? {
    if word.hasSuffix("%") { return Double(word.dropLast()).map { $0 / 100 } }
    if word.hasSuffix("rw") || word.hasSuffix("rh") {
      return Double(word.dropLast(2)).map { $0 / 100 }
    }
    if word.hasSuffix("px"), let pixels { return Double(word.dropLast(2)).map { $0 / pixels } }
    if word.hasSuffix("c") { return Double(word.dropLast()).map { $0 / cells } }
    return nil
  }

  static func == (left: TimedTextScale, right: TimedTextScale) -> Bool {
    left.cells == right.cells && left.pixels?.width == right.pixels?.width
      && left.pixels?.height == right.pixels?.height
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(cells.columns)
    hasher.combine(cells.rows)
  }
}
