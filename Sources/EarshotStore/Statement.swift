internal import CSQLite

/// One compiled statement, finalised when it is dropped.
///
/// A statement may outlive its `Database`: SQLite keeps the closed connection until the last
/// statement is gone.
@safe public struct Statement: ~Copyable {
  private let handle: OpaquePointer

  init(connection: OpaquePointer, sql: String) throws(StoreError) {
    var prepared: OpaquePointer?
    let status = unsafe sqlite3_prepare_v2(connection, sql, -1, &prepared, nil)
    guard status == SQLITE_OK, let handle = unsafe prepared else {
      unsafe sqlite3_finalize(prepared)
      throw ResultCode.error(
        status == SQLITE_OK ? SQLITE_MISUSE : status,
        errno: unsafe sqlite3_system_errno(connection))
    }
    unsafe self.handle = handle
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Binds all parameters in order; the count must be that of the statement.
  ///
  /// Texts and blobs are copied. Binding resets a statement that has been stepped.
  public mutating func bind(_ values: [Value]) throws(StoreError) {
    unsafe sqlite3_reset(handle)
    precondition(
      unsafe values.count == Int(sqlite3_bind_parameter_count(handle)),
      "each parameter is bound once")
    for (index, value) in values.enumerated() {
      let status = bind(value, at: Int32(index + 1))
      guard status == SQLITE_OK else { throw ResultCode.error(status) }
    }
  }

  private func bind(_ value: Value, at index: Int32) -> Int32 {
    // SAFETY: SQLITE_TRANSIENT is the C macro for a destructor of -1, which makes SQLite copy.
    let transient = unsafe unsafeBitCast(-1 as Int, to: sqlite3_destructor_type.self)
    switch value {
    case .null: return unsafe sqlite3_bind_null(handle, index)
    case .integer(let number): return unsafe sqlite3_bind_int64(handle, index, number)
    case .text(let text):
      let bytes = Array(text.utf8)
      return unsafe bytes.withUnsafeBytes { buffer in
        let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard let start = unsafe start else {
          return unsafe sqlite3_bind_text(handle, index, "", 0, transient)
        }
        return unsafe sqlite3_bind_text(handle, index, start, Int32(buffer.count), transient)
      }
    case .blob(let bytes):
      guard !bytes.isEmpty else { return unsafe sqlite3_bind_zeroblob(handle, index, 0) }
      return unsafe bytes.withUnsafeBytes { buffer in
        unsafe sqlite3_bind_blob(handle, index, buffer.baseAddress, Int32(buffer.count), transient)
      }
    }
  }

  /// Goes to the next row; false means that there is none.
  ///
  /// A statement that changes data has done so once this returns false.
  public mutating func step() throws(StoreError) -> Bool {
    let status = unsafe sqlite3_step(handle)
    switch status {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let cause = unsafe sqlite3_system_errno(sqlite3_db_handle(handle))
      throw ResultCode.error(status, errno: cause)
    }
  }

  /// The value in a column of the current row, counted from 0.
  public func value(at column: Int32) -> Value {
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: return .integer(integer(at: column))
    case SQLITE_TEXT: return .text(text(at: column))
    case SQLITE_BLOB: return .blob(blob(at: column))
    default: return .null
    }
  }

  /// The column as a number; 0 for null.
  public func integer(at column: Int32) -> Int64 {
    unsafe sqlite3_column_int64(handle, column)
  }

  /// The column as text; empty for null. Bytes that are not UTF-8 are replaced.
  public func text(at column: Int32) -> String {
    unsafe String(decoding: bytes(sqlite3_column_text(handle, column), column), as: UTF8.self)
  }

  /// The column as bytes; empty for null.
  public func blob(at column: Int32) -> [UInt8] {
    unsafe bytes(sqlite3_column_blob(handle, column), column)
  }

  private func bytes(_ start: UnsafeRawPointer?, _ column: Int32) -> [UInt8] {
    guard let start = unsafe start else { return [] }
    // SAFETY: the pointer holds until the next step, reset or conversion; the bytes are copied now.
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  private func bytes(_ start: UnsafePointer<UInt8>?, _ column: Int32) -> [UInt8] {
    unsafe bytes(start.map { unsafe UnsafeRawPointer($0) }, column)
  }
}
