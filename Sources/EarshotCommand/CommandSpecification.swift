/// One command of the command line, as a fact, and the function that carries it out.
struct CommandSpecification: Sendable {
  /// Carries the command out and returns the exit status.
  typealias Action = @Sendable (TypedArguments, Console) throws(CommandError) -> Int32

  /// The words that name it: `["catalog", "create"]`.
  let words: [String]
  /// One line for help and completions, without a full stop.
  let summary: String
  /// Paragraphs for its help and the manual page.
  let description: [String]
  /// What it takes, in order; only the last may take more than one.
  let operands: [OperandSpecification]
  /// Its options; `--help` is everywhere and not listed.
  let options: [OptionSpecification]
  /// Examples, as typed after the prompt.
  let examples: [String]
  /// What it does.
  let action: Action

  init(
    _ words: [String], _ summary: String, _ description: [String] = [],
    operands: [OperandSpecification] = [], options: [OptionSpecification] = [],
    examples: [String] = [], action: @escaping Action
  ) {
    self.words = words
    self.summary = summary
    self.description = description
    self.operands = operands
    self.options = options
    self.examples = examples
    self.action = action
  }

  /// The words with spaces between them.
  var name: String { words.joined(separator: " ") }

  /// How it is typed: required options first, then the others, then operands.
  var usage: String {
    let required = options.filter(\.isRequired).map { $0.usage + ($0.isRepeatable ? "…" : "") }
    let others = options.contains { !$0.isRequired } ? ["[OPTION…]"] : []
    return (["earshot", name] + required + others + operands.map(\.usage))
      .joined(separator: " ")
  }

  /// The option of that long name.
  func option(named name: some StringProtocol) -> OptionSpecification? {
    options.first { $0.name == name }
  }
}
