/// The first thing that `verify` finds wrong.
public enum LedgerFault: Sendable, Hashable {
  /// The record's bytes aren't those that its hash was made of.
  case changed(sequence: Int64)
  /// The record doesn't follow the one before it: one is missing, added or moved here.
  case broken(sequence: Int64)
  /// Records are missing at the end: the head file or a receipt knows of `expected`, and `found`
  /// are here. An older backup that was put back looks like this too.
  case cut(expected: Int64, found: Int64)
  /// The record that the head file or a receipt knows by this number is another one now.
  case replaced(sequence: Int64)
  /// There are records, and no head file that could tell whether the end is missing.
  case headMissing
  /// The head file is there and neither of its copies is readable.
  case headDamaged
  /// Records were found missing at a start, which `record` notes.
  case noted(record: Int64, expected: Int64, found: Int64)
  /// A record's content isn't readable though its hash is right.
  case unreadable(sequence: Int64)
}

/// What `verify` found (rule R3).
public struct LedgerVerification: Sendable, Hashable {
  /// Records that were read and found right, from the beginning, up to the fault.
  public var goodRecords: Int64
  /// The last good record's hash in hexadecimal; 64 zeros where there is none.
  public var lastHash: String
  /// The first thing wrong, or nil.
  public var fault: LedgerFault?

  /// A finding.
  public init(goodRecords: Int64, lastHash: String, fault: LedgerFault?) {
    self.goodRecords = goodRecords
    self.lastHash = lastHash
    self.fault = fault
  }
}

/// A copy of one consent record, with what proves its place in the ledger.
public struct Receipt: Codable, Sendable, Hashable {
  /// The record.
  public var record: ConsentRecord
  /// Its number in the ledger, from 1.
  public var sequence: Int64
  /// Its hash in hexadecimal.
  public var hash: String

  enum CodingKeys: String, CodingKey {
    case record
    case sequence = "ledger_sequence"
    case hash = "ledger_hash"
  }
}
