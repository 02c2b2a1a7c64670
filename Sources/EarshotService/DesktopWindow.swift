internal import Foundation
internal import Glibc
internal import Synchronization

/// One zenity process that shows something, ended when it is closed.
final class DesktopWindow: DesktopShown {
  /// The one program that may show prompts; root owns it, and the person's PATH is not asked.
  static let program = "/usr/bin/zenity"

  private struct State {
    var process: pid_t
    var isReaped = false
  }

  private let state: Mutex<State>

  private init(process: pid_t) { state = Mutex(State(process: process)) }

  /// Starts it; `ended` is called once, on a thread of its own, with its output and its status.
  static func open(
    _ arguments: [String], environment: [String: String],
    ended: @escaping @Sendable (String, Int32) -> Void
  ) -> DesktopWindow? {
    // GTK writes warnings of its own, which are nobody's concern here.
    let start = ProgramStart(
      path: program, words: ["zenity"] + arguments,
      environment: environment.map { "\($0.key)=\($0.value)" }, isQuiet: true)
    guard let started = try? StartedProgram(start) else { return nil }
    let window = DesktopWindow(process: started.process)
    Thread.detachNewThread { ended(readAll(started), window.reap()) }
    return window
  }

  /// Takes it off the screen.
  func close() {
    // Under the lock: a number that was reaped may be another process's by now.
    state.withLock { if !$0.isReaped { kill($0.process, SIGTERM) } }
  }

  private func reap() -> Int32 {
    let process = state.withLock { $0.process }
    // Waited for without reaping first, so that the number stays ours until it is marked.
    var facts = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(process), &facts, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
    return state.withLock { state in
      state.isReaped = true
      return reapProcess(process)
    }
  }

  private static func readAll(_ started: StartedProgram) -> String {
    var bytes: [UInt8] = []
    // A button's label is short; what is longer is none.
    while bytes.count < StartedProgram.byteCountMax {
      let piece = started.nextPiece()
      if piece.isEmpty { break }
      bytes += piece
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
