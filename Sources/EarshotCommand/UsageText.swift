/// The words for a wrong command line.
enum UsageText {
  /// What is wrong, and where to look.
  static func describe(_ error: UsageError) -> String {
    "earshot: \(fault(error))\n\(next(error))"
  }

  private static func fault(_ error: UsageError) -> String {
    switch error {
    case .noCommand(let group):
      group.isEmpty
        ? "No command was given." : "'\(group.joined(separator: " "))' needs a command after it."
    case .unknownCommand(let typed, let group, _):
      "There is no command '\((group + [Shown.bytes(typed)]).joined(separator: " "))'."
    case .unknownOption(let typed, let command, _):
      command.isEmpty
        ? "There is no option '\(Shown.bytes(typed))'."
        : "'\(command)' has no option '\(Shown.bytes(typed))'."
    case .missingValue(let option, let placeholder): "\(option) needs a value: \(placeholder)."
    case .unexpectedValue(let option): "\(option) takes no value."
    case .badValue(let name, let typed, let kind):
      "\(name): '\(Shown.bytes(typed))' is not \(expected(kind))."
    case .repeated(let option): "\(option) was given more than once."
    case .missingOption(let command, let option): "'\(command)' needs \(option)."
    case .missingOperand(let command, let placeholder): "'\(command)' needs \(placeholder)."
    case .extraOperand(let command, let typed):
      "'\(command)' takes no more operands: '\(Shown.bytes(typed))' is too much."
    case .conflict(let one, let other): "\(one) and \(other) exclude each other."
    case .needs(let option, let other): "\(option) needs \(other)."
    case .standardInputTwice: "Standard input ('-') can be read only once."
    case .standardInputIsTerminal: "Standard input is a terminal, and no sound comes from it."
    }
  }

  private static func next(_ error: UsageError) -> String {
    switch error {
    case .unknownCommand(_, let group, let suggestion?):
      "Did you mean '\((["earshot"] + group + [suggestion]).joined(separator: " "))'?"
    case .unknownOption(_, _, let suggestion?): "Did you mean '\(suggestion)'?"
    case .unknownOption(let typed, let command, nil) where !command.isEmpty:
      "A file of that name is given after '--': earshot \(command) -- \(Shown.bytes(typed))"
    case .noCommand(let group), .unknownCommand(_, let group, nil): help(group)
    case .missingOption(let command, _), .missingOperand(let command, _),
      .extraOperand(let command, _):
      help([command])
    case .standardInputIsTerminal: "Give it a file or a pipe, or name files instead of '-'."
    default: help([])
    }
  }

  private static func help(_ words: [String]) -> String {
    "See '\((["earshot"] + words + ["--help"]).joined(separator: " "))'."
  }

  private static func expected(_ kind: ValueKind) -> String {
    switch kind {
    case .file: "the name of a file"
    case .folder: "the name of a folder"
    case .text: "text in UTF-8"
    case .number(let bounds, let unit):
      "a number of \(unit) from \(plain(bounds.lowerBound)) to \(plain(bounds.upperBound))"
    case .count(let bounds):
      bounds.upperBound == .max
        ? "a whole number from \(bounds.lowerBound) up"
        : "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
    case .time: "a time in seconds or as 1:02:03.5"
    case .choice(let words, _): "one of " + words.joined(separator: ", ")
    }
  }

  private static func plain(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e9 ? String(Int(number)) : String(number)
  }
}
