/// The ways a store on disk can refuse.
///
/// Codes are SQLite's extended result codes; the low eight bits are the primary code. No case holds
/// SQL, a bound value or a path, because any of them could name what a person kept.
public enum StoreError: Error, Sendable, Hashable {
  /// The file or its folder can't be opened as asked. `errno` is the kernel's word, 0 if unknown.
  case cannotOpen(code: Int32, errno: Int32)
  /// Another process holds the lock for longer than the busy time. Trying again can help.
  case busy(code: Int32)
  /// The disk is full; nothing of the transaction was kept. Trying again helps once there is room.
  case full
  /// The file, its folder or its file system doesn't accept writes; nothing was kept.
  case readOnly(code: Int32)
  /// A writer died in mid-transaction, and only a writer may put the file right again.
  case needsRecovery
  /// The bytes aren't a database, or are a damaged one.
  case damaged(code: Int32)
  /// Reading, writing or syncing failed in the kernel; nothing of the transaction was kept.
  case inputOutput(code: Int32)
  /// A constraint of the schema forbids the change.
  case constraint(code: Int32)
  /// The file was written by a build newer than this one.
  case unreadableVersion(found: Int, newest: Int)
  /// The file is a database of another program or room.
  case foreign(applicationIdentifier: Int)
  /// A durability setting was not taken over by SQLite. `setting` is the pragma's name.
  case settingRefused(setting: String)
  /// A text or blob is larger than the bound of `limit` bytes.
  case tooLarge(limit: Int)
  /// Any other result code.
  case other(code: Int32)
}
