internal import EarshotStore
internal import Glibc
internal import Synchronization

/// The worker's side of the ledger: it reads, and turns an opening record into the grant.
///
/// The database is opened read-only; nothing is created, locked for writing or changed, so that the
/// folder may be one that this process can only read.
public final class LedgerReader: Sendable {
  private let folder: LedgerFolder
  private let database: Database

  /// Opens the ledger in `folder` for reading.
  ///
  /// `needsRecovery` in the store's error means that a writer died in mid-transaction: nothing can
  /// be read until the daemon has started again.
  public init(folder: String) throws(LedgerError) {
    self.folder = LedgerFolder(path: folder)
    database = try LedgerTable.open(self.folder.database, access: .readOnly)
  }

  /// Turns the opening record `use` into the one grant that it stands for.
  ///
  /// The record must name this process by its number and start, in this run of the machine; its
  /// deadline must lie ahead; neither it nor its consent may be ended; and its hash must be right.
  /// A second call in the process throws `alreadyRedeemed`.
  public func redeem(use: String, process: Int32, startTime: UInt64, now: Moment)
    throws(LedgerError) -> Grant
  {
    let row = try LedgerQueries.row(database, .opening, id: use)
    let opening = try LedgerJSON.decode(UseOpening.self, from: checked(row))
    guard opening.worker == ProcessIdentity(process: process, startTime: startTime),
      opening.time.boot == now.boot, process == getpid()
    else { throw .notThisProcess }
    guard now.monotonicNanoseconds < opening.deadlineNanoseconds else {
      throw .deadlineOutOfRange
    }
    guard opening.id == use, opening.consent == row.names else {
      throw .damaged(.changed(sequence: row.sequence))
    }
    let consentRow = try LedgerQueries.row(database, .consent, id: opening.consent)
    let consent = try LedgerJSON.decode(ConsentRecord.self, from: checked(consentRow))
    guard consent.isAllowance, consent.capability == .microphone,
      consent.source == opening.source, consentRow.sequence < row.sequence
    else { throw .damaged(.changed(sequence: consentRow.sequence)) }
    guard try LedgerQueries.closing(database, of: use) == nil else { throw .useClosed(id: use) }
    guard try LedgerQueries.withdrawal(database, of: consent.id) == nil else { throw .withdrawn }
    guard Self.redeemed.withLock({ $0.insert(use).inserted }) else { throw .alreadyRedeemed }
    return Grant(
      source: opening.source, use: use, deadlineNanoseconds: opening.deadlineNanoseconds)
  }

  /// The uses that this process has had grants for. It is the process's and not a reader's, because
  /// a second reader must not give a second grant.
  private static let redeemed = Mutex<Set<String>>([])

  /// A row whose hash is right, and which follows the row before it.
  private func checked(_ row: LedgerRow) throws(LedgerError) -> LedgerRow {
    let before = try LedgerTable.rows(
      database, where: "sequence = ?", [.integer(row.sequence - 1)], limit: 1)
    var hash = before.first?.hash ?? LedgerChain.origin
    if before.isEmpty, let checkpoint = try LedgerQueries.newestCheckpoint(database),
      row.sequence <= checkpoint.through + 1
    {
      // What was before it is gone; the checkpoint's own digest is what `verify` checks it by.
      hash = row.previous
    }
    let head = LedgerHead(sequence: row.sequence - 1, hash: hash)
    if let fault = LedgerChain.fault(of: row, after: head) { throw .damaged(fault) }
    return row
  }

  /// Consents and denials, newest first.
  public func consents(_ page: LedgerPage = LedgerPage()) throws(LedgerError) -> [ConsentEntry] {
    try LedgerQueries.consents(database, page: page)
  }

  /// Uses of the microphone, newest first.
  public func uses(_ page: LedgerPage = LedgerPage()) throws(LedgerError) -> [UseRecord] {
    try LedgerQueries.uses(database, page: page)
  }

  /// Checks every record, and the end against the head file and a receipt (rule R3).
  public func verify(against receipt: Receipt? = nil) throws(LedgerError) -> LedgerVerification {
    try LedgerQueries.verify(database, folder: folder, receipt: receipt)
  }

  /// Gives the whole ledger as JSON, in pieces of one record.
  public func export(_ write: ([UInt8]) -> Void) throws(LedgerError) {
    try LedgerQueries.export(database, write)
  }
}
