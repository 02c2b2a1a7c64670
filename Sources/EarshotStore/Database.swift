internal import CSQLite
internal import Glibc

/// One connection to one SQLite file, closed when it is dropped.
///
/// Writing connections use a rollback journal that is truncated and synced at each commit
/// (`journal_mode=TRUNCATE`, `synchronous=FULL`), so a commit that returned survives a power cut, and
/// a reader needs nothing but read permission: no shared memory file, no write-ahead log. Freed pages
/// are overwritten (`secure_delete`), and temporary data stays in memory.
///
/// The connection is serialised by SQLite and may be used from any thread. Every call blocks on the
/// disk; a lock held elsewhere is waited for at most the busy time.
@safe public struct Database: ~Copyable {
  /// What a connection may do with the file.
  public enum Access: Sendable, Hashable {
    /// Reads; the file must exist, and nothing beside it is created or changed.
    case readOnly
    /// Reads and writes; the file is created with mode 0600 where it is missing.
    case readWrite
  }

  /// The most bytes of one text or blob.
  public static let valueBytesMax = 1 << 24

  let connection: OpaquePointer
  /// What this connection may do.
  public let access: Access

  /// Opens the file at `path` and sets the connection up.
  ///
  /// `busyMilliseconds` bounds each wait for another process's lock.
  public init(at path: String, access: Access, busyMilliseconds: Int32 = 5000)
    throws(StoreError)
  {
    let opened = unsafe Database(
      connection: try Self.open(path, access, busyMilliseconds), access: access)
    try opened.configure()
    self = opened
  }

  private init(connection: OpaquePointer, access: Access) {
    unsafe self.connection = connection
    self.access = access
  }

  deinit { unsafe sqlite3_close_v2(connection) }

  private static func open(_ path: String, _ access: Access, _ busyMilliseconds: Int32)
    throws(StoreError) -> OpaquePointer
  {
    if access == .readWrite { try createPrivately(path) }
    let flags = access == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    var opened: OpaquePointer?
    let status = unsafe sqlite3_open_v2(
      path, &opened, flags | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard status == SQLITE_OK, let connection = unsafe opened else {
      let cause = unsafe opened == nil ? 0 : sqlite3_system_errno(opened)
      // SQLite hands back a connection even when opening fails, and it is ours to close.
      unsafe sqlite3_close_v2(opened)
      throw ResultCode.error(status, errno: cause)
    }
    // SQLite falls back to reading where the file can't be written, which would only be found later.
    if access == .readWrite, unsafe sqlite3_db_readonly(connection, "main") != 0 {
      unsafe sqlite3_close_v2(connection)
      throw .readOnly(code: SQLITE_READONLY)
    }
    unsafe sqlite3_busy_timeout(connection, busyMilliseconds)
    unsafe sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Int32(valueBytesMax))
    return unsafe connection
  }

  /// Creates the file before SQLite would, so that it is never readable by others.
  private static func createPrivately(_ path: String) throws(StoreError) {
    // Only a file that isn't there is opened here: closing a descriptor of a database that this
    // process has open already would drop the locks that its connection holds.
    let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let cause = errno
      if cause == EEXIST { return }
      if cause == EROFS || cause == EACCES || cause == EPERM {
        throw .readOnly(code: SQLITE_READONLY)
      }
      throw cause == ENOSPC || cause == EDQUOT
        ? .full : .cannotOpen(code: SQLITE_CANTOPEN, errno: cause)
    }
    close(descriptor)
  }

  /// Sets the pragmas and reads back those on which durability rests.
  private borrowing func configure() throws(StoreError) {
    try execute("PRAGMA trusted_schema=OFF")
    try execute("PRAGMA cell_size_check=ON")
    try execute("PRAGMA temp_store=MEMORY")
    try execute("PRAGMA mmap_size=0")
    guard access == .readWrite else {
      try execute("PRAGMA query_only=ON")
      return
    }
    try require("journal_mode", set: "TRUNCATE", answer: .text("truncate"))
    try require("synchronous", set: "FULL", answer: .integer(2))
    try require("secure_delete", set: "ON", answer: .integer(1))
  }

  private borrowing func require(_ setting: String, set value: String, answer: Value)
    throws(StoreError)
  {
    try execute("PRAGMA \(setting)=\(value)")
    var reading = try prepare("PRAGMA \(setting)")
    guard try reading.step(), reading.value(at: 0) == answer else {
      throw .settingRefused(setting: setting)
    }
  }

  /// Compiles one statement.
  public borrowing func prepare(_ sql: String) throws(StoreError) -> Statement {
    unsafe try Statement(connection: connection, sql: sql)
  }

  /// Runs one statement without parameters and drops its rows.
  public borrowing func execute(_ sql: String) throws(StoreError) {
    var statement = try prepare(sql)
    while try statement.step() {}
  }

  /// Runs one statement with its parameters bound in order and drops its rows.
  public borrowing func run(_ sql: String, _ values: [Value]) throws(StoreError) {
    var statement = try prepare(sql)
    try statement.bind(values)
    while try statement.step() {}
  }

  /// Whether a transaction is open on this connection.
  public var isInTransaction: Bool { unsafe sqlite3_get_autocommit(connection) == 0 }
}

// SAFETY: SQLite is opened in serialised mode (FULLMUTEX) and guards the connection by its own
// mutex; the struct itself holds nothing that changes.
extension Database: @unchecked Sendable {}
