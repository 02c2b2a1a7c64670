internal import EarshotClient
internal import Foundation

/// The edge where errors become words and an exit status, once each.
///
/// Every text says what happened, what it means for the person, and the next step, in that order
/// (rule A4).
enum Report {
  /// The exit status of a wrong command line, as `sysexits.h` has it.
  static let wrongCommandLine: Int32 = 64

  /// Writes the error for the person and returns the exit status that stands for it.
  static func show(_ error: CommandError, console: Console) -> Int32 {
    switch error {
    case .usage(let usage):
      console.note(UsageText.describe(usage))
      return wrongCommandLine
    case .explained(let explanation, let outcome):
      console.note(text(explanation))
      return outcome.exitStatus
    case .file, .stream, .sound, .matching:
      console.note(text(explanation(of: error)))
      return Outcome.error.exitStatus
    }
  }

  /// The three parts of an explanation as lines.
  static func text(_ explanation: Explanation) -> String {
    [explanation.happened, explanation.means, explanation.next]
      .filter { !$0.isEmpty }.map(Shown.text).joined(separator: "\n")
  }

  /// An error in three parts.
  static func explanation(of error: CommandError) -> Explanation {
    switch error {
    case .usage(let usage):
      return Explanation(
        reason: "usage", happened: UsageText.describe(usage), means: "", next: "")
    case .explained(let explanation, _):
      return explanation
    case .sound(let fault, let path):
      let name = path == MatchPlan.standardInput ? "Standard input" : Shown.bytes(path)
      return SearchText.explain(fault, name: name)
    case .matching(let fault, let paths):
      return SearchText.explain(fault, names: paths.map(Shown.bytes))
    case .file(let path, let number):
      return Explanation(
        reason: "file", happened: "\(Shown.bytes(path)): \(systemText(number)).",
        means: "It was not used.", next: "Check its name and who may read or write it.")
    case .stream(let number):
      return Explanation(
        reason: "stream", happened: "The results could not be written: \(systemText(number)).",
        means: "What was printed so far may be incomplete.",
        next: "Make room or choose another place, then run the command again.")
    }
  }

  /// The system's text of an error number.
  static func systemText(_ number: Int32) -> String {
    unsafe String(cString: strerror(number))
  }
}
