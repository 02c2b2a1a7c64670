internal import EarshotStore
internal import Synchronization

extension Ledger {
  /// How long records are kept, in days (rule R7).
  public struct Retention: Sendable, Hashable {
    /// Days that uses are kept.
    public var usesDays: Int
    /// Days that consents are kept after they ended.
    public var consentsDays: Int

    /// By default uses are kept 90 days, and consents for a year after they ended.
    public init(usesDays: Int = 90, consentsDays: Int = 365) {
      self.usesDays = max(0, usesDays)
      self.consentsDays = max(0, consentsDays)
    }
  }

  /// Takes out records that are older than `retention` allows and puts a checkpoint in their place,
  /// in one transaction; returns how many went. Answers that hold, or ended too lately, stay.
  ///
  /// Nothing is written where nothing is old enough.
  @discardableResult
  public func seal(_ retention: Retention = Retention()) throws(LedgerError) -> Int {
    try state.withLock { state throws(LedgerError) in
      try state.check()
      return try state.seal(retention, clock: clock)
    }
  }

  /// Removes every record, and every byte of them, and begins an empty chain (rule R8).
  ///
  /// The caller has asked the person, and has offered an export. A use that is open has to be closed
  /// before.
  public func eraseAll() throws(LedgerError) {
    try state.withLock { state throws(LedgerError) in try state.eraseAll() }
  }
}

extension LedgerState {
  fileprivate mutating func seal(_ retention: Ledger.Retention, clock: LedgerClock)
    throws(LedgerError) -> Int
  {
    let now = clock.now()
    let plan = try SealingPlan(
      database, live: live, openUses: openUses, retention: retention, now: now)
    guard let through = plan.through, !plan.gone.isEmpty else { return 0 }
    let checkpoint = Checkpoint(
      id: clock.makeIdentifier(), through: through.sequence,
      count: plan.countBefore + Int64(plan.gone.count),
      lastHash: Digest.hexadecimal(through.hash), keptDigest: Checkpoint.digest(of: plan.kept),
      time: now)
    let gone = plan.gone
    try append(
      .checkpoint, id: checkpoint.id, names: "", subject: "", checkpoint,
      also: { database throws(StoreError) in
        for sequence in gone {
          try database.run("DELETE FROM records WHERE sequence = ?", [.integer(sequence)])
        }
      })
    try vacuum()
    return plan.gone.count
  }

  fileprivate mutating func eraseAll() throws(LedgerError) {
    // The head goes first: should it end here, the records are merely ahead of it, and erasing can
    // be asked for again; the other way round they would look cut.
    try reset()
    do throws(StoreError) {
      try database.transaction(failure: { $0 }) { () throws(StoreError) in
        try database.execute("DELETE FROM records")
        try database.execute("DELETE FROM dismissals")
      }
    } catch {
      throw .store(error)
    }
    try vacuum()
  }

  private func vacuum() throws(LedgerError) {
    do throws(StoreError) {
      // Overwriting what is freed leaves copies that were moved within a page; only writing the
      // whole file anew is sure to leave none.
      try database.execute("VACUUM")
    } catch {
      throw .store(error)
    }
  }
}
