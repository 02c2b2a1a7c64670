internal import EarshotStore

/// Reading single records and lists, for the writer and for readers alike.
enum LedgerQueries {
  static func row(_ database: borrowing Database, _ kind: RecordKind, id: String)
    throws(LedgerError) -> LedgerRow
  {
    let rows = try LedgerTable.rows(
      database, where: "id = ? AND kind = ?", [.text(id), .text(kind.rawValue)], limit: 1)
    guard let row = rows.first else { throw .unknown(id: id) }
    return row
  }

  static func consent(_ database: borrowing Database, id: String) throws(LedgerError)
    -> ConsentRecord
  {
    try LedgerJSON.decode(ConsentRecord.self, from: row(database, .consent, id: id))
  }

  static func opening(_ database: borrowing Database, id: String) throws(LedgerError)
    -> UseOpening
  {
    try LedgerJSON.decode(UseOpening.self, from: row(database, .opening, id: id))
  }

  static func closing(_ database: borrowing Database, of use: String) throws(LedgerError)
    -> UseClosing?
  {
    try named(database, .closing, use).map { row throws(LedgerError) in
      try LedgerJSON.decode(UseClosing.self, from: row)
    }
  }

  static func withdrawal(_ database: borrowing Database, of consent: String) throws(LedgerError)
    -> Withdrawal?
  {
    try named(database, .withdrawal, consent).map { row throws(LedgerError) in
      try LedgerJSON.decode(Withdrawal.self, from: row)
    }
  }

  /// The newest record of a kind that names another.
  private static func named(_ database: borrowing Database, _ kind: RecordKind, _ id: String)
    throws(LedgerError) -> LedgerRow?
  {
    try LedgerTable.rows(
      database, where: "names = ? AND kind = ?", [.text(id), .text(kind.rawValue)], limit: 1
    ).first
  }

  static func newestCheckpoint(_ database: borrowing Database) throws(LedgerError)
    -> Checkpoint?
  {
    try LedgerTable.rows(
      database, where: "kind = ?", [.text(RecordKind.checkpoint.rawValue)], limit: 1
    ).first.flatMap { try? LedgerJSON.decode(Checkpoint.self, from: $0) }
  }

  static func consents(_ database: borrowing Database, page: LedgerPage) throws(LedgerError)
    -> [ConsentEntry]
  {
    try rows(database, .consent, page).map { row throws(LedgerError) in
      let record = try LedgerJSON.decode(ConsentRecord.self, from: row)
      return ConsentEntry(
        sequence: row.sequence, record: record,
        withdrawal: try withdrawal(database, of: record.id))
    }
  }

  static func uses(_ database: borrowing Database, page: LedgerPage) throws(LedgerError)
    -> [UseRecord]
  {
    try rows(database, .opening, page).map { row throws(LedgerError) in
      let opening = try LedgerJSON.decode(UseOpening.self, from: row)
      return UseRecord(
        sequence: row.sequence, opening: opening, closing: try closing(database, of: opening.id))
    }
  }

  private static func rows(_ database: borrowing Database, _ kind: RecordKind, _ page: LedgerPage)
    throws(LedgerError) -> [LedgerRow]
  {
    try LedgerTable.rows(
      database, where: "kind = ? AND sequence < ? AND body IS NOT NULL",
      [.text(kind.rawValue), .integer(page.before ?? .max)], limit: page.limit)
  }
}

/// A part of a long list, newest first.
public struct LedgerPage: Sendable, Hashable {
  /// The most entries of one page.
  public static let limitMax = 500

  /// At most so many entries.
  public var limit: Int
  /// Only records with a lower number; nil for the newest.
  public var before: Int64?

  /// A page; `limit` is brought into 1 … `limitMax`.
  public init(limit: Int = 100, before: Int64? = nil) {
    self.limit = min(max(limit, 1), Self.limitMax)
    self.before = before
  }
}

/// One consent as it is listed: the record, and what ended it.
public struct ConsentEntry: Codable, Sendable, Hashable {
  /// Its number in the ledger, from 1.
  public var sequence: Int64
  /// The record.
  public var record: ConsentRecord
  /// What ended it, if a record did.
  public var withdrawal: Withdrawal?

  enum CodingKeys: String, CodingKey {
    case sequence = "ledger_sequence"
    case record
    case withdrawal
  }
}
