internal import EarshotClient
internal import Foundation
internal import Glibc

/// The worker's end of the socket to its daemon: commands in, reports out, one JSON object a line.
struct WorkerSocket: ~Copyable {
  /// What came from the daemon.
  enum Arrival: Hashable {
    case command(WorkerCommand)
    /// Nothing came in time.
    case nothing
    /// The daemon is gone, or speaks nonsense: close and end.
    case ended
  }

  /// The descriptor, for waiting on it together with a microphone.
  let descriptor: Int32
  private var pending: [UInt8] = []
  private let decoder = JSONDecoder()
  private let encoder = JSONEncoder()

  /// The longest line that is taken.
  private static let lineByteCountLimit = 1 << 20

  init(descriptor: Int32) {
    self.descriptor = descriptor
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// The next command, waiting for at most `milliseconds`.
  mutating func next(milliseconds: Int) -> Arrival {
    let end = Self.now() + UInt64(milliseconds)
    while true {
      if let line = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let content = Data(pending[..<line])
        pending.removeSubrange(...line)
        guard let command = try? decoder.decode(WorkerCommand.self, from: content) else {
          return .ended
        }
        return .command(command)
      }
      guard pending.count < Self.lineByteCountLimit else { return .ended }
      let now = Self.now()
      var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let status = unsafe poll(&waited, 1, Int32(clamping: end > now ? end - now : 0))
      if status == 0 { return .nothing }
      if status < 0 {
        if errno == EINTR { continue }
        return .ended
      }
      var part = [UInt8](repeating: 0, count: 4096)
      let count = unsafe recv(descriptor, &part, part.count, Int32(MSG_DONTWAIT))
      if count == 0 { return .ended }
      if count > 0 { pending += part[..<count] }
      if count < 0 && errno != EAGAIN && errno != EINTR { return .ended }
    }
  }

  /// Writes a report; waits for at most `milliseconds` where the daemon does not read.
  ///
  /// Returns whether all of it was taken. A part of a line is never left standing: when the first bytes
  /// don't go, none do.
  @discardableResult
  func send(_ report: WorkerReport, milliseconds: Int = 2000) -> Bool {
    guard let content = try? encoder.encode(report) else { return false }
    let bytes = Array(content) + [UInt8(ascii: "\n")]
    let end = Self.now() + UInt64(milliseconds)
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.send(
          descriptor, buffer.baseAddress.map { unsafe $0 + done }, bytes.count - done,
          Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        done += count
        continue
      }
      guard errno == EAGAIN || errno == EINTR else { return false }
      let now = Self.now()
      // A report that can wait no longer is dropped, but one that was begun is finished.
      guard now < end || done > 0 else { return false }
      var waited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let wait = Int32(clamping: end > now ? end - now : 2000)
      if unsafe poll(&waited, 1, wait) == 0 && done > 0 && now >= end { return false }
    }
    return true
  }

  private static func now() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
  }
}
