/// Completion for zsh, made from the table.
struct ZshCompletion {
  /// The commands there are.
  let table: [CommandSpecification]

  /// The whole file, to be called `_earshot` in a folder of `fpath`.
  func text() -> String {
    var lines = ["#compdef earshot", "# Made by 'earshot --generate zsh'.", "", "_earshot() {"]
    lines += ["  local -a commands", "  local path=''"]
    lines += ["  case $words[2] in"]
    for group in groups() {
      lines += ["    \(group))", "      if (( CURRENT == 3 )); then", "        commands=("]
      for command in table where command.words.first == group && command.words.count == 2 {
        lines.append("          \(Self.quoted(Self.described(command.words[1], command.summary)))")
      }
      lines += [
        "        )", "        _describe command commands", "        return", "      fi",
        "      path=\"$words[2] $words[3]\"", "      (( CURRENT -= 2 )); shift 2 words ;;",
      ]
    }
    lines += [
      "    *)", "      if (( CURRENT == 2 )); then", "        commands=(",
    ]
    for (word, summary) in firstWords() {
      lines.append("          \(Self.quoted(Self.described(word, summary)))")
    }
    lines += [
      "        )", "        _describe command commands", "        return", "      fi",
      "      path=$words[2]", "      (( CURRENT -= 1 )); shift words ;;", "  esac",
      "  case $path in",
    ]
    for command in table { lines += arguments(of: command) }
    lines += ["  esac", "}", "", "_earshot \"$@\""]
    return lines.joined(separator: "\n") + "\n"
  }

  private func arguments(of command: CommandSpecification) -> [String] {
    var lines = ["    '\(command.name)')", "      _arguments -S -s \\"]
    for option in command.options {
      let often = option.isRepeatable ? "*" : ""
      var text = "\(often)--\(option.name)[\(Self.bracketed(option.summary))]"
      if let kind = option.kind, let placeholder = option.placeholder {
        text += ":\(placeholder):\(Self.action(kind))"
      }
      lines.append("        \(Self.quoted(text)) \\")
    }
    for operand in command.operands {
      let often = operand.count.upperBound > 1 ? "*" : ""
      let text = "\(often):\(operand.placeholder):\(Self.action(operand.kind))"
      lines.append("        \(Self.quoted(text)) \\")
    }
    return lines + ["        '(-h --help)'{-h,--help}'[Show the help]' ;;"]
  }

  private func groups() -> [String] {
    CommandTable.groups.map(\.word).filter { word in
      table.contains { $0.words.count > 1 && $0.words.first == word }
    }
  }

  private func firstWords() -> [(String, String)] {
    var shown: [(String, String)] = []
    for command in table {
      guard let word = command.words.first, !shown.contains(where: { $0.0 == word }) else {
        continue
      }
      let group = CommandTable.groups.first { $0.word == word && command.words.count > 1 }
      shown.append((word, group?.summary ?? command.summary))
    }
    return shown
  }

  private static func action(_ kind: ValueKind) -> String {
    switch kind {
    case .file: "_files"
    case .folder: "_files -/"
    case .choice(let words, _): "(\(words.joined(separator: " ")))"
    case .text, .number, .count, .time: " "
    }
  }

  private static func described(_ word: String, _ summary: String) -> String {
    word + ":" + summary.replacing(":", with: "\\:")
  }

  private static func bracketed(_ text: String) -> String {
    text.replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(":", with: "\\:")
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
