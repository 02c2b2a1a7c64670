internal import EarshotClient

/// A question drawn in cells.
///
/// All buttons are equal: one width, one border, one weight. Only the focus differs, and it is where
/// the person put it. Where the terminal is low the borders go, and every button stays in view.
struct PromptPicture {
  /// The lines, without their ends; at most `rows` of at most `columns` cells.
  let lines: [String]

  /// The picture as it is written to a terminal.
  ///
  /// Each line is erased to its end, so that what stood there before cannot show through.
  var screen: String {
    "\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J"
  }

  private static let focused = (start: "\u{1B}[7m", end: "\u{1B}[27m")
  private static let bold = (start: "\u{1B}[1m", end: "\u{1B}[22m")

  /// Draws the question as it stands.
  init(_ dialog: PromptDialog, rows: Int, columns: Int, secondsLeft: Int, language: Language) {
    let width = max(20, min(columns, 80) - 4)
    let title = Cells.wrap(Shown.text(dialog.prompt.title), width: width)
    let message = Cells.wrap(Shown.text(dialog.prompt.message ?? ""), width: width)
    let hint = Cells.wrap(
      Phrase.promptKeys.text(in: language)
        + " " + Phrase.secondsLeft(secondsLeft).text(in: language), width: width)
    let head = title.map { Self.bold.start + $0 + Self.bold.end } + message
    let boxed = Self.boxes(dialog, width: width, isCompact: false)
    // Around the buttons stand a line above the title and one each before and after them.
    let isCompact = head.count + boxed.count + hint.count + 3 > rows
    let buttons = isCompact ? Self.boxes(dialog, width: width, isCompact: true) : boxed
    var whole = isCompact ? head : [""] + head + [""]
    whole += buttons
    whole += isCompact ? hint : [""] + hint
    if whole.count > rows {
      // The buttons and the title are what must be seen.
      whole = Array(head.prefix(max(1, rows - buttons.count))) + buttons
    }
    lines = whole.map { $0.isEmpty ? $0 : "  " + $0 }
  }

  /// The buttons: side by side where there are two and room, else one above the other.
  private static func boxes(_ dialog: PromptDialog, width: Int, isCompact: Bool) -> [String] {
    let labels = zip(dialog.letters, dialog.buttons).map { letter, button in
      let mark = dialog.destructive == button.choice ? " !" : ""
      return "\(letter)  \(Shown.text(button.label))\(mark)"
    }
    let inner = labels.map(Cells.width).max().map { $0 + 2 } ?? 2
    let boxes = labels.enumerated().map { index, label in
      box(label, inner: inner, isFocused: dialog.focus == index, isCompact: isCompact)
    }
    guard dialog.isRow, (inner + 2) * 2 + 2 <= width else { return boxes.flatMap { $0 } }
    return zip(boxes[0], boxes[1]).map { $0 + "  " + $1 }
  }

  private static func box(
    _ label: String, inner: Int, isFocused: Bool, isCompact: Bool
  ) -> [String] {
    let padded = Cells.padded(" " + label, to: inner)
    let text = isFocused ? focused.start + padded + focused.end : padded
    if isCompact { return ["[" + text + "]"] }
    let edge = String(repeating: "─", count: inner)
    return ["┌\(edge)┐", "│\(text)│", "└\(edge)┘"]
  }
}
