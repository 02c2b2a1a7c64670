internal import EarshotStore
internal import Synchronization

/// The append-only, hash-chained record of consents and of every use of the microphone.
///
/// One process at a time has it open for writing. Every call may be made from any thread and
/// blocks on the disk: a call that adds a record returns once the record is synced (rules C1, R4).
public final class Ledger: Sendable {
  /// What the administrator may set.
  public struct Policy: Sendable, Hashable {
    /// Whether a consent outlives an update of the requester's executable (rule C13).
    public var keepsAcrossUpdates: Bool

    /// A policy; by default an update ends a consent.
    public init(keepsAcrossUpdates: Bool = false) {
      self.keepsAcrossUpdates = keepsAcrossUpdates
    }
  }

  /// Seconds within which an 'Allow Once' has to be spent (rule B4).
  public static let onceSecondsMax = 60
  /// Seconds for which 'Allow While Captions Are On' holds at most (rule B7).
  public static let captionsSecondsMax = 4 * 3600
  /// Dismissals in a row after which prompts rest (rule C7).
  public static let dismissalsMax = 2
  /// Seconds that prompts rest then (rule C7).
  public static let restSeconds = 600
  /// The most nanoseconds that a use's deadline may lie beyond its limit.
  public static let deadlineSlackNanoseconds: UInt64 = 60_000_000_000
  /// The reason for closing a use whose daemon ended before it could (rule L8).
  public static let daemonLost = "daemon lost"

  let folder: LedgerFolder
  let controller: Controller
  let policy: Policy
  let clock: LedgerClock
  let state: Mutex<LedgerState>

  /// Opens or makes the ledger in `folder` for writing, checks it whole, notes what is missing, and
  /// closes uses that a lost daemon left open.
  ///
  /// A ledger whose records were changed opens too, so that it can be read and exported; every call
  /// that rests on its records then throws `damaged`.
  public init(
    folder: String, controller: Controller, policy: Policy = Policy(),
    clock: LedgerClock = .system()
  ) throws(LedgerError) {
    self.folder = LedgerFolder(path: folder)
    self.controller = controller
    self.policy = policy
    self.clock = clock
    state = Mutex(try LedgerState.open(self.folder, clock: clock))
  }

  /// Where a question stands. Asking leaves no trace (rule C4).
  public func status(of question: ConsentQuestion) throws(LedgerError) -> ConsentStatus {
    try state.withLock { state throws(LedgerError) in
      try state.check()
      return state.live.status(
        of: question, at: clock.now(), keepsAcrossUpdates: policy.keepsAcrossUpdates)
    }
  }

  /// Every answer that holds now, oldest first (rule R5).
  public func currentChoices() throws(LedgerError) -> [ConsentRecord] {
    try state.withLock { state throws(LedgerError) in
      try state.check()
      let now = clock.now()
      return state.live.all.filter { state.live.holds($0, at: now) }.sorted {
        ($0.event.time.utcMilliseconds, $0.id) < ($1.event.time.utcMilliseconds, $1.id)
      }
    }
  }

  /// Records a person's answer to a question, with the title or the button's label they read.
  ///
  /// The record is durable when this returns.
  public func record(_ decision: ConsentDecision, for question: ConsentQuestion, title: String)
    throws(LedgerError) -> ConsentRecord
  {
    try Self.checkLimit(of: question)
    return try state.withLock { state throws(LedgerError) in
      try state.check()
      let record = ConsentRecord(
        id: clock.makeIdentifier(), question: question, decision: decision, title: title,
        controller: controller, time: clock.now())
      let subject = question.requester.subject
      try state.append(.consent, id: record.id, names: "", subject: subject, record)
      state.live.add(record)
      try state.forgetDismissals(subject: subject)
      return record
    }
  }

  /// Records a person's answer to a prompt.
  public func record(_ decision: ConsentDecision, for question: ConsentQuestion, shown: Prompt)
    throws(LedgerError) -> ConsentRecord
  {
    try record(decision, for: question, title: shown.title)
  }

  /// Ends an allowance or a denial by a record of its own (rule R2); what was ended before is
  /// ended once more without harm.
  @discardableResult
  public func withdraw(
    _ consent: String, reason: Withdrawal.Reason, means: ConsentDecision.Means
  ) throws(LedgerError) -> Withdrawal {
    try state.withLock { state throws(LedgerError) in
      try state.check()
      let record = try LedgerQueries.consent(state.database, id: consent)
      let withdrawal = Withdrawal(
        id: clock.makeIdentifier(), consent: consent, person: record.person, reason: reason,
        means: means, time: clock.now())
      try state.append(
        .withdrawal, id: withdrawal.id, names: consent, subject: record.requester.subject,
        withdrawal)
      state.live.withdraw(consent)
      return withdrawal
    }
  }

  static func checkLimit(of question: ConsentQuestion) throws(LedgerError) {
    let limit = question.limitMilliseconds
    switch question.capability {
    case .microphone:
      guard (1...ConsentQuestion.limitMillisecondsMax).contains(limit) else {
        throw .limitOutOfRange(milliseconds: limit)
      }
    case .library:
      guard limit == 0 else { throw .limitOutOfRange(milliseconds: limit) }
    }
  }
}
