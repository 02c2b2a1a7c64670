/// Completion for fish, made from the table.
struct FishCompletion {
  /// The commands there are.
  let table: [CommandSpecification]

  /// The whole file.
  func text() -> String {
    var lines = [
      "# Completion for fish. Made by 'earshot --generate fish'.",
      "function __earshot_at", "    set -l words (commandline -opc)[2..-1]",
      "    set -l wanted $argv", "    set -l count (count $wanted)",
      "    test $count -eq 0; and begin", "        test (count $words) -eq 0", "        return",
      "    end", "    test (count $words) -ge $count; or return 1",
      "    test \"$words[1..$count]\" = \"$wanted\"", "end", "function __earshot_ends",
      "    set -l words (commandline -opc)[2..-1]", "    test \"$words\" = \"$argv\"", "end",
      "complete -c earshot -f -n '__earshot_at' -l version -d 'Show the version'",
      "complete -c earshot -l help -s h -d 'Show the help'",
    ]
    var shown: Set<String> = []
    for command in table {
      guard let first = command.words.first, shown.insert(first).inserted else { continue }
      let group = CommandTable.groups.first { $0.word == first && command.words.count > 1 }
      let summary = Self.quoted(group?.summary ?? command.summary)
      lines.append("complete -c earshot -f -n '__earshot_at' -a \(first) -d \(summary)")
    }
    for command in table where command.words.count > 1 {
      let before = command.words.dropLast().joined(separator: " ")
      guard let last = command.words.last else { continue }
      lines.append(
        "complete -c earshot -f -n '__earshot_ends \(before)' -a \(last) "
          + "-d \(Self.quoted(command.summary))")
    }
    for command in table {
      for option in command.options { lines.append(line(for: option, of: command)) }
      if !command.operands.contains(where: { takesFiles($0.kind) }) {
        lines.append("complete -c earshot -f -n '__earshot_at \(command.name)'")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(for option: OptionSpecification, of command: CommandSpecification) -> String {
    var text = "complete -c earshot -n '__earshot_at \(command.name)' -l \(option.name)"
    if let letter = option.letter { text += " -s \(letter)" }
    switch option.kind {
    case nil: break
    case .file, .folder: text += " -r -F"
    case .choice(let words, _): text += " -x -a \(Self.quoted(words.joined(separator: " ")))"
    case .text, .number, .count, .time: text += " -x"
    }
    return text + " -d " + Self.quoted(option.summary)
  }

  private func takesFiles(_ kind: ValueKind) -> Bool {
    switch kind {
    case .file, .folder: true
    case .text, .number, .count, .time, .choice: false
    }
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
