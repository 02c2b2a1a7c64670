/// Completion for bash, made from the table.
struct BashCompletion {
  /// The commands there are.
  let table: [CommandSpecification]

  /// The whole file. It needs nothing but bash itself.
  func text() -> String {
    var lines = [
      "# Completion for bash. Made by 'earshot --generate bash'.", "_earshot() {",
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}",
      "  local path='' word i options='' words=''",
      "  for ((i = 1; i < COMP_CWORD; i++)); do", "    word=${COMP_WORDS[i]}",
      "    case \"$path $word\" in",
    ]
    let starts = Set(
      table.flatMap { command in
        command.words.indices.map { " " + command.words[...$0].joined(separator: " ") }
      })
    let patterns = starts.sorted().map { "'\($0)'" }.joined(separator: " | ")
    lines.append("      \(patterns)) path=\"$path $word\" ;;")
    lines += ["    esac", "  done", "  case \"$path\" in"]
    for group in groupPaths() {
      let next = nextWords(after: group)
      let path = group.map { " " + $0 }.joined()
      let extra = group.isEmpty ? " help --help --version" : " --help"
      lines.append("    '\(path)') words='\(next.joined(separator: " "))\(extra)' ;;")
    }
    for command in table {
      let options = command.options.map { "--" + $0.name } + ["--help"]
      lines.append("    ' \(command.name)') options='\(options.joined(separator: " "))' ;;")
    }
    lines += ["  esac", "  case \"$path $previous\" in"]
    for command in table {
      for option in command.options {
        guard let kind = option.kind else { continue }
        lines.append("    ' \(command.name) --\(option.name)') \(completion(of: kind)) ;;")
      }
    }
    lines += [
      "  esac", "  if [[ -n $words ]]; then",
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))",
      "  elif [[ $current == -* ]]; then",
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))", "  else",
      "    compopt -o filenames", "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")",
      "  fi", "}", "complete -F _earshot earshot",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  /// What to do where the word before is an option with a value.
  private func completion(of kind: ValueKind) -> String {
    switch kind {
    case .file:
      "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return"
    case .folder:
      "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$current\"); return"
    case .choice(let words, _):
      "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$current\")); return"
    case .text, .number, .count, .time: "COMPREPLY=(); return"
    }
  }

  private func groupPaths() -> [[String]] {
    var paths: [[String]] = [[]]
    for command in table where command.words.count > 1 {
      let path = Array(command.words.dropLast())
      if !paths.contains(path) { paths.append(path) }
    }
    return paths
  }

  private func nextWords(after path: [String]) -> [String] {
    var words: [String] = []
    for command in table where command.words.starts(with: path) {
      if let word = command.words.dropFirst(path.count).first, !words.contains(word) {
        words.append(word)
      }
    }
    return words
  }
}
