internal import EarshotClient

/// The end of a listening before it has an answer of its own.
struct ListenStop: Error, Sendable, Hashable {
  var outcome: Outcome
  var explanation: Explanation

  static func denied(_ explanation: Explanation) -> ListenStop {
    ListenStop(outcome: .denied, explanation: explanation)
  }

  static func error(_ explanation: Explanation) -> ListenStop {
    ListenStop(outcome: .error, explanation: explanation)
  }

  /// A withdrawn consent and a restriction are denials; every other end from outside is a cancellation.
  static func cancelled(_ reason: ListeningControl.Reason) -> ListenStop {
    ListenStop(
      outcome: reason == .revoked || reason == .restricted ? .denied : .cancelled,
      explanation: .cancelled(reason))
  }

  func result(use: String? = nil) -> ListenResult {
    ListenResult(outcome: outcome, use: use, explanation: explanation)
  }
}
