internal import CSandbox
internal import Glibc

/// How a worker locks itself in, from the first instruction to the open microphone (wall W8).
///
/// In order: it dies with its parent, leaves no core, reads only what opening the source needs and,
/// once the source is open, opens nothing at all.
enum Lockdown {
  /// Why a worker could not be locked in; it must not go on.
  struct Fault: Error, Hashable {
    /// A positive errno.
    let code: Int32
  }

  /// Makes sure that the process which made `socket` is the parent, and that its end is ours.
  ///
  /// The kernel follows the parent's *thread*; the end of the socket covers what that misses. When
  /// the parent has ended before the first line, the process has another parent than the socket says.
  static func bindToParent(socket: Int32) throws(Fault) {
    try check(earshot_die_with_parent(SIGKILL))
    try checkParent(socket: socket)
  }

  /// Compares the maker of `socket` with the present parent.
  static func checkParent(socket: Int32) throws(Fault) {
    let maker = earshot_peer_process(socket)
    try check(maker)
    guard maker == getppid() else { throw Fault(code: ESRCH) }
  }

  /// No core file, and no look into this process's memory by other processes of the user.
  static func leaveNoTrace() throws(Fault) { try check(earshot_leave_no_trace()) }

  /// From now on only `readable` paths and the sound devices can be opened.
  ///
  /// Has to come before the first thread: the rules bind the calling thread and its children. A kernel
  /// without Landlock is told by `false`; the calls are still restricted later.
  static func restrictFiles(readable: [String], devices: [String]) throws(Fault) -> Bool {
    guard earshot_landlock_version() > 0 else { return false }
    let rules = earshot_landlock_begin()
    try check(rules)
    for (paths, right) in [(readable, EARSHOT_READ), (devices, EARSHOT_READ_AND_WRITE_DEVICE)] {
      for path in paths {
        let status = unsafe earshot_landlock_allow(rules, path, right)
        // What is not there, or can't be reached anyway, needs no rule.
        guard status == 0 || [ENOENT, ENOTDIR, EACCES].contains(-status) else {
          close(rules)
          throw Fault(code: -status)
        }
      }
    }
    try check(earshot_landlock_enforce(rules))
    return true
  }

  /// From now on nothing can be opened, connected, started or made executable, by no thread.
  static func restrictCalls() throws(Fault) { try check(earshot_allow_only_open_descriptors()) }

  /// The kernel ends this process after so many seconds, whatever it waits for.
  static func endAfter(seconds: UInt32) {
    signal(SIGALRM, SIG_DFL)
    alarm(max(1, seconds))
  }

  private static func check(_ status: Int32) throws(Fault) {
    if status < 0 { throw Fault(code: -status) }
  }
}
