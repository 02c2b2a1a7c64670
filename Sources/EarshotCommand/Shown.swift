/// Text made safe and readable for a terminal.
enum Shown {
  /// Bytes as text: what is no UTF-8, and what would steer a terminal, is shown as an escape.
  static func bytes(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return Shown.text(text) }
    return unicodeOrEscapes(bytes).map { piece in
      switch piece {
      case .scalar(let scalar): escaped(scalar)
      case .byte(let byte): "\\x" + hexadecimal(UInt32(byte), digits: 2)
      }
    }.joined()
  }

  /// Text with control, direction and zero-width characters shown as escapes.
  static func text(_ text: String) -> String {
    text.unicodeScalars.contains(where: steers) ? text.unicodeScalars.map(escaped).joined() : text
  }

  /// Bytes as text in which only what is no UTF-8 is an escape: for JSON, which escapes the rest.
  static func lossless(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return unicodeOrEscapes(bytes).map { piece in
      switch piece {
      case .scalar(let scalar): String(scalar)
      case .byte(let byte): "\\x" + hexadecimal(UInt32(byte), digits: 2)
      }
    }.joined()
  }

  /// A number of things: `1 item`, `2 items`.
  static func count(_ count: Int, _ word: String) -> String {
    "\(count) \(word)\(count == 1 ? "" : "s")"
  }

  private enum Piece {
    case scalar(Unicode.Scalar)
    case byte(UInt8)
  }

  /// Splits bytes into valid scalars and single bytes that belong to none.
  private static func unicodeOrEscapes(_ bytes: [UInt8]) -> [Piece] {
    var pieces: [Piece] = []
    var rest = bytes[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
      if let text = String(validating: rest.prefix(length), as: UTF8.self),
        let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1
      {
        pieces.append(.scalar(scalar))
        rest = rest.dropFirst(length)
      } else {
        pieces.append(.byte(first))
        rest = rest.dropFirst()
      }
    }
    return pieces
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    guard steers(scalar) else { return String(scalar) }
    switch scalar {
    case "\n": return "\\n"
    case "\t": return "\\t"
    default:
      return scalar.value < 0x100
        ? "\\x" + hexadecimal(scalar.value, digits: 2)
        : "\\u{" + hexadecimal(scalar.value, digits: 4) + "}"
    }
  }

  /// Whether a character moves the cursor, turns the direction or takes no room.
  private static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }

  private static func hexadecimal(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
