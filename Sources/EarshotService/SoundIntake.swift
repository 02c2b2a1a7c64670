internal import Glibc
internal import Synchronization

/// A body of sound on its way through the daemon: one piece at a time, kept nowhere.
///
/// The server's thread brings a piece and lets its connection sleep; whoever takes the piece wakes it.
/// So a client is read no faster than its worker takes the sound, and what is in the daemon at once is
/// one piece, which is overwritten when it has gone on.
final class SoundIntake: Sendable {
  /// What there is for the taker.
  enum Next: Sendable, Hashable {
    case piece([UInt8])
    /// The body is complete.
    case end
    /// The client has gone, or the daemon stops.
    case gone
    case nothing
  }

  private struct State {
    var piece: [UInt8]?
    var resume: (@Sendable () -> Void)?
    var byteCount = 0
    var isComplete = false
    var isGone = false
    /// Nothing more is wanted: the rest of the body is read and dropped.
    var isClosed = false
  }

  /// Readable when ``next()`` has something.
  let wake: WakePipe
  private let state = Mutex(State())

  /// - Throws: ``ServiceError/socket(call:code:)`` where there is no descriptor left.
  init() throws(ServiceError) { wake = try WakePipe() }

  // MARK: The server's side

  /// Takes a piece of a body whose connection sleeps; `resume` wakes it, at once or later, once.
  func bring(_ bytes: [UInt8], resume: @escaping @Sendable () -> Void) {
    let isWanted = state.withLock { state in
      state.byteCount += bytes.count
      guard !state.isClosed, !state.isGone, state.byteCount <= ServiceLimits.soundBytes else {
        return false
      }
      state.piece = bytes
      state.resume = resume
      return true
    }
    if !isWanted { resume() }
    wake.wake()
  }

  /// The body is complete.
  func complete() {
    state.withLock { $0.isComplete = true }
    wake.wake()
  }

  /// The client has gone or the daemon stops; a connection that sleeps for its piece is woken.
  func leave() {
    state.withLock { state in
      state.isGone = true
      state.piece = nil
      return state.resume.take()
    }?()
    wake.wake()
  }

  // MARK: The taker's side

  /// Whether more has come than one body may hold.
  var isTooLarge: Bool { state.withLock { $0.byteCount > ServiceLimits.soundBytes } }

  var isGone: Bool { state.withLock { $0.isGone } }

  /// What is there; a piece stays the connection's until ``goOn()``.
  func next() -> Next {
    state.withLock { state in
      if state.isGone { return .gone }
      if let piece = state.piece.take() { return .piece(piece) }
      return state.isComplete ? .end : .nothing
    }
  }

  /// The piece has gone on, so the next one may come.
  func goOn() { state.withLock { $0.resume.take() }?() }

  /// Nothing more is wanted.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.piece = nil
      return state.resume.take()
    }?()
  }
}
