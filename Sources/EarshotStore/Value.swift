/// One value as SQLite stores it.
public enum Value: Sendable, Hashable {
  /// No value.
  case null
  /// A signed 64-bit number.
  case integer(Int64)
  /// UTF-8 text.
  case text(String)
  /// Bytes.
  case blob([UInt8])
}
