internal import EarshotClient
internal import Foundation

/// What Ctrl-C and the signals that ask a program to end do.
///
/// The first one is noted, so that the command can close the microphone, put back the terminal and
/// remove half files; a second one ends the process at once. A signal that was ignored when the
/// program started stays ignored, as `nohup` and background jobs expect.
enum Interruption {
  /// Set by the first signal. Waiting requests end with it, and its descriptor wakes `poll`.
  static let cancellation = Cancellation()

  /// The exit status of a command that was ended so.
  static let exitStatus = Outcome.cancelled.exitStatus

  /// Whether a person or a signal asked the program to end.
  static var isRequested: Bool { cancellation.isCancelled }

  /// Notes signals from now on.
  static func begin() {
    // The handler uses it, and the first use of a static value takes a lock.
    _ = cancellation.isCancelled
    for number in [SIGINT, SIGTERM, SIGHUP] { install(number, note) }
  }

  /// Notes Ctrl-Z as well: a stopped program shows nothing, so its microphone has to close first.
  static func beginSuspension() {
    _ = suspension.isCancelled
    install(SIGTSTP) { _ in
      Interruption.suspension.cancel()
      Interruption.cancellation.cancel()
    }
  }

  /// Set by Ctrl-Z, where ``beginSuspension()`` was called.
  static let suspension = Cancellation()

  /// Stops the process as Ctrl-Z asked, once nothing is open any more; it goes on from here.
  static func suspendIfAsked() {
    guard suspension.isCancelled else { return }
    kill(getpid(), SIGSTOP)
  }

  /// Ends the process at once when a signal comes: for commands that leave nothing half done.
  static func endAtOnce() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      install(number) { _ in _exit(130) }
    }
  }

  private static let note: @convention(c) (Int32) -> Void = { _ in
    if cancellation.isCancelled {
      TerminalState.restoreAtOnce()
      _exit(130)
    }
    cancellation.cancel()
  }

  private static func install(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void)
  {
    let before = signal(number, handler)
    // SAFETY: handlers are compared by their address alone; SIG_IGN is the address 1.
    if unsafe unsafeBitCast(before, to: Int.self) == 1 { signal(number, SIG_IGN) }
  }
}
