/// Where a question stands in the ledger.
public enum ConsentStatus: Sendable, Hashable {
  /// Nobody has answered this very question, or the answer no longer holds.
  case undetermined
  /// The person said no, by the consent record of this id; it stays so until they change it (C8).
  case denied(consent: String)
  /// The person said yes, by the consent record of this id.
  case allowed(consent: String, scope: ConsentScope)
  /// The administrator or the desktop forbids it; `reason` is a stable word for programs.
  case restricted(reason: String)
}

/// Whether a prompt may come up now.
public enum PromptPermission: Sendable, Hashable {
  /// It may.
  case allowed
  /// The question is answered already; there is nothing to ask.
  case settled(ConsentStatus)
  /// Two prompts of this requester were dismissed in a row; another may come after this wait, or
  /// at once when the person presses on an agent's surface (rule C7).
  case resting(seconds: Int)
}
