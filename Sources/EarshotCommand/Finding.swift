/// What one check of `earshot doctor` found.
struct Finding: Sendable, Hashable {
  /// How it stands.
  enum Standing: String, Sendable, Hashable {
    /// As it should be.
    case good
    /// Something works less well, or not at all, but nothing is broken.
    case notice
    /// Listening cannot work so.
    case bad
  }

  /// What was checked, as a stable word for programs.
  let check: String
  let standing: Standing
  /// What was found, as a sentence.
  let found: String
  /// What to do; empty where nothing needs doing.
  let next: String

  static func good(_ check: String, _ found: String) -> Finding {
    Finding(check: check, standing: .good, found: found, next: "")
  }

  static func notice(_ check: String, _ found: String, next: String) -> Finding {
    Finding(check: check, standing: .notice, found: found, next: next)
  }

  static func bad(_ check: String, _ found: String, next: String) -> Finding {
    Finding(check: check, standing: .bad, found: found, next: next)
  }

  /// The object of `doctor --json`.
  var json: JSONText {
    .object([
      .init("version", 1), .init("check", .string(check)),
      .init("standing", .string(standing.rawValue)), .init("found", .string(found)),
      .init("next", .string(next)),
    ])
  }

  /// The lines for people.
  var lines: [String] {
    let mark =
      switch standing {
      case .good: "ok  "
      case .notice: "note"
      case .bad: "BAD "
      }
    return ["\(mark)  \(Cells.padded(check, to: 16))\(found)"]
      + (next.isEmpty ? [] : [String(repeating: " ", count: 22) + next])
  }
}
