/// Help for the terminal, made from the table.
struct HelpPage {
  /// The commands there are.
  let table: [CommandSpecification]

  private static let width = 80

  /// The help of a command, a group of commands, or everything for no words.
  func text(for words: [String]) -> String {
    if let command = table.first(where: { $0.words == words }) { return page(of: command) }
    return words.isEmpty ? overview() : page(ofGroup: words)
  }

  private func overview() -> String {
    var lines = [
      "Earshot recognises sound on this machine, behind a consent that is recorded.", "",
      "Usage: earshot COMMAND [OPTION…] [OPERAND…]", "", "Commands:",
    ]
    var shown: Set<String> = []
    for command in table {
      guard let first = command.words.first, shown.insert(first).inserted else { continue }
      let group = CommandTable.groups.first { $0.word == first && command.words.count > 1 }
      lines += Self.entry(first, group?.summary ?? command.summary, column: 14)
    }
    lines += [
      "", "'earshot COMMAND --help' explains a command; 'man earshot' explains all of them.",
      "'--' ends the options, so that names may begin with a dash.",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private func page(ofGroup words: [String]) -> String {
    let commands = table.filter { $0.words.starts(with: words) }
    let name = words.joined(separator: " ")
    var lines = ["Usage: earshot \(name) COMMAND [OPTION…] [OPERAND…]", ""]
    if let group = CommandTable.groups.first(where: { [$0.word] == words }) {
      lines += [group.summary + ".", ""]
    }
    lines.append("Commands:")
    for command in commands {
      let word = command.words.dropFirst(words.count).joined(separator: " ")
      lines += Self.entry(word, command.summary, column: 14)
    }
    lines += ["", "'earshot \(name) COMMAND --help' explains one."]
    return lines.joined(separator: "\n") + "\n"
  }

  private func page(of command: CommandSpecification) -> String {
    var lines = Self.wrap("Usage: " + command.usage, indent: 0, hanging: 9)
    lines += ["", command.summary + "."]
    for paragraph in command.description {
      lines += [""] + Self.wrap(paragraph, indent: 0)
    }
    if !command.operands.isEmpty {
      lines += ["", "Operands:"]
      for operand in command.operands {
        lines += Self.entry(operand.placeholder, operand.summary, column: 24)
      }
    }
    lines += ["", "Options:"]
    for option in command.options {
      let letter = option.letter.map { "-\($0), " } ?? ""
      let often = option.isRepeatable ? "; may be given again" : ""
      lines += Self.entry(letter + option.usage, option.summary + often, column: 24)
    }
    lines += Self.entry("-h, --help", "Show this help", column: 24)
    if !command.examples.isEmpty {
      lines += ["", "Examples:"] + command.examples.map { "  " + $0 }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A name and its explanation in two columns.
  private static func entry(_ name: String, _ text: String, column: Int) -> [String] {
    let wrapped = wrap(text, indent: column + 2)
    let start = "  " + name
    guard name.count < column, let first = wrapped.first else { return [start] + wrapped }
    let gap = String(repeating: " ", count: column + 2 - start.count)
    return [start + gap + first.drop { $0 == " " }] + wrapped.dropFirst()
  }

  /// Breaks text at spaces so that lines fit the page.
  private static func wrap(_ text: String, indent: Int, hanging: Int? = nil) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      let margin = lines.isEmpty ? indent : hanging ?? indent
      if !line.isEmpty, margin + line.count + 1 + word.count > width {
        lines.append(String(repeating: " ", count: margin) + line)
        line = String(word)
      } else {
        line += (line.isEmpty ? "" : " ") + word
      }
    }
    return lines
      + [String(repeating: " ", count: lines.isEmpty ? indent : hanging ?? indent) + line]
  }
}
