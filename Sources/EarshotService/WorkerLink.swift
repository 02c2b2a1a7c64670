internal import EarshotClient
internal import Foundation
internal import Glibc

/// What spawning hands over: numbers only, owned by the ``WorkerLink`` that is made of them.
struct WorkerHandle: Sendable {
  var process: Int32
  var socket: Int32
}

/// The daemon's end of one worker process.
///
/// Dropping it kills the worker and waits for its end, so that no path leaves a microphone open:
/// the kernel closes what the process held.
struct WorkerLink: ~Copyable {
  /// What came from the worker, or why nothing did.
  enum Arrival: Sendable {
    case report(WorkerReport)
    /// The worker closed its socket: it has ended or is about to.
    case ended
    /// The line is no report; the worker can't be trusted any more.
    case unreadable
    case deadline
    /// Something stopped the process (SIGSTOP): it holds what it holds, and answers nothing.
    case stopped
    /// The other descriptor that was waited for became readable.
    case woken
  }

  /// The worker's process.
  let process: Int32
  private let socket: Int32
  private var buffer: [UInt8] = []
  private var scanned = 0
  private var isReaped = false

  /// The longest line that a worker may write, in bytes.
  static let lineLimit = 1 << 20
  /// How often the process is looked at while nothing comes from it, in milliseconds.
  private static let lookMilliseconds = 40.0

  init(_ handle: WorkerHandle) {
    process = handle.process
    socket = handle.socket
  }

  deinit {
    if !isReaped {
      Glibc.kill(process, SIGKILL)
      reapProcess(process)
    }
    close(socket)
  }

  /// Writes a command; false where the worker does not take it.
  func send(_ command: WorkerCommand) -> Bool {
    guard let data = try? HTTPAnswer.encoder.encode(command) else { return false }
    let line = Array(data) + [0x0A]
    // Commands are far smaller than a socket's buffer, so a short write means a broken worker.
    // MSG_NOSIGNAL: a worker that has ended must not end the daemon.
    let count = unsafe Glibc.send(socket, line, line.count, Int32(MSG_NOSIGNAL))
    return count == line.count
  }

  /// Waits for the next report, until `deadline` on the monotonic clock, in seconds.
  mutating func next(deadline: Double, orReadable other: Int32) -> Arrival {
    while true {
      if let line = nextLine() {
        guard let report = try? JSONDecoder().decode(WorkerReport.self, from: Data(line)) else {
          return .unreadable
        }
        return .report(report)
      }
      guard buffer.count <= Self.lineLimit else { return .unreadable }
      let left = deadline - Clock.monotonicSeconds()
      guard left > 0 else { return .deadline }
      var polled = [
        pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        pollfd(fd: other, events: Int16(POLLIN), revents: 0),
      ]
      let count = unsafe poll(&polled, 2, Int32(min(left * 1000 + 1, Self.lookMilliseconds)))
      if count < 0 && errno != EINTR { return .ended }
      if polled[1].revents != 0 { return .woken }
      if polled[0].revents != 0 && !fill() { return .ended }
      if count == 0 && ProcessFacts(process)?.isStopped == true { return .stopped }
    }
  }

  /// Ends the worker the hard way and waits until the kernel has closed all it held.
  mutating func kill() {
    guard !isReaped else { return }
    Glibc.kill(process, SIGKILL)
    reapProcess(process)
    isReaped = true
  }

  /// Waits until `deadline` for the worker to end by itself, then kills it; true where it did.
  mutating func finish(deadline: Double) -> Bool {
    while !isReaped {
      var status: Int32 = 0
      if unsafe waitpid(process, &status, WNOHANG) == process {
        isReaped = true
        return true
      }
      guard Clock.monotonicSeconds() < deadline else {
        kill()
        return false
      }
      usleep(1_000)
    }
    return true
  }

  private mutating func nextLine() -> [UInt8]? {
    guard let end = buffer[scanned...].firstIndex(of: 0x0A) else {
      scanned = buffer.count
      return nil
    }
    let line = Array(buffer[..<end])
    buffer.removeSubrange(...end)
    scanned = 0
    return line
  }

  /// Takes what the worker has written; false at the end.
  private mutating func fill() -> Bool {
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    let count = unsafe read(socket, &piece, piece.count)
    if count > 0 { buffer.append(contentsOf: piece[..<count]) }
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
  }
}
