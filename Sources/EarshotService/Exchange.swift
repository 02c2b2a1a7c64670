internal import Foundation
internal import Synchronization

/// One request and its answer, shared by the server's thread and whoever works on the answer.
final class Exchange: Sendable {
  private struct State {
    var body: [UInt8] = []
    var isTooLarge = false
    var isHandled = false
    var answer: HTTPAnswer?
    var isGone = false
    var isFinished = false
    var resume: (@Sendable () -> Void)?
    var whenGone: [@Sendable () -> Void] = []
  }

  private let head: HTTPRequest
  private let state = Mutex(State())

  init(head: HTTPRequest) { self.head = head }

  /// The request with all of its body that has arrived.
  var request: HTTPRequest {
    var whole = head
    whole.body = state.withLock { $0.body }
    return whole
  }

  /// Takes a piece of the body; what is over the limit is counted and dropped.
  func append(_ piece: [UInt8]) {
    state.withLock { state in
      guard state.body.count + piece.count <= ServiceLimits.bodyBytes else {
        state.isTooLarge = true
        state.body.removeAll()
        return
      }
      if !state.isTooLarge { state.body.append(contentsOf: piece) }
    }
  }

  /// Whether the body went over ``ServiceLimits/bodyBytes``.
  var isTooLarge: Bool { state.withLock { $0.isTooLarge } }

  /// Claims the exchange for one handler: true once, and `resume` is kept for its answer.
  func beginHandling(resume: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard !state.isHandled else { return false }
      state.isHandled = true
      state.resume = resume
      return true
    }
  }

  /// Whether a handler has it.
  var isHandled: Bool { state.withLock { $0.isHandled } }

  /// Gives the answer and wakes the connection; a second answer is ignored.
  func answer(_ answer: HTTPAnswer) {
    state.withLock { state -> (@Sendable () -> Void)? in
      guard state.answer == nil else { return nil }
      state.answer = answer
      return state.isFinished ? nil : state.resume.take()
    }?()
  }

  /// The answer, where it has been given.
  var givenAnswer: HTTPAnswer? { state.withLock { $0.answer } }

  /// Whether the client has gone away.
  var isGone: Bool { state.withLock { $0.isGone } }

  /// Calls `action` when the client goes away, or at once where it has gone.
  func whenGone(_ action: @escaping @Sendable () -> Void) {
    let isGone = state.withLock { state in
      if !state.isGone { state.whenGone.append(action) }
      return state.isGone
    }
    if isGone { action() }
  }

  /// Says that the client has gone away: its actions run and an event stream ends.
  func clientWentAway() {
    let (actions, answer) = state.withLock { state in
      state.isGone = true
      defer { state.whenGone.removeAll() }
      return (state.whenGone, state.answer)
    }
    for action in actions { action() }
    if case .events(let queue) = answer { queue.end() }
  }

  /// The server is done with the connection's request; nothing may wake it any more.
  func finish() {
    state.withLock { state in
      state.isFinished = true
      state.resume = nil
    }
    clientWentAway()
  }
}
