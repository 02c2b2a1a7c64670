internal import Foundation
internal import Synchronization

/// Where a command's words go: results to standard output, all else to standard error.
///
/// Every call writes its bytes at once and whole, so that a reader sees each line when it is ready
/// and an interrupted program leaves no half line. Once the reader has closed its end, further
/// results are dropped and `isClosed` says so: a closed pipe is no error, only a reason to stop.
final class Console: Sendable {
  /// Where results go.
  let output: Int32
  /// Where everything else goes.
  let errors: Int32
  /// The language of the person.
  let language: Language
  private let state = Mutex(State())

  private struct State {
    var isClosed = false
    var failure: Int32?
  }

  init(output: Int32 = 1, errors: Int32 = 2, language: Language = .person()) {
    self.output = output
    self.errors = errors
    self.language = language
  }

  /// Whether the reader of the results has gone.
  var isClosed: Bool { state.withLock(\.isClosed) }

  /// The error number of the first write of results that failed for another reason.
  var failure: Int32? { state.withLock(\.failure) }

  /// Whether standard error is a terminal, where progress and meters may be drawn.
  var drawsProgress: Bool { isatty(errors) == 1 }

  /// Writes a result and a line end.
  func print(_ text: String) { write(result: Array((text + "\n").utf8)) }

  /// Writes bytes as a result.
  func write(result bytes: [UInt8]) {
    guard !isClosed else { return }
    guard let failed = Console.write(bytes, to: output) else { return }
    state.withLock {
      $0.isClosed = true
      if failed != EPIPE, $0.failure == nil { $0.failure = failed }
    }
  }

  /// Writes a note for the person, and a line end.
  func note(_ text: String) { draw(text + "\n") }

  /// Writes to standard error as it is: for meters and progress that stay on their line.
  func draw(_ text: String) { _ = Console.write(Array(text.utf8), to: errors) }

  /// Writes all bytes, and returns the error number if that failed.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    var start = 0
    while start < bytes.count {
      let written = unsafe bytes[start...].withUnsafeBytes {
        unsafe Foundation.write(descriptor, $0.baseAddress, $0.count)
      }
      if written >= 0 {
        start += written
      } else if errno == EAGAIN {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&wait, 1, 1000)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }
}
