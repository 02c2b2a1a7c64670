/// The end of a consent or of a denial, as a record of its own (rule R2).
public struct Withdrawal: Codable, Sendable, Hashable {
  /// Why it ended.
  public enum Reason: String, Codable, Sendable, Hashable {
    /// The person took an allowance back.
    case revoked
    /// The person wants to be asked again.
    case askAgain = "ask-again"
    /// The session that it was bound to has ended.
    case sessionEnded = "session-ended"
  }

  /// The record's own UUID.
  public var id: String
  /// The consent record that it ends.
  public var consent: String
  /// Whose consent it is.
  public var person: Person
  /// Why it ended.
  public var reason: Reason
  /// How it was ended.
  public var means: ConsentDecision.Means
  /// When it was ended.
  public var time: Moment

  enum CodingKeys: String, CodingKey {
    case id = "record_id"
    case consent
    case person = "pii_principal_id"
    case reason
    case means = "event_type"
    case time = "event_time"
  }
}
