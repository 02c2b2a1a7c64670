internal import EarshotClient
internal import Synchronization

/// The clients that follow `GET /v1/events`: indicators, and whoever wants to know.
final class EventHub: Sendable {
  private struct Follower {
    var queue: EventQueue
    var user: UInt32
    var isAgent: Bool
    var process: Int32
  }

  private struct State {
    var followers: [Int: Follower] = [:]
    var last = 0
    var open: Set<String> = []
  }

  private let state = Mutex(State())

  /// Adds a follower; nil where there are too many. The queue's end removes it.
  func follow(
    user: UInt32, isAgent: Bool, process: Int32 = 0
  ) -> (queue: EventQueue, leave: @Sendable () -> Void)? {
    state.withLock { state in
      guard state.followers.count < ServiceLimits.streams else { return nil }
      let queue = EventQueue()
      state.last += 1
      let number = state.last
      state.followers[number] = Follower(
        queue: queue, user: user, isAgent: isAgent, process: process)
      queue.push(DaemonEvent.hello(isListening: !state.open.isEmpty))
      return (queue, { [self] in self.remove(number) })
    }
  }

  private func remove(_ number: Int) {
    _ = state.withLock { $0.followers.removeValue(forKey: number) }
  }

  /// Whether a listed agent of the person follows and is not stopped, which counts as a surface
  /// (rule L4).
  func hasSurface(user: UInt32) -> Bool {
    let processes = state.withLock {
      $0.followers.values.filter { $0.isAgent && $0.user == user }.map(\.process)
    }
    return processes.contains { ProcessFacts($0)?.isStopped != true }
  }

  /// Whether a microphone is open.
  var isListening: Bool { state.withLock { !$0.open.isEmpty } }

  /// Tells that a microphone is open; who listens is told to the person's agents only (rule R6).
  func opened(use: String, requester: String, user: UInt32, limit: Double) {
    state.withLock { state in
      state.open.insert(use)
      for follower in state.followers.values {
        let name = follower.isAgent && follower.user == user ? requester : ""
        follower.queue.push(DaemonEvent.listening(use: use, requester: name, limit: limit))
      }
    }
  }

  /// Tells that it is closed.
  func closed(use: String, reason: String) {
    state.withLock { state in
      guard state.open.remove(use) != nil else { return }
      for follower in state.followers.values {
        follower.queue.push(DaemonEvent.closed(use: use, reason: reason))
      }
    }
  }

  /// Tells the person's agents that a consent was withdrawn.
  func revoked(consent: String, user: UInt32) {
    state.withLock { state in
      for follower in state.followers.values where follower.isAgent && follower.user == user {
        follower.queue.push(DaemonEvent.revoked(consent: consent))
      }
    }
  }

  /// Tells that the daemon stops, and ends all streams.
  func stop() {
    state.withLock { state in
      for follower in state.followers.values {
        follower.queue.push(DaemonEvent.stopping)
        follower.queue.end()
      }
    }
  }
}
