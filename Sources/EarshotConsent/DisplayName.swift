/// A requester's name in a form that can't pass for anything but a name (rule C5).
public enum DisplayName {
  /// The most characters that a title shows of a name.
  public static let charactersMax = 24

  /// The name as a title shows it: escaped, and shortened in the middle when it is long.
  public static func shown(_ name: String) -> String { shortened(escaped(name)) }

  /// Writes every character that hides, moves or fakes text as `\u{…}`.
  ///
  /// Those are controls, line breaks, formatting and bidirectional marks, characters of no width,
  /// spaces other than the plain one, private and unassigned characters, the quotation marks that
  /// titles use, and combining marks after the second on one letter.
  static func escaped(_ name: String) -> String {
    var text = String.UnicodeScalarView()
    var marks = 0
    for scalar in name.unicodeScalars {
      marks = isMark(scalar) ? marks + 1 : 0
      if needsEscape(scalar) || marks > 2 || (marks > 0 && text.isEmpty) {
        text.append(
          contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }

  /// A sentence whose quotation marks are its own: everything else is written as in a name.
  static func escapedText(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      needsEscape(scalar) && !quotes.contains(scalar)
        ? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}" : String(scalar)
    }.joined()
  }

  /// Whether a text holds a character that hides, moves or fakes text; quotation marks don't count.
  static func hidesText(_ text: String) -> Bool {
    text.unicodeScalars.contains { needsEscape($0) && !quotes.contains($0) }
  }

  static func shortened(_ text: String) -> String {
    guard text.count > charactersMax else { return text }
    // One place goes to the ellipsis; the end tells more of a path than its beginning.
    let kept = charactersMax - 1
    return text.prefix(kept / 2) + "…" + text.suffix(kept - kept / 2)
  }

  /// Bytes as text, the same text for no two byte strings: `\` is doubled and bytes that aren't
  /// UTF-8 are written as `\xHH`.
  static func text(ofBytes bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    var decoder = UTF8()
    var index = 0
    while index < bytes.count {
      var iterator = bytes[index...].makeIterator()
      decoder = UTF8()
      if case .scalarValue(let scalar) = decoder.decode(&iterator) {
        text.append(contentsOf: (scalar == "\\" ? "\\\\" : String(scalar)).unicodeScalars)
        index += UTF8.width(scalar)
      } else {
        let digits = String(bytes[index], radix: 16, uppercase: true)
        text.append(contentsOf: "\\x\(digits.count == 1 ? "0" : "")\(digits)".unicodeScalars)
        index += 1
      }
    }
    return String(text)
  }

  /// The marks that titles put names between, and their likes.
  private static let quotes: Set<Unicode.Scalar> = [
    "“", "”", "„", "«", "»", "‘", "’", "‹", "›", "\"",
  ]

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark: true
    default: false
    }
  }

  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    if scalar == " " { return false }
    if scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isBidiControl {
      return true
    }
    if scalar == "\u{2800}" || quotes.contains(scalar) { return true }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator, .spaceSeparator:
      return true
    default: return false
    }
  }
}

extension UTF8 {
  fileprivate static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case ..<0x80: 1
    case ..<0x800: 2
    case ..<0x10000: 3
    default: 4
    }
  }
}
