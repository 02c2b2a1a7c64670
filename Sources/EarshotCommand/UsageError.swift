/// The ways a command line can be wrong; each ends with exit status 64.
enum UsageError: Error, Sendable, Hashable {
  /// Nothing was typed after `earshot`, or after a word that only groups commands.
  case noCommand(group: [String])
  /// There is no such command.
  case unknownCommand(typed: [UInt8], group: [String], suggestion: String?)
  /// The command has no such option. `typed` is with its dashes.
  case unknownOption(typed: [UInt8], command: String, suggestion: String?)
  /// The option needs a value and the line ends.
  case missingValue(option: String, placeholder: String)
  /// The option takes no value, and one was attached with `=`.
  case unexpectedValue(option: String)
  /// The value is not of its kind. `name` is the option with dashes, or the operand.
  case badValue(name: String, typed: [UInt8], kind: ValueKind)
  /// The option was given twice and counts once.
  case repeated(option: String)
  /// The command needs this option.
  case missingOption(command: String, option: String)
  /// The command needs more operands.
  case missingOperand(command: String, placeholder: String)
  /// The command takes fewer operands.
  case extraOperand(command: String, typed: [UInt8])
  /// Two options that exclude each other.
  case conflict(String, String)
  /// An option that means something only with another.
  case needs(option: String, other: String)
  /// Standard input was named more than once, or where it cannot be read.
  case standardInputTwice
  /// Standard input was asked for and is a terminal.
  case standardInputIsTerminal
}
