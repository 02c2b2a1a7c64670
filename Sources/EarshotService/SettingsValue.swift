/// A JSON value that knows the line it began on, so that a fault in a file of settings can be found.
struct SettingsValue: Sendable, Hashable {
  enum Content: Sendable, Hashable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([SettingsValue])
    case object([Member])
  }

  struct Member: Sendable, Hashable {
    var name: String
    var line: Int
    var value: SettingsValue
  }

  /// Where reading had to stop.
  struct Fault: Error, Sendable, Hashable {
    var line: Int
    var text: String
  }

  var content: Content
  /// From 1.
  var line: Int

  /// Reads a whole file.
  ///
  /// - Throws: a ``Fault`` at the first byte that is not JSON.
  init(parsing bytes: [UInt8]) throws(Fault) {
    var reader = SettingsReader(bytes: bytes)
    self = try reader.readFile()
  }

  init(content: Content, line: Int) {
    self.content = content
    self.line = line
  }
}

/// Reads JSON after RFC 8259, with a bound on nesting.
private struct SettingsReader {
  private static let deepest = 16
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var depth = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  typealias Fault = SettingsValue.Fault

  mutating func readFile() throws(Fault) -> SettingsValue {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    let value = try readValue()
    skipSpace()
    guard position == bytes.count else { throw fault("the file goes on after its last bracket") }
    return value
  }

  private func fault(_ text: String) -> Fault { Fault(line: line, text: text) }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0D, 0x0A].contains(byte) {
      if byte == 0x0A { line += 1 }
      position += 1
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func readValue() throws(Fault) -> SettingsValue {
    skipSpace()
    let start = line
    guard let byte = next else { throw fault("the file ends where a value should be") }
    switch byte {
    case UInt8(ascii: "{"): return SettingsValue(content: try readObject(), line: start)
    case UInt8(ascii: "["): return SettingsValue(content: try readList(), line: start)
    case UInt8(ascii: "\""): return SettingsValue(content: .text(try readText()), line: start)
    case UInt8(ascii: "t"): return try readWord("true", .flag(true))
    case UInt8(ascii: "f"): return try readWord("false", .flag(false))
    case UInt8(ascii: "n"): return try readWord("null", .null)
    default: return SettingsValue(content: .number(try readNumber()), line: start)
    }
  }

  private mutating func readWord(
    _ word: String, _ content: SettingsValue.Content
  ) throws(Fault) -> SettingsValue {
    guard bytes[position...].starts(with: word.utf8) else {
      throw fault("a value should be here; texts stand in double quotes")
    }
    position += word.utf8.count
    return SettingsValue(content: content, line: line)
  }

  private mutating func enter() throws(Fault) {
    depth += 1
    position += 1
    guard depth <= Self.deepest else { throw fault("brackets are nested too deeply") }
  }

  private mutating func readObject() throws(Fault) -> SettingsValue.Content {
    try enter()
    defer { depth -= 1 }
    var members: [SettingsValue.Member] = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else {
        throw fault("a name in double quotes should be here")
      }
      let start = line
      let name = try readText()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw fault("a colon should follow \"\(name)\"") }
      guard !members.contains(where: { $0.name == name }) else {
        throw Fault(line: start, text: "\"\(name)\" is there twice")
      }
      members.append(.init(name: name, line: start, value: try readValue()))
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { throw fault("a comma or } should be here") }
    }
  }

  private mutating func readList() throws(Fault) -> SettingsValue.Content {
    try enter()
    defer { depth -= 1 }
    var values: [SettingsValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .list(values) }
    while true {
      values.append(try readValue())
      skipSpace()
      if take(UInt8(ascii: "]")) { return .list(values) }
      guard take(UInt8(ascii: ",")) else { throw fault("a comma or ] should be here") }
    }
  }

  private mutating func readNumber() throws(Fault) -> Double {
    let start = position
    while let byte = next, "+-.0123456789eE".utf8.contains(byte) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard !text.isEmpty, text.first != "+", text.first != ".", let number = Double(text),
      number.isFinite
    else { throw fault("a value should be here; texts stand in double quotes") }
    return number
  }

  private mutating func readText() throws(Fault) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let whole = String(validating: text, as: UTF8.self) else {
          throw fault("a text is not UTF-8")
        }
        return whole
      case UInt8(ascii: "\\"): text += try readEscape()
      case 0..<0x20: throw fault("a text ends at its line's end; close it with a double quote")
      default: text.append(byte)
      }
    }
    throw fault("the file ends inside a text")
  }

  private mutating func readEscape() throws(Fault) -> [UInt8] {
    guard let byte = next else { throw fault("the file ends inside a text") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return try readCodePoint()
    default: throw fault("a backslash stands before a character that needs none")
    }
  }

  private mutating func readCodePoint() throws(Fault) -> [UInt8] {
    let first = try readUnit()
    var units = [first]
    if UTF16.isLeadSurrogate(first) {
      guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
        throw fault("half a character")
      }
      units.append(try readUnit())
    }
    guard let text = String(validating: units, as: UTF16.self) else {
      throw fault("half a character")
    }
    return Array(text.utf8)
  }

  private mutating func readUnit() throws(Fault) -> UInt16 {
    guard position + 4 <= bytes.count,
      let unit = UInt16(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
    else { throw fault("four hexadecimal digits should follow \\u") }
    position += 4
    return unit
  }
}
