internal import EarshotStore

/// The table of records, and the ways it is read and added to.
enum LedgerTable {
  /// The most bytes of one record's JSON.
  static let bodyBytesMax = 64 * 1024

  static let schema = Schema(
    applicationIdentifier: 0x4561_4C31,
    versions: [
      [
        """
        CREATE TABLE records (
          sequence INTEGER PRIMARY KEY CHECK (sequence > 0),
          kind TEXT NOT NULL,
          id TEXT NOT NULL UNIQUE,
          names TEXT NOT NULL,
          subject TEXT NOT NULL,
          body BLOB,
          previous BLOB NOT NULL CHECK (length(previous) = 32),
          hash BLOB NOT NULL CHECK (length(hash) = 32)
        ) STRICT
        """,
        "CREATE INDEX records_by_kind ON records (kind, sequence)",
        "CREATE INDEX records_by_name ON records (names, kind)",
        """
        CREATE TABLE dismissals (
          subject TEXT PRIMARY KEY,
          count INTEGER NOT NULL,
          utc_milliseconds INTEGER NOT NULL,
          monotonic_nanoseconds INTEGER NOT NULL,
          boot TEXT NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
      ]
    ])

  /// Opens the table's file and makes sure that it is of this build's form.
  static func open(_ path: String, access: Database.Access) throws(LedgerError) -> Database {
    do {
      let database = try Database(at: path, access: access)
      switch access {
      case .readWrite: try database.migrate(to: schema)
      case .readOnly: try database.checkVersion(of: schema)
      }
      return database
    } catch {
      throw .store(error)
    }
  }

  private static let columns = "sequence, kind, id, names, subject, body, previous, hash"

  static func insert(_ row: LedgerRow, into database: borrowing Database) throws(StoreError) {
    try database.run(
      "INSERT INTO records (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .integer(row.sequence), .text(row.kind), .text(row.id), .text(row.names),
        .text(row.subject), row.body.map { .blob($0) } ?? .null, .blob(row.previous),
        .blob(row.hash),
      ])
  }

  /// Gives every row from the first to the last to `body`, which ends it by returning false.
  static func scan(
    _ database: borrowing Database, _ body: (LedgerRow) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    do {
      var statement = try database.prepare("SELECT \(columns) FROM records ORDER BY sequence")
      while try statement.step() {
        guard try body(row(statement)) else { return }
      }
    } catch let error as StoreError {
      throw .store(error)
    } catch let error as LedgerError {
      throw error
    } catch {
      preconditionFailure("only the two errors above are thrown")
    }
  }

  /// The rows that a condition picks, at most `limit` of them, newest first.
  static func rows(
    _ database: borrowing Database, where condition: String, _ values: [Value], limit: Int
  ) throws(LedgerError) -> [LedgerRow] {
    do {
      var statement = try database.prepare(
        "SELECT \(columns) FROM records WHERE \(condition) ORDER BY sequence DESC LIMIT \(limit)")
      try statement.bind(values)
      var rows = [LedgerRow]()
      while try statement.step() { rows.append(row(statement)) }
      return rows
    } catch {
      throw .store(error)
    }
  }

  private static func row(_ statement: borrowing Statement) -> LedgerRow {
    let isSealed = statement.value(at: 5) == .null
    return LedgerRow(
      sequence: statement.integer(at: 0), kind: statement.text(at: 1), id: statement.text(at: 2),
      names: statement.text(at: 3), subject: statement.text(at: 4),
      body: isSealed ? nil : statement.blob(at: 5), previous: statement.blob(at: 6),
      hash: statement.blob(at: 7))
  }
}
