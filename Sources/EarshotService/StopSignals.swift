internal import Glibc

/// The signals that stop the daemon, blocked in all threads and waited for in one.
@safe struct StopSignals: Sendable {
  private let set: sigset_t

  /// Blocks them; made before any other thread, which inherits the block.
  init() {
    var stopping = sigset_t()
    unsafe sigemptyset(&stopping)
    for signal in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&stopping, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &stopping, nil)
    set = stopping
    // A client or a log that has gone is told by the write's status.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Waits for one, at most so long; true when one came.
  func wait(milliseconds: Int) -> Bool {
    var set = set
    var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    return unsafe sigtimedwait(&set, nil, &time) > 0
  }
}
