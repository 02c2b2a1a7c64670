public import EarshotStore

/// The ways the ledger can refuse.
///
/// Whatever is thrown, nothing was acknowledged and no microphone may be opened (rule R4).
public enum LedgerError: Error, Sendable, Hashable {
  /// Another process has the ledger open for writing. Trying again helps once it has ended.
  case inUse
  /// The folder can't be made, read or written. `errno` is the kernel's word.
  case folder(errno: Int32)
  /// The database refused; see the store's own error for full disks and read-only folders.
  case store(StoreError)
  /// The head file can't be written or synced.
  case head(errno: Int32)
  /// A record isn't what was written; nothing rests on this ledger until it is repaired or erased.
  case damaged(LedgerFault)
  /// There is no such record.
  case unknown(id: String)
  /// The consent doesn't cover this question now: it was never given, is spent, over, or withdrawn.
  case notAllowed(ConsentStatus)
  /// The requester has used its minute in ten; `seconds` is the wait until this limit fits (L9).
  case tooOften(seconds: Int)
  /// The limit is outside 1 … 30,000 ms (rule L9).
  case limitOutOfRange(milliseconds: Int)
  /// The deadline has passed, or is later than the limit can need.
  case deadlineOutOfRange
  /// The use isn't open: it was closed before.
  case useClosed(id: String)
  /// The use was opened for another process, or in another run of the machine.
  case notThisProcess
  /// The use has been redeemed in this process.
  case alreadyRedeemed
  /// The consent was withdrawn after the use was opened.
  case withdrawn
  /// The record that was read isn't of a form that this build can read.
  case unreadable(sequence: Int64)
  /// The question holds more bytes than a record may.
  case tooLarge
}
