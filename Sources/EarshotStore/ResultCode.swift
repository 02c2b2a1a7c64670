internal import CSQLite

/// SQLite's result codes, told apart as far as a caller can act on them.
enum ResultCode {
  /// The error that stands for an extended result code other than OK, ROW and DONE.
  static func error(_ code: Int32, errno: Int32 = 0) -> StoreError {
    // This one extended code means a hot journal, which a read-only connection may not roll back.
    if code == SQLITE_READONLY | (3 << 8) { return .needsRecovery }
    switch code & 0xff {
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
      return .cannotOpen(code: code, errno: errno)
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy(code: code)
    case SQLITE_FULL: return .full
    case SQLITE_READONLY: return .readOnly(code: code)
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_EMPTY: return .damaged(code: code)
    case SQLITE_IOERR: return .inputOutput(code: code)
    case SQLITE_CONSTRAINT: return .constraint(code: code)
    case SQLITE_TOOBIG: return .tooLarge(limit: Database.valueBytesMax)
    default: return .other(code: code)
    }
  }
}
