internal import EarshotStore
internal import Synchronization

extension Ledger {
  /// Writes and syncs the opening record of one use, which only `worker` can redeem, and spends a
  /// 'once' consent (rules L8, B4).
  ///
  /// A use that is to end sooner than the consent allows says so in `milliseconds`: that is its limit then,
  /// and only so much is taken from the minute in ten (rule L9). `deadlineNanoseconds` is on the clock of
  /// `Moment.monotonicNanoseconds`, and at most the limit and `deadlineSlackNanoseconds` from now.
  public func openUse(
    of consent: String, for question: ConsentQuestion, milliseconds: Int? = nil,
    by worker: ProcessIdentity, deadlineNanoseconds: UInt64
  ) throws(LedgerError) -> UseOpening {
    try Self.checkLimit(of: question)
    return try state.withLock { state throws(LedgerError) in
      try state.check()
      let now = clock.now()
      let status = state.live.status(
        of: question, only: consent, at: now, keepsAcrossUpdates: policy.keepsAcrossUpdates)
      guard question.capability == .microphone, case .allowed(_, let scope) = status else {
        throw .notAllowed(status)
      }
      let limit = Self.limit(of: question, milliseconds)
      guard deadlineNanoseconds > now.monotonicNanoseconds,
        deadlineNanoseconds - now.monotonicNanoseconds
          <= UInt64(limit) * 1_000_000 + Self.deadlineSlackNanoseconds
      else { throw .deadlineOutOfRange }
      let subject = question.requester.subject
      let wait =
        scope == .once
        ? 0
        : state.meter.secondsToWait(subject: subject, limitMilliseconds: limit, now: now)
      guard wait == 0 else { throw .tooOften(seconds: wait) }
      let opening = UseOpening(
        id: clock.makeIdentifier(), consent: consent, person: question.requester.person,
        requester: question.requester, worker: worker, source: question.source,
        limitMilliseconds: limit, deadlineNanoseconds: deadlineNanoseconds,
        isMetered: scope != .once, time: now)
      try state.append(.opening, id: opening.id, names: consent, subject: subject, opening)
      state.live.spend(consent)
      state.meter.open(opening, now: now)
      return opening
    }
  }

  /// What a use may last: what its consent covers, or less where it is to end sooner.
  private static func limit(of question: ConsentQuestion, _ milliseconds: Int?) -> Int {
    min(question.limitMilliseconds, max(1, milliseconds ?? question.limitMilliseconds))
  }

  /// Writes and syncs the closing record of a use. A use that is closed already is left as it is
  /// and `useClosed` is thrown.
  @discardableResult
  public func closeUse(_ use: String, _ facts: UseFacts) throws(LedgerError) -> UseRecord {
    try state.withLock { state throws(LedgerError) in
      try state.check()
      let row = try LedgerQueries.row(state.database, .opening, id: use)
      let opening = try LedgerJSON.decode(UseOpening.self, from: row)
      guard state.openUses.contains(use) else { throw .useClosed(id: use) }
      let now = clock.now()
      let closing = UseClosing(
        id: clock.makeIdentifier(), use: use, milliseconds: facts.milliseconds,
        samples: facts.samples, reason: facts.reason, outcome: facts.outcome,
        isMemoryLocked: facts.isMemoryLocked, time: now)
      try state.append(
        .closing, id: closing.id, names: use, subject: opening.requester.subject, closing)
      state.meter.close(opening, closing, now: now)
      return UseRecord(sequence: row.sequence, opening: opening, closing: closing)
    }
  }

  /// Seconds that the requester has to wait until this limit, or the shorter one of this use, fits into its
  /// minute in ten, 0 when it fits now; asked before any prompt comes up (rules C2, L9).
  public func secondsToWait(for question: ConsentQuestion, milliseconds: Int? = nil)
    throws(LedgerError) -> Int
  {
    try state.withLock { state throws(LedgerError) in
      try state.check()
      return state.meter.secondsToWait(
        subject: question.requester.subject,
        limitMilliseconds: Self.limit(of: question, milliseconds), now: clock.now())
    }
  }

  /// Spends a consent to save on one item, if it covers the question; returns the consent's id,
  /// which the library keeps beside the item (rules S1, S2).
  public func spendSaving(_ question: ConsentQuestion) throws(LedgerError) -> String {
    try state.withLock { state throws(LedgerError) in
      try state.check()
      let now = clock.now()
      let status = state.live.status(
        of: question, at: now, keepsAcrossUpdates: policy.keepsAcrossUpdates)
      guard question.capability == .library, case .allowed(let consent, let scope) = status else {
        throw .notAllowed(status)
      }
      guard scope == .once else { return consent }
      let saving = Saving(id: clock.makeIdentifier(), consent: consent, time: now)
      try state.append(
        .saving, id: saving.id, names: consent, subject: question.requester.subject, saving)
      state.live.spend(consent)
      return consent
    }
  }
}
