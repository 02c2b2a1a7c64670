internal import Foundation
internal import Synchronization

/// One request and its answer, shared by the server's thread and whoever works on the answer.
final class Exchange: Sendable {
  private struct State {
    var body: [UInt8] = []
    var isTooLarge = false
    var isHandled = false
    var answer: HTTPAnswer?
    var intake: SoundIntake?
    var isGone = false
    var isFinished = false
    var resume: (@Sendable () -> Void)?
    /// Begins to look at the connection, once, when somebody wants to know of its end.
    var watch: (@Sendable () -> Void)?
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

  /// Where the body goes while it arrives; nil where it is collected.
  var intake: SoundIntake? { state.withLock { $0.intake } }

  /// Hands the body to `intake` while it arrives.
  func takes(_ intake: SoundIntake) { state.withLock { $0.intake = intake } }

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
  ///
  /// `watch` begins to look at the connection; it is called when somebody asks to be told of its
  /// end, because most answers are given sooner than a look would cost.
  func beginHandling(
    resume: @escaping @Sendable () -> Void, watch: @escaping @Sendable () -> Void
  ) -> Bool {
    state.withLock { state in
      guard !state.isHandled else { return false }
      state.isHandled = true
      state.resume = resume
      state.watch = watch
      return true
    }
  }

  /// Wakes the connection where the answer came before there was anything to wake.
  func wakeIfAnswered() {
    state.withLock { state in
      state.answer == nil || state.isFinished ? nil : state.resume.take()
    }?()
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
    let (isGone, watch) = state.withLock { state in
      if !state.isGone { state.whenGone.append(action) }
      return (state.isGone, state.watch.take())
    }
    if isGone { return action() }
    watch?()
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
      state.watch = nil
    }
    clientWentAway()
  }
}
