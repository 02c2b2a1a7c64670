/// The first stage: from the bytes that were typed to a command with its options and operands.
///
/// Pure: it touches nothing of the system. Options and operands may be mixed; `--` ends the options;
/// a lone `-` is an operand; a value may be attached (`--limit=3`) or follow (`--limit 3`), and
/// what follows is taken as it is, even with a leading dash. Names are never abbreviated, because
/// an abbreviation changes its meaning when the table grows.
struct ArgumentParser {
  /// What a command line asks for.
  enum Request {
    /// Carry out a command.
    case run(TypedArguments)
    /// Show the help of these words: a command, a group, or everything.
    case help([String])
    /// Show the version.
    case version
    /// Print a generated file: the manual page or a shell's completions.
    case generate([UInt8])
  }

  /// The commands there are.
  let table: [CommandSpecification]

  /// Reads the arguments, without the program's own name.
  func parse(_ arguments: [[UInt8]]) throws(UsageError) -> Request {
    guard let first = arguments.first else { throw .noCommand(group: []) }
    switch String(decoding: first, as: UTF8.self) {
    case "--help", "-h": return .help([])
    case "--version", "-V": return .version
    case "--generate":
      guard arguments.count == 2 else {
        throw .missingValue(option: "--generate", placeholder: "KIND")
      }
      return .generate(arguments[1])
    case "help": return .help(try words(of: Array(arguments.dropFirst())))
    default: break
    }
    if first.first == UInt8(ascii: "-") {
      throw .unknownOption(typed: first, command: "", suggestion: nil)
    }
    return try parseCommand(arguments)
  }

  /// Takes the words that name a command, then its options and operands.
  private func parseCommand(_ arguments: [[UInt8]]) throws(UsageError) -> Request {
    var words: [String] = []
    for (index, argument) in arguments.enumerated() {
      let word = String(decoding: argument, as: UTF8.self)
      if word == "--help" || word == "-h" { return .help(words) }
      guard table.contains(where: { $0.words.starts(with: words + [word]) }) else {
        throw .unknownCommand(
          typed: argument, group: words, suggestion: suggestion(for: word, group: words))
      }
      words.append(word)
      if let command = table.first(where: { $0.words == words }) {
        var line = CommandLineReader(command: command)
        return try line.read(arguments.dropFirst(index + 1))
      }
    }
    throw .noCommand(group: words)
  }

  /// The words after `help`, which must name a command or a group.
  private func words(of arguments: [[UInt8]]) throws(UsageError) -> [String] {
    var words: [String] = []
    for argument in arguments {
      let word = String(decoding: argument, as: UTF8.self)
      guard table.contains(where: { $0.words.starts(with: words + [word]) }) else {
        throw .unknownCommand(
          typed: argument, group: words, suggestion: suggestion(for: word, group: words))
      }
      words.append(word)
    }
    return words
  }

  private func suggestion(for word: String, group: [String]) -> String? {
    let known = table.filter { $0.words.starts(with: group) }
      .compactMap { $0.words.dropFirst(group.count).first }
    return Spelling.nearest(to: word, among: known)
  }
}
