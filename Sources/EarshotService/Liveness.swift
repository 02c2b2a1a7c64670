internal import Synchronization

/// When the queue that answers requests was last seen at work.
final class Liveness: Sendable {
  private let last = Mutex(Clock.monotonicSeconds())

  /// Called on the queue.
  func note() { last.withLock { $0 = Clock.monotonicSeconds() } }

  func isAlive(within seconds: Double) -> Bool {
    Clock.monotonicSeconds() - last.withLock { $0 } <= seconds
  }
}
