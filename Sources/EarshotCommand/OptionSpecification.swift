/// One option of a command, as a fact.
///
/// The parser, the help, the manual page and the completions of the shells are all made from it.
struct OptionSpecification: Sendable, Hashable {
  /// The long name, without its dashes.
  let name: String
  /// The letter after a single dash, if the option has one.
  let letter: Character?
  /// How the value is called in help, in capitals; nil for an option without a value.
  let placeholder: String?
  /// What the value stands for; nil for an option without a value.
  let kind: ValueKind?
  /// One line for help and completions, without a full stop.
  let summary: String
  /// Whole sentences for the manual page; empty where the summary says all.
  let details: String
  /// Whether it may be given more than once.
  let isRepeatable: Bool
  /// Whether the command is wrong without it.
  let isRequired: Bool

  /// An option without a value.
  static func flag(
    _ name: String, letter: Character? = nil, _ summary: String, _ details: String = ""
  ) -> OptionSpecification {
    OptionSpecification(
      name: name, letter: letter, placeholder: nil, kind: nil, summary: summary, details: details,
      isRepeatable: false, isRequired: false)
  }

  /// An option with a value.
  static func value(
    _ name: String, letter: Character? = nil, _ placeholder: String, _ kind: ValueKind,
    repeatable: Bool = false, required: Bool = false, _ summary: String, _ details: String = ""
  ) -> OptionSpecification {
    OptionSpecification(
      name: name, letter: letter, placeholder: placeholder, kind: kind, summary: summary,
      details: details, isRepeatable: repeatable, isRequired: required)
  }

  /// How it is typed, with its placeholder: `--limit S`.
  var usage: String { placeholder.map { "--\(name) \($0)" } ?? "--\(name)" }
}

/// What a command takes besides options.
struct OperandSpecification: Sendable, Hashable {
  /// How it is called in help, in capitals.
  let placeholder: String
  /// What it stands for.
  let kind: ValueKind
  /// How many there must and may be.
  let count: ClosedRange<Int>
  /// One line for help, without a full stop.
  let summary: String

  init(
    _ placeholder: String, _ kind: ValueKind, count: ClosedRange<Int> = 1...1, _ summary: String
  ) {
    self.placeholder = placeholder
    self.kind = kind
    self.count = count
    self.summary = summary
  }

  /// How it appears in a usage line: `AUDIO…`, `[PATH…]`.
  var usage: String {
    let name = count.upperBound > 1 ? placeholder + "…" : placeholder
    return count.lowerBound == 0 ? "[\(name)]" : name
  }
}
