internal import EarshotCaptions

/// The terminal's screen while captions are on, row by row. Pure: the same facts give the same rows.
///
/// Two rows are kept for the text at a place that does not move, so that the eye finds it; longer or
/// overlapping cues grow upwards from there, those that ask for the top downwards from above.
struct CaptionsPicture: Sendable {
  /// Rows and columns of the terminal.
  var size: (rows: Int, columns: Int)
  /// The cues to show, in the order of the file.
  var cues: [Cue]
  /// What stands in the middle where no place is known: the state and, under it, why.
  var message: [String]
  /// The line at the bottom.
  var status: String
  /// Whether letters have double size.
  var isLarge: Bool

  /// The rows from top to bottom, each with all that sets it.
  var rows: [String] {
    var rows = [String](repeating: "", count: size.rows)
    let lower = lines(of: cues.filter { !$0.placement.isAtTop })
    let upper = lines(of: cues.filter(\.placement.isAtTop))
    let height = isLarge ? 2 : 1
    // The bottom row is the status; one row stays free above it.
    let last = max(0, size.rows - 3)
    place(upper.prefix(last / height), from: min(1, last), in: &rows)
    let room = max(1, (last + 1) / height)
    let shown = lower.suffix(room)
    place(shown, from: max(0, last + 1 - max(shown.count, 2) * height), in: &rows)
    if cues.isEmpty, !message.isEmpty { place(message, in: &rows) }
    if size.rows > 1 { rows[size.rows - 1] = Self.dim + clipped(status) + Self.plain }
    return rows
  }

  private static let plain = "\u{1B}[0m"
  private static let dim = "\u{1B}[2m"
  private static let strong = "\u{1B}[1m"

  /// A line of text: what is written and how many columns it takes.
  private struct Line {
    var text = ""
    var columns = 0
  }

  private var width: Int { max(1, (isLarge ? size.columns / 2 : size.columns) - 2) }

  private func place(_ lines: some Collection<Line>, from first: Int, in rows: inout [String]) {
    var row = first
    for line in lines {
      let margin = max(0, ((isLarge ? size.columns / 2 : size.columns) - line.columns) / 2)
      let text = String(repeating: " ", count: margin) + line.text + Self.plain
      if isLarge {
        // The terminal draws the upper half of the letters in one row and the lower in the next.
        if row + 1 < rows.count {
          rows[row] = "\u{1B}#3" + text
          rows[row + 1] = "\u{1B}#4" + text
        }
        row += 2
      } else {
        if row < rows.count { rows[row] = text }
        row += 1
      }
    }
  }

  private func place(_ message: [String], in rows: inout [String]) {
    var row = max(0, size.rows / 2 - message.count)
    for (index, text) in message.enumerated() where row < rows.count {
      let shown = clipped(text)
      let margin = max(0, (size.columns - Cells.width(of: shown)) / 2)
      let style = index == 0 ? Self.strong : ""
      rows[row] = String(repeating: " ", count: margin) + style + shown + Self.plain
      row += 1
    }
  }

  private func clipped(_ text: String) -> String {
    guard Cells.width(of: text) > size.columns else { return text }
    var shown = ""
    var columns = 0
    for character in text {
      columns += Cells.width(of: character)
      if columns >= size.columns { break }
      shown.append(character)
    }
    return shown
  }

  /// The lines of cues, broken where they are too wide.
  private func lines(of cues: [Cue]) -> [Line] {
    cues.flatMap { cue in
      var lines: [Line] = []
      for line in Self.split(cue.spans) { lines += broken(line) }
      return lines
    }
  }

  /// The spans of each line, reading aids in brackets.
  private static func split(_ spans: [CueSpan]) -> [[CueSpan]] {
    var lines: [[CueSpan]] = [[]]
    for span in spans {
      for (index, piece) in span.text.split(
        separator: "\n", omittingEmptySubsequences: false
      ).enumerated() {
        if index > 0 { lines.append([]) }
        guard !piece.isEmpty else { continue }
        var part = span
        part.text = span.style.contains(.reading) ? "(\(piece))" : String(piece)
        lines[lines.count - 1].append(part)
      }
    }
    return lines
  }

  /// One line of a cue as lines that fit, broken at spaces or, in scripts without, anywhere.
  private func broken(_ spans: [CueSpan]) -> [Line] {
    var characters: [(character: Character, span: Int)] = []
    for (index, span) in spans.enumerated() {
      for character in span.text where !Self.turnsDirection(character) {
        characters.append((character, index))
      }
    }
    var lines: [Line] = []
    var start = 0
    while start < characters.count {
      var end = start
      var columns = 0
      var space: Int?
      while end < characters.count {
        let next = Cells.width(of: characters[end].character)
        if columns + next > width, end > start { break }
        if characters[end].character == " " { space = end }
        columns += next
        end += 1
      }
      if end < characters.count, let space, space > start { end = space }
      lines.append(drawn(characters[start..<end], spans))
      start = end
      while start < characters.count, characters[start].character == " " { start += 1 }
    }
    return lines
  }

  private func drawn(
    _ characters: ArraySlice<(character: Character, span: Int)>, _ spans: [CueSpan]
  ) -> Line {
    var line = Line()
    var current: Int?
    for (character, span) in characters {
      if span != current {
        line.text += Self.plain + Self.strong + Self.setting(of: spans[span])
        current = span
      }
      line.text.append(character)
      line.columns += Cells.width(of: character)
    }
    return line
  }

  /// The codes of a span's style and colour. Black is left to the terminal: on its own ground it may
  /// not be seen.
  private static func setting(of span: CueSpan) -> String {
    var codes: [String] = []
    if span.style.contains(.italic) { codes.append("3") }
    if span.style.contains(.underlined) { codes.append("4") }
    let colors: [CueColor: String] = [
      .red: "91", .lime: "92", .yellow: "93", .blue: "94", .magenta: "95", .cyan: "96",
      .white: "97",
    ]
    if let color = span.color, let code = colors[color] { codes.append(code) }
    return codes.isEmpty ? "" : "\u{1B}[" + codes.joined(separator: ";") + "m"
  }

  /// Whether a character would turn the direction of what stands beside the cue.
  private static func turnsDirection(_ character: Character) -> Bool {
    character.unicodeScalars.allSatisfy {
      (0x202A...0x202E).contains($0.value) || (0x2066...0x2069).contains($0.value)
    }
  }
}
