/// Reads the text of an SRT cue into spans: HTML-like tags, braces of other formats, or nothing.
struct SubRipCueText: Sendable {
  private let bytes: [UInt8]
  private var position: Int
  private let end: Int
  private var builder = CueTextBuilder()
  private var open: [(name: String, setting: CueSpan)] = []
  /// Settings that braces switch on and off, apart from the tags.
  private var braces = CueSpan(text: "")
  /// Where the cue goes.
  private(set) var placement = CuePlacement()

  /// Whether control characters were left out.
  var hadControlCharacters: Bool { builder.hadControlCharacters }
  /// Whether the text was cut at the limit.
  var isCut: Bool { builder.isCut }

  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  /// The spans of the whole text. Empty lines inside it are drawn together.
  mutating func parse() -> [CueSpan] {
    while position < end {
      switch bytes[position] {
      case UInt8(ascii: "<"): readTag()
      case UInt8(ascii: "{"): readBraces()
      case UInt8(ascii: "&"): readReference()
      case UInt8(ascii: "\\"): readEscape()
      case 0x0A:
        builder.append(0x0A)
        while position < end, bytes[position].isBlank { position += 1 }
      default:
        let start = position
        while position < end, !Self.isMark(bytes[position]) { position += 1 }
        builder.append(bytes[start..<position])
      }
    }
    return builder.finish()
  }

  /// Whether a byte may mean something else than itself.
  private static func isMark(_ byte: UInt8) -> Bool {
    byte == 0x0A || byte == UInt8(ascii: "<") || byte == UInt8(ascii: "{")
      || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "\\")
  }

  private mutating func readReference() {
    if case .character(let scalar, let next) = CharacterReference.read(
      bytes, at: position, before: end)
    {
      builder.append(scalar)
      position = next
    } else {
      keepByte()
    }
  }

  /// `\N` and `\n` break a line and `\h` is a hard blank, left over from another format.
  private mutating func readEscape() {
    let next = position + 1 < end ? bytes[position + 1] : 0
    switch next {
    case UInt8(ascii: "N"), UInt8(ascii: "n"): builder.append(0x0A)
    case UInt8(ascii: "h"): builder.append("\u{A0}")
    default:
      keepByte()
      return
    }
    position += 2
  }

  /// A tag, if it is one: a letter or a slash follows, and it closes before the next `<`.
  private mutating func readTag() {
    let start = position + 1
    guard start < end, bytes[start].isLetter || bytes[start] == UInt8(ascii: "/") else {
      return keepByte()
    }
    var close = start
    while close < end, bytes[close] != UInt8(ascii: ">"), bytes[close] != UInt8(ascii: "<") {
      close += 1
    }
    guard close < end, bytes[close] == UInt8(ascii: ">") else { return keepByte() }
    position = close + 1
    let tag = String(decoding: bytes[start..<close], as: UTF8.self).lowercased()
    let name = tag.prefix { $0.isLetter || $0.isNumber || $0 == "/" }
    if name.hasPrefix("/") {
      let closed = name.dropFirst()
      // Tags that cross each other are common; the innermost one of the name is closed.
      if let index = open.suffix(16).lastIndex(where: { $0.name == closed }) {
        open.remove(at: index)
      }
    } else if let setting = Self.setting(of: name, in: tag) {
      open.append((String(name), setting))
    }
    applySetting()
  }

  /// What a tag of the fixed set sets by itself.
  private static func setting(of name: Substring, in tag: String) -> CueSpan? {
    switch name {
    case "i", "em": CueSpan(text: "", style: .italic)
    case "b", "strong": CueSpan(text: "", style: .bold)
    case "u": CueSpan(text: "", style: .underlined)
    case "font": CueSpan(text: "", color: color(in: tag))
    default: nil
    }
  }

  private static func color(in tag: String) -> CueColor? {
    guard let key = tag.firstRange(of: "color") else { return nil }
    let value = tag[key.upperBound...].drop { " =\"'".contains($0) }
      .prefix { !" \"'/".contains($0) }
    return CueColor(named: String(value))
  }

  /// `{\…}` of the SSA formats: slant, weight, line and place are taken, the rest is left out.
  private mutating func readBraces() {
    let start = position + 1
    guard start < end, bytes[start] == UInt8(ascii: "\\") else { return keepByte() }
    var close = start
    while close < end, bytes[close] != UInt8(ascii: "}"), bytes[close] != UInt8(ascii: "{") {
      close += 1
    }
    guard close < end, bytes[close] == UInt8(ascii: "}") else { return keepByte() }
    position = close + 1
    for word in bytes[start..<close].split(separator: UInt8(ascii: "\\")) {
      switch String(decoding: word.prefix(4), as: UTF8.self) {
      case "i1": braces.style.insert(.italic)
      case "i0": braces.style.remove(.italic)
      case "b1": braces.style.insert(.bold)
      case "b0": braces.style.remove(.bold)
      case "u1": braces.style.insert(.underlined)
      case "u0": braces.style.remove(.underlined)
      case let word where word.hasPrefix("an"): place(keypad: word.dropFirst(2))
      default: break
      }
    }
    applySetting()
  }

  /// A place as on a telephone turned over: 1 to 3 below, 7 to 9 above, left to right.
  private mutating func place(keypad: Substring) {
    guard let key = Int(keypad), (1...9).contains(key) else { return }
    placement.fromTop = key <= 3 ? nil : key <= 6 ? 0.5 : 0
    placement.alignment = [.left, .center, .right][(key - 1) % 3]
  }

  private mutating func applySetting() {
    var setting = braces
    // Sixteen tags inside each other are more than anyone means, and keep hostile text cheap.
    for element in open.suffix(16) {
      setting.style.formUnion(element.setting.style)
      setting.color = element.setting.color ?? setting.color
    }
    builder.set(setting)
  }

  private mutating func keepByte() {
    builder.append(bytes[position])
    position += 1
  }
}

extension CueColor {
  private static let aliases: [String: CueColor] = [
    "green": .lime, "aqua": .cyan, "fuchsia": .magenta, "silver": .white, "gray": .white,
    "grey": .white, "maroon": .red, "navy": .blue, "olive": .yellow, "purple": .magenta,
    "teal": .cyan, "orange": .yellow, "gold": .yellow, "pink": .magenta,
  ]

  /// A colour by a name or by `#rrggbb`, `#rrggbbaa`, `#rgb` or `rgb(…)`, reduced to the nearest.
  init?(named name: String) {
    let name = name.lowercased()
    if let color = CueColor(rawValue: name) {
      self = color
      return
    }
    if let color = Self.aliases[name] {
      self = color
    } else if name.hasPrefix("rgb") {
      let numbers = name.split { !$0.isNumber }.prefix(3).compactMap { Int($0) }
      guard numbers.count == 3, numbers.allSatisfy({ (0...255).contains($0) }) else { return nil }
      self.init(red: numbers[0], green: numbers[1], blue: numbers[2])
    } else {
      let digits = Array(name.hasPrefix("#") ? name.dropFirst() : name[...])
      let values = digits.compactMap(\.hexDigitValue)
      guard values.count == digits.count, [3, 6, 8].contains(values.count) else { return nil }
      let isShort = values.count == 3
      let channels = (0..<3).map { (index: Int) -> Int in
        if isShort { return values[index] * 17 }
        return values[2 * index] * 16 + values[2 * index + 1]
      }
      self.init(red: channels[0], green: channels[1], blue: channels[2])
    }
  }
}
