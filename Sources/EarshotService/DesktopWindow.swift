internal import Foundation
internal import Glibc
internal import Synchronization

/// One zenity process that shows something, ended when it is closed.
final class DesktopWindow: Sendable {
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
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { Glibc.close(ends[1]) }
    var process: pid_t = 0
    guard launch(arguments, environment, output: ends[1], &process) == 0 else {
      Glibc.close(ends[0])
      return nil
    }
    let window = DesktopWindow(process: process)
    let reading = ends[0]
    Thread.detachNewThread {
      let output = readAll(reading)
      ended(output, window.reap())
    }
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
      var status: Int32 = 0
      while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
      state.isReaped = true
      return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
  }

  private static func readAll(_ descriptor: Int32) -> String {
    defer { Glibc.close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1024)
    while true {
      let count = unsafe read(descriptor, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      // A button's label is short; what is longer is none.
      guard count > 0, bytes.count < 64 << 10 else { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(contentsOf: piece[..<count])
    }
  }

  private static func launch(
    _ arguments: [String], _ environment: [String: String], output: Int32, _ process: inout pid_t
  ) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    // GTK writes warnings of its own, which are nobody's concern here.
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let words = CStrings(["zenity"] + arguments)
    let variables = CStrings(environment.map { "\($0.key)=\($0.value)" })
    return unsafe posix_spawn(
      &process, program, &actions, &attributes, words.pointers, variables.pointers)
  }
}
