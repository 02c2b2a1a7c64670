/// Reads what follows a command's words, by that command's entry in the table.
struct CommandLineReader {
  let command: CommandSpecification
  private var occurrences: [TypedArguments.Occurrence] = []
  private var operands: [[UInt8]] = []

  init(command: CommandSpecification) { self.command = command }

  /// Reads to the end, and checks that nothing is missing or too much.
  mutating func read(
    _ arguments: ArraySlice<[UInt8]>
  ) throws(UsageError) -> ArgumentParser.Request {
    var rest = arguments
    var optionsEnded = false
    while let argument = rest.popFirst() {
      if optionsEnded || argument.first != UInt8(ascii: "-") || argument.count == 1 {
        operands.append(argument)
      } else if argument == Array("--".utf8) {
        optionsEnded = true
      } else if argument == Array("--help".utf8) || argument == Array("-h".utf8) {
        return .help(command.words)
      } else if argument.starts(with: "--".utf8) {
        try readLong(argument, &rest)
      } else {
        try readLetters(argument, &rest)
      }
    }
    try checkOperands()
    for option in command.options where option.isRequired {
      guard occurrences.contains(where: { $0.name == option.name }) else {
        throw .missingOption(command: command.name, option: option.usage)
      }
    }
    return .run(TypedArguments(command: command, occurrences: occurrences, operands: operands))
  }

  private mutating func readLong(
    _ argument: [UInt8], _ rest: inout ArraySlice<[UInt8]>
  ) throws(UsageError) {
    let body = argument.dropFirst(2)
    let name = body.prefix { $0 != UInt8(ascii: "=") }
    let text = String(decoding: name, as: UTF8.self)
    guard let option = command.option(named: text) else {
      let nearest = Spelling.nearest(to: text, among: command.options.map(\.name) + ["help"])
      throw .unknownOption(
        typed: Array(argument.prefix(name.count + 2)), command: command.name,
        suggestion: nearest.map { "--" + $0 })
    }
    let attached = name.count < body.count ? Array(body.dropFirst(name.count + 1)) : nil
    try take(option, attached: attached, typed: "--" + option.name, &rest)
  }

  /// Letters after a single dash; the rest of the word is the value of the first that takes one.
  private mutating func readLetters(
    _ argument: [UInt8], _ rest: inout ArraySlice<[UInt8]>
  ) throws(UsageError) {
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      let character = Character(Unicode.Scalar(letter))
      guard let option = command.options.first(where: { $0.letter == character }) else {
        throw .unknownOption(typed: argument, command: command.name, suggestion: nil)
      }
      let attached = option.kind != nil && !letters.isEmpty ? Array(letters) : nil
      if attached != nil { letters = [] }
      try take(option, attached: attached, typed: "-\(character)", &rest)
    }
  }

  private mutating func take(
    _ option: OptionSpecification, attached: [UInt8]?, typed: String,
    _ rest: inout ArraySlice<[UInt8]>
  ) throws(UsageError) {
    if !option.isRepeatable && occurrences.contains(where: { $0.name == option.name }) {
      throw .repeated(option: typed)
    }
    guard let kind = option.kind, let placeholder = option.placeholder else {
      guard attached == nil else { throw .unexpectedValue(option: typed) }
      occurrences.append(.init(name: option.name, value: []))
      return
    }
    guard let value = attached ?? rest.popFirst() else {
      throw .missingValue(option: typed, placeholder: placeholder)
    }
    guard kind.accepts(value) else { throw .badValue(name: typed, typed: value, kind: kind) }
    occurrences.append(.init(name: option.name, value: value))
  }

  private func checkOperands() throws(UsageError) {
    var rest = operands[...]
    for specification in command.operands {
      guard rest.count >= specification.count.lowerBound else {
        throw .missingOperand(command: command.name, placeholder: specification.placeholder)
      }
      for value in rest.prefix(specification.count.upperBound) {
        guard specification.kind.accepts(value) else {
          throw .badValue(
            name: specification.placeholder, typed: value, kind: specification.kind)
        }
      }
      rest = rest.dropFirst(specification.count.upperBound)
    }
    if let extra = rest.first { throw .extraOperand(command: command.name, typed: extra) }
  }
}
