internal import CSQLite

extension Database {
  /// Runs `body` in one transaction that is durable when this returns.
  ///
  /// The write lock is taken at the start, so that nothing read inside can be changed by another
  /// process before the commit. If `body` or the commit throws, all of it is rolled back and the
  /// error is passed on through `failure`, which makes the caller's error of a store's.
  public borrowing func transaction<Result, Failure: Error>(
    failure: (StoreError) -> Failure, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do { try execute("BEGIN IMMEDIATE") } catch { throw failure(error) }
    let result: Result
    do {
      result = try body()
    } catch {
      rollBack()
      throw error
    }
    do {
      try execute("COMMIT")
    } catch {
      rollBack()
      throw failure(error)
    }
    return result
  }

  /// Undoes the open transaction, if SQLite hasn't done so by itself after a fault.
  private borrowing func rollBack() {
    guard isInTransaction else { return }
    // A rollback needs no room on the disk. Should it fail all the same, the journal stays hot and
    // the next opening finishes it; the fault that led here is the one worth telling.
    _ = unsafe sqlite3_exec(connection, "ROLLBACK", nil, nil, nil)
  }
}
