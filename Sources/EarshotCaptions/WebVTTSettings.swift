/// A region of a WebVTT file, reduced to where it puts its cues.
struct WebVTTRegion: Sendable, Hashable {
  var identifier = ""
  private var lineCount = 3
  private var regionAnchorY = 100.0
  private var viewportAnchorY = 100.0
  private var regionAnchorX = 0.0
  private var viewportAnchorX = 0.0
  private var width = 100.0

  /// The height of a line in the standard's rendering, in hundredths of the picture's height.
  static let lineHeight = 5.33

  /// Takes one `name:value`; what cannot be read leaves the region as it is.
  mutating func read(_ word: String) {
    let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return }
    switch parts[0] {
    case "id": identifier = String(parts[1])
    case "width": width = WebVTTSettings.percentage(parts[1]) ?? width
    case "lines": lineCount = min(Int(parts[1]) ?? lineCount, 100)
    case "regionanchor":
      if let (x, y) = Self.pair(parts[1]) { (regionAnchorX, regionAnchorY) = (x, y) }
    case "viewportanchor":
      if let (x, y) = Self.pair(parts[1]) { (viewportAnchorX, viewportAnchorY) = (x, y) }
    default: break
    }
  }

  /// How far down the picture the region's middle is, 0 to 1.
  var fromTop: Double {
    let height = Double(max(lineCount, 0)) * Self.lineHeight
    return (viewportAnchorY + height * (0.5 - regionAnchorY / 100)) / 100
  }

  /// How far from the left edge the region's middle is, 0 to 1.
  var fromLeft: Double { (viewportAnchorX + width * (0.5 - regionAnchorX / 100)) / 100 }

  private static func pair(_ text: Substring) -> (Double, Double)? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let x = WebVTTSettings.percentage(parts[0]),
      let y = WebVTTSettings.percentage(parts[1])
    else { return nil }
    return (x, y)
  }
}

/// The settings behind a cue's times, reduced to a placement.
struct WebVTTSettings: Sendable {
  private var region: WebVTTRegion?
  private var hasOwnLine = false
  private var isNarrow = false
  private var own = CuePlacement()

  /// Where the cue goes when all settings are read.
  var placement: CuePlacement {
    var placement = own
    // A cue that says where it stands, how wide it is or that it is upright leaves its region.
    if let region, !hasOwnLine, !isNarrow, own.writing == .horizontal {
      placement.fromTop = min(max(region.fromTop, 0), 1)
      if placement.fromLeft == nil { placement.fromLeft = min(max(region.fromLeft, 0), 1) }
    }
    return placement
  }

  /// Takes one `name:value`; false when it cannot be read.
  mutating func read(_ word: String, regions: [String: WebVTTRegion]) -> Bool {
    let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return false }
    switch parts[0] {
    case "region":
      region = regions[String(parts[1])]
      return region != nil
    case "vertical":
      guard let writing = CuePlacement.Writing(rawValue: "vertical-" + parts[1]) else {
        return false
      }
      own.writing = writing
      return true
    case "line": return readLine(parts[1])
    case "position":
      let pieces = parts[1].split(separator: ",", omittingEmptySubsequences: false)
      guard pieces.count <= 2, let value = Self.percentage(pieces[0]) else { return false }
      if pieces.count == 2, !["line-left", "center", "line-right"].contains(pieces[1]) {
        return false
      }
      own.fromLeft = value / 100
      return true
    case "size":
      guard let value = Self.percentage(parts[1]) else { return false }
      isNarrow = value < 100
      return true
    case "align":
      guard let alignment = CuePlacement.Alignment(rawValue: String(parts[1])) else {
        return false
      }
      own.alignment = alignment
      return true
    default: return false
    }
  }

  private mutating func readLine(_ text: Substring) -> Bool {
    let pieces = text.split(separator: ",", omittingEmptySubsequences: false)
    guard pieces.count <= 2 else { return false }
    if pieces.count == 2, !["start", "center", "end"].contains(pieces[1]) { return false }
    if pieces[0].hasSuffix("%") {
      guard let value = Self.percentage(pieces[0]) else { return false }
      own.fromTop = value / 100
    } else {
      guard let number = Self.number(pieces[0]) else { return false }
      // Lines are counted from the top, and from -1 at the bottom.
      let edge = number < 0 ? 100.0 : 0
      own.fromTop = min(max((edge + number * WebVTTRegion.lineHeight) / 100, 0), 1)
    }
    hasOwnLine = true
    return true
  }

  /// A number from 0 to 100 with a percent sign behind it, by the standard's rules.
  static func percentage(_ text: Substring) -> Double? {
    guard text.hasSuffix("%"), let value = number(text.dropLast()), (0...100).contains(value),
      !text.hasPrefix("-")
    else { return nil }
    return value
  }

  /// Digits, with a minus sign before and a fraction behind where wanted, and nothing else.
  private static func number(_ text: Substring) -> Double? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    let isPlain =
      (1...2).contains(parts.count) && text.utf8.count <= 32
      && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }
    return isPlain ? Double(text) : nil
  }
}
