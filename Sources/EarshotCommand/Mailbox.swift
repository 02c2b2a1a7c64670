internal import Foundation
internal import Synchronization

/// A queue from other threads to one that waits with `poll`.
final class Mailbox<Element: Sendable>: Sendable {
  /// Readable while something waits in the queue.
  let descriptor: Int32
  private let writing: Int32
  private let waiting = Mutex<[Element]>([])

  /// Makes an empty one; fails only where the process has no descriptor left.
  init() throws(CommandError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw .stream(errno: errno) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    descriptor = ends[0]
    writing = ends[1]
  }

  deinit {
    close(descriptor)
    close(writing)
  }

  /// Puts something in, and wakes the waiting thread.
  func put(_ element: Element) {
    waiting.withLock { $0.append(element) }
    var byte: UInt8 = 1
    // A full pipe wakes just as well.
    _ = unsafe write(writing, &byte, 1)
  }

  /// Takes everything out, in order.
  func takeAll() -> [Element] {
    var bytes = [UInt8](repeating: 0, count: 64)
    while unsafe read(descriptor, &bytes, bytes.count) == bytes.count {}
    return waiting.withLock { elements in
      defer { elements = [] }
      return elements
    }
  }
}
