/// The right to open one source once, handed out by the ledger and spent by opening it.
///
/// Only `EarshotConsent` can make one, and only after the opening record is durable (rules C1, B4).
/// It can't be copied, so the compiler refuses a second use.
public struct Grant: ~Copyable, Sendable {
  /// The name of the source that the person consented to (rule L6).
  public let source: String
  /// The use record that this grant belongs to.
  public let use: String
  /// The time since the machine started, sleep included, in nanoseconds, after which the grant is
  /// worthless.
  public let deadlineNanoseconds: UInt64

  internal init(source: String, use: String, deadlineNanoseconds: UInt64) {
    self.source = source
    self.use = use
    self.deadlineNanoseconds = deadlineNanoseconds
  }
}
