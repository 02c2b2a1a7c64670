internal import Foundation
internal import Glibc
internal import Synchronization

/// The daemon's log on standard error: events and numbers, never titles, names or paths.
///
/// At most ``ServiceLimits/logLinesPerMinute`` lines a minute; what is over it is counted and told.
final class ServiceLog: Sendable {
  enum Level: Int, Sendable {
    case error = 3
    case notice = 5
    case debug = 7
  }

  private struct State {
    var minute = 0
    var lines = 0
    var dropped = 0
  }

  private let state = Mutex(State())
  /// Under systemd each line begins with its level, as sd-daemon(3) has it.
  private let tellsLevels: Bool

  init(tellsLevels: Bool) { self.tellsLevels = tellsLevels }

  func notice(_ text: String) { write(.notice, text) }
  func error(_ text: String) { write(.error, text) }
  func ledgerFailed(_ what: String) { write(.error, "a \(what) record could not be written") }

  private func write(_ level: Level, _ text: String) {
    let minute = Int(Clock.monotonicSeconds() / 60)
    let lines = state.withLock { state -> [String] in
      var lines: [String] = []
      if state.minute != minute {
        if state.dropped > 0 { lines.append("\(state.dropped) lines were left out") }
        state = State(minute: minute)
      }
      guard state.lines < ServiceLimits.logLinesPerMinute else {
        state.dropped += 1
        return lines
      }
      state.lines += 1
      return lines + [text]
    }
    for line in lines {
      let whole = (tellsLevels ? "<\(level.rawValue)>" : "earshotd: ") + line + "\n"
      let bytes = Array(whole.utf8)
      // A closed or full log must never hold the daemon up or end it.
      _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
  }
}
