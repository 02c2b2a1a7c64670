internal import Glibc
internal import Synchronization

/// Ends requests from another thread or from a signal handler.
///
/// It wraps a pipe, so that a waiting request wakes at once. One cancellation may belong to several
/// requests; once set it stays set.
public final class Cancellation: Sendable {
  private let isSet = Atomic<Bool>(false)
  /// The descriptor that becomes readable when the cancellation is set, or -1.
  public let descriptor: Int32
  private let writing: Int32

  /// Makes one that is not set.
  ///
  /// Where the process has no descriptor left, ``descriptor`` is -1 and requests notice the
  /// cancellation within a quarter of a second instead of at once.
  public init() {
    var ends: [Int32] = [-1, -1]
    if unsafe pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
    }
    descriptor = ends[0]
    writing = ends[1]
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    close(writing)
  }

  /// Whether ``cancel()`` has been called.
  public var isCancelled: Bool { isSet.load(ordering: .acquiring) }

  /// Ends the requests that hold this cancellation.
  ///
  /// It neither allocates nor locks and keeps `errno`, so a signal handler may call it.
  public func cancel() {
    let kept = errno
    let wasSet = isSet.exchange(true, ordering: .acquiringAndReleasing)
    if !wasSet && writing >= 0 {
      var byte: UInt8 = 1
      // One byte goes into an empty pipe; it is never read, so every waiting request sees it.
      _ = unsafe write(writing, &byte, 1)
    }
    errno = kept
  }
}
