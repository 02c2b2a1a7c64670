/// The room that text takes on a terminal, in cells.
enum Cells {
  /// The cells that `text` takes.
  static func width(of text: String) -> Int { text.reduce(0) { $0 + width(of: $1) } }

  /// The cells of one character: two for the wide ones of East Asia, none for lone marks.
  static func width(of character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  /// Breaks text into lines of at most `width` cells: at spaces, or anywhere in scripts without.
  static func wrap(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for character in text {
      line.append(character)
      guard Cells.width(of: line) > width, line.count > 1 else { continue }
      if let space = line.lastIndex(of: " "), space != line.startIndex {
        lines.append(String(line[..<space]))
        line = String(line[line.index(after: space)...])
      } else {
        line.removeLast()
        lines.append(line)
        line = String(character)
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// Text with spaces behind it, up to `width` cells.
  static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - Cells.width(of: text)))
  }
}
