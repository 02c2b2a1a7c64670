internal import EarshotClient
internal import Foundation
internal import Synchronization

/// The server-sent events that wait for one client, bounded, with a named policy when full.
///
/// Writers push from any thread and never wait. When the queue is full, the oldest event that may
/// be dropped (a level) goes; where there is none, the client is too slow and its stream ends.
final class EventQueue: Sendable {
  private struct Waiting {
    var bytes: [UInt8]
    var mayBeDropped: Bool
  }

  private struct State {
    var waiting: [Waiting] = []
    /// How much of the first waiting event has been taken.
    var taken = 0
    var size = 0
    var isEnded = false
    var isBroken = false
    /// Wakes the reader; set while the reader sleeps.
    var wake: (@Sendable () -> Void)?
  }

  /// What a reader finds.
  enum Piece: Sendable, Hashable {
    case bytes([UInt8])
    case ended
    case nothingYet
  }

  private let state = Mutex(State())

  /// Puts an event into the queue; false where the stream has ended.
  @discardableResult
  func push(_ event: some ServerEvent, mayBeDropped: Bool = false) -> Bool {
    guard let wire = try? event.serverSentEvent() else { return false }
    return push(bytes: Array("event: \(wire.name)\ndata: \(wire.data)\n\n".utf8), mayBeDropped)
  }

  /// Puts a comment into the queue, which keeps the connection alive.
  @discardableResult
  func pushHeartbeat() -> Bool { push(bytes: Array(":\n\n".utf8), true) }

  private func push(bytes: [UInt8], _ mayBeDropped: Bool) -> Bool {
    let (isTaken, wake) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
      guard !state.isEnded else { return (false, nil) }
      let isFull = { (state: State) in
        state.waiting.count >= ServiceLimits.queuedEvents
          || state.size + bytes.count > ServiceLimits.queuedBytes
      }
      while isFull(state), let index = Self.droppable(state) {
        state.size -= state.waiting.remove(at: index).bytes.count
      }
      if isFull(state) {
        if mayBeDropped { return (true, nil) }
        state.isEnded = true
        state.isBroken = true
        state.waiting.removeAll()
        return (false, state.wake.take())
      }
      state.waiting.append(Waiting(bytes: bytes, mayBeDropped: mayBeDropped))
      state.size += bytes.count
      return (true, state.wake.take())
    }
    wake?()
    return isTaken
  }

  private static func droppable(_ state: State) -> Int? {
    // What has been taken in part must be finished, or the stream would be garbage.
    let first = state.taken > 0 ? 1 : 0
    return state.waiting.indices.dropFirst(first).first { state.waiting[$0].mayBeDropped }
  }

  /// Ends the stream after what waits; no event is taken any more.
  func end() {
    state.withLock { state -> (@Sendable () -> Void)? in
      state.isEnded = true
      return state.wake.take()
    }?()
  }

  /// Whether the stream has ended, by ``end()`` or because the client was too slow.
  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Whether the client was too slow.
  var isBroken: Bool { state.withLock { $0.isBroken } }

  /// Takes up to `limit` bytes; where there are none yet, `sleep` is called under the queue's lock
  /// and its result is called once when there are.
  func take(limit: Int, sleep: () -> (@Sendable () -> Void)) -> Piece {
    state.withLock { state in
      guard let first = state.waiting.first else {
        if state.isEnded { return .ended }
        state.wake = sleep()
        return .nothingYet
      }
      let piece = Array(first.bytes[state.taken...].prefix(limit))
      state.taken += piece.count
      if state.taken == first.bytes.count {
        state.waiting.removeFirst()
        state.size -= first.bytes.count
        state.taken = 0
      }
      return .bytes(piece)
    }
  }
}
