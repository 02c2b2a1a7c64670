internal import EarshotStore
internal import Synchronization

extension Ledger {
  /// Consents and denials, newest first, with what ended them (rule R5).
  public func consents(_ page: LedgerPage = LedgerPage()) throws(LedgerError) -> [ConsentEntry] {
    try state.withLock { state throws(LedgerError) in
      try LedgerQueries.consents(state.database, page: page)
    }
  }

  /// One consent or denial.
  public func consent(_ id: String) throws(LedgerError) -> ConsentEntry {
    try state.withLock { state throws(LedgerError) in
      try LedgerQueries.consentEntry(state.database, id: id)
    }
  }

  /// Uses of the microphone, newest first, an opening and its closing as one entry (rule L8).
  public func uses(_ page: LedgerPage = LedgerPage()) throws(LedgerError) -> [UseRecord] {
    try state.withLock { state throws(LedgerError) in
      try LedgerQueries.uses(state.database, page: page)
    }
  }

  /// A copy of one consent record with its place in the ledger.
  public func receipt(for id: String) throws(LedgerError) -> Receipt {
    try state.withLock { state throws(LedgerError) in
      try LedgerQueries.receipt(state.database, id: id)
    }
  }

  /// Checks every record from the first, and the end against the head file and a receipt (R3).
  public func verify(against receipt: Receipt? = nil) throws(LedgerError) -> LedgerVerification {
    try state.withLock { state throws(LedgerError) in
      try LedgerQueries.verify(state.database, folder: folder, receipt: receipt)
    }
  }

  /// Gives the whole ledger as JSON, in pieces of one record, in the order of the records (R5).
  public func export(_ write: ([UInt8]) -> Void) throws(LedgerError) {
    try state.withLock { state throws(LedgerError) in
      try LedgerQueries.export(state.database, write)
    }
  }

  /// Where the ledger's files are.
  public var path: String { folder.path }
}
