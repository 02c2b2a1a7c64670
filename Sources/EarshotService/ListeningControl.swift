internal import EarshotConsent
internal import Synchronization

/// The handle by which others end a listening: the client's going, a revocation, the daemon's stop.
///
/// Cancelling only marks and wakes; the listening's own thread closes, records and answers.
final class ListeningControl: Sendable {
  /// Why a listening is ended from outside, the strongest last.
  enum Reason: Int, Sendable, Hashable, Comparable {
    case requesterGone
    case daemonStopping
    case unseen
    case stopped
    case restricted
    case revoked

    static func < (one: Reason, other: Reason) -> Bool { one.rawValue < other.rawValue }

    /// The word in closing records and answers.
    var word: String {
      switch self {
      case .requesterGone: "requester-gone"
      case .daemonStopping: "daemon-stopping"
      case .unseen: "unseen"
      case .stopped: "stopped"
      case .restricted: "restricted"
      case .revoked: "revoked"
      }
    }
  }

  private struct State {
    var reason: Reason?
    var consent: String?
    var use: String?
  }

  /// Readable when there is something to look at; the listening's thread waits for it.
  let wake: WakePipe
  private let state = Mutex(State())

  /// Who listens.
  let requester: Requester

  /// - Throws: ``ServiceError/socket(call:code:)`` where there is no descriptor left.
  init(requester: Requester) throws(ServiceError) {
    self.requester = requester
    wake = try WakePipe()
  }

  /// Ends the listening; of several reasons the strongest counts.
  func cancel(_ reason: Reason) {
    state.withLock { $0.reason = max($0.reason ?? reason, reason) }
    wake.wake()
  }

  /// Why it is to end; nil while it may go on.
  var reason: Reason? { state.withLock { $0.reason } }

  /// Names the consent that the listening rests on, so that revoking it finds the listening.
  func rests(on consent: String) { state.withLock { $0.consent = consent } }

  /// Names the use whose microphone is opened, so that stopping it finds the listening.
  func opens(use: String) { state.withLock { $0.use = use } }

  /// The use, once there is one.
  var use: String? { state.withLock { $0.use } }

  /// The consent that it rests on.
  var consent: String? { state.withLock { $0.consent } }
}

extension ListeningControl {
  /// Sleeps until it is woken or `deadline`, in seconds on the monotonic clock.
  func wait(until deadline: Double) {
    let left = max(0, deadline - Clock.monotonicSeconds())
    wake.wait(milliseconds: Int32(min(left * 1000 + 1, 60_000)))
  }
}
