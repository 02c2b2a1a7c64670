internal import EarshotClient
internal import Foundation

/// A command that asks the daemon once and prints what it says.
enum DaemonCommand {
  /// Wraps a command's body in a connection that is ended after it.
  static func action(
    _ body:
      @escaping @Sendable (TypedArguments, Console, DaemonConnection) throws(CommandError)
      -> Int32
  ) -> CommandSpecification.Action {
    { (typed, console) throws(CommandError) in
      Interruption.begin()
      let connection = try DaemonConnection(socket: typed.text("socket"))
      defer { connection.end() }
      return try body(typed, console, connection)
    }
  }

  /// Prints one object a line where `--json` was given, else the lines for people.
  static func show<Entry: Encodable>(
    _ entries: [Entry], typed: TypedArguments, console: Console, none: String,
    lines: ([Entry]) -> [String]
  ) {
    if typed.has("json") {
      for entry in entries { console.print(VersionedRecord.text(entry)) }
    } else if entries.isEmpty {
      console.note(none)
    } else {
      for line in lines(entries) { console.print(line) }
    }
  }
}

/// A message of the API as one line of JSON with a `version`.
enum VersionedRecord {
  /// The keys are those of the API, in alphabetical order, the version first.
  static func text(_ entry: some Encodable) -> String {
    let text = JSONText.encoded(entry)
    if text.contains("\"version\":") { return text }
    return text == "{}" ? "{\"version\":1}" : "{\"version\":1," + text.dropFirst()
  }
}
