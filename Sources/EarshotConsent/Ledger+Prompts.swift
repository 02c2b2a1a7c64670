internal import EarshotStore
internal import Synchronization

extension Ledger {
  /// Whether a prompt may come up for a question now (rules C7, C8).
  ///
  /// `isPressed` tells that the person pressed on an agent's surface, which no rest holds up.
  /// Nothing is written.
  public func promptPermission(for question: ConsentQuestion, isPressed: Bool = false)
    throws(LedgerError) -> PromptPermission
  {
    try state.withLock { state throws(LedgerError) in
      try state.check()
      let now = clock.now()
      let status = state.live.status(
        of: question, at: now, keepsAcrossUpdates: policy.keepsAcrossUpdates)
      guard status == .undetermined else { return .settled(status) }
      if isPressed { return .allowed }
      let rest = try state.restSeconds(subject: question.requester.subject, now: now)
      return rest == 0 ? .allowed : .resting(seconds: rest)
    }
  }

  /// Counts a prompt that went away without an answer. It is no answer, and changes no status; an
  /// answer to a later prompt of the requester ends the counting (rule C7).
  public func noteDismissal(of question: ConsentQuestion) throws(LedgerError) {
    try state.withLock { state throws(LedgerError) in
      try state.check()
      try state.countDismissal(subject: question.requester.subject, now: clock.now())
    }
  }
}

extension LedgerState {
  fileprivate func countDismissal(subject: String, now: Moment) throws(LedgerError) {
    do {
      try database.run(
        """
        INSERT INTO dismissals VALUES (?, 1, ?, ?, ?) ON CONFLICT (subject) DO UPDATE SET
          count = count + 1, utc_milliseconds = excluded.utc_milliseconds,
          monotonic_nanoseconds = excluded.monotonic_nanoseconds, boot = excluded.boot
        """,
        [
          .text(subject), .integer(now.utcMilliseconds),
          .integer(Int64(clamping: now.monotonicNanoseconds)), .text(now.boot),
        ])
    } catch {
      throw .store(error)
    }
  }

  func forgetDismissals(subject: String) throws(LedgerError) {
    do {
      try database.run("DELETE FROM dismissals WHERE subject = ?", [.text(subject)])
    } catch {
      throw .store(error)
    }
  }

  fileprivate func restSeconds(subject: String, now: Moment) throws(LedgerError) -> Int {
    do {
      var statement = try database.prepare(
        "SELECT count, utc_milliseconds, monotonic_nanoseconds, boot FROM dismissals"
          + " WHERE subject = ?")
      try statement.bind([.text(subject)])
      guard try statement.step(), statement.integer(at: 0) >= Int64(Ledger.dismissalsMax) else {
        return 0
      }
      // Within one run of the machine nobody can set the clock; across a restart the wall clock is
      // all there is, and one that was set back makes the rest no longer than it was.
      let isSameRun = statement.text(at: 3) == now.boot
      let passed =
        isSameRun
        ? (Int64(clamping: now.monotonicNanoseconds) - statement.integer(at: 2)) / 1_000_000_000
        : (now.utcMilliseconds - statement.integer(at: 1)) / 1000
      return Int(min(max(Int64(Ledger.restSeconds) - passed, 0), Int64(Ledger.restSeconds)))
    } catch {
      throw .store(error)
    }
  }
}
