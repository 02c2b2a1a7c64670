/// What was typed for one command: checked against the table, not yet against the world.
///
/// Values are the bytes that were given. Asking for an option that the table doesn't give the
/// command is a broken invariant and traps.
struct TypedArguments: Sendable {
  /// One option as it was given.
  struct Occurrence: Sendable, Hashable {
    let name: String
    let value: [UInt8]
  }

  /// The command that was named.
  let command: CommandSpecification
  /// The options in the order given.
  let occurrences: [Occurrence]
  /// What is no option, in the order given.
  let operands: [[UInt8]]

  /// Whether the option was given.
  func has(_ name: String) -> Bool {
    check(name)
    return occurrences.contains { $0.name == name }
  }

  /// All values of the option, in the order given.
  func values(_ name: String) -> [[UInt8]] {
    check(name)
    return occurrences.lazy.filter { $0.name == name }.map(\.value)
  }

  /// The bytes of the option's value: a file name, for example.
  func bytes(_ name: String) -> [UInt8]? { values(name).last }

  /// The option's value as text.
  func text(_ name: String) -> String? {
    bytes(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The option's value as a number.
  func number(_ name: String) -> Double? { bytes(name).flatMap(ValueKind.number) }

  /// The option's value as a time in seconds.
  func time(_ name: String) -> Double? { bytes(name).flatMap(ValueKind.time) }

  /// The option's value as a whole number.
  func count(_ name: String) -> Int? { bytes(name).flatMap(ValueKind.count) }

  private func check(_ name: String) {
    precondition(
      command.option(named: name) != nil, "\(command.name) has no option --\(name)")
  }
}
