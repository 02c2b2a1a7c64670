internal import Glibc

/// A pipe that wakes a polling thread.
final class WakePipe: Sendable {
  let reading: Int32
  private let writing: Int32

  init() throws(ServiceError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw .socket(call: "pipe", code: errno) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    reading = ends[0]
    writing = ends[1]
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Makes the reading end readable; it keeps `errno`, so a signal handler may call it.
  func wake() {
    let kept = errno
    var byte: UInt8 = 1
    // A full pipe is readable already.
    _ = unsafe write(writing, &byte, 1)
    errno = kept
  }

  /// Sleeps until it is woken, at most so long, and empties it.
  func wait(milliseconds: Int32) {
    var polled = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    if unsafe poll(&polled, 1, milliseconds) > 0 { drain() }
  }

  /// Empties it.
  func drain() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while unsafe read(reading, &bytes, bytes.count) > 0 {}
  }
}
