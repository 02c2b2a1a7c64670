/// The kinds of records.
enum RecordKind: String, Sendable, Hashable, CaseIterable {
  case consent
  case withdrawal
  case opening = "use-opening"
  case closing = "use-closing"
  case saving
  case restoration
  case checkpoint
}

/// One record as it stands in the table.
struct LedgerRow: Sendable, Hashable {
  /// Its number, from 1 without gaps.
  var sequence: Int64
  var kind: String
  var id: String
  /// The id of the record that this one is about, or empty.
  var names: String
  /// The requester that it belongs to, or empty.
  var subject: String
  /// The record's JSON, byte for byte as hashed; nil once it is sealed.
  var body: [UInt8]?
  /// The hash of the record before.
  var previous: [UInt8]
  var hash: [UInt8]
}

/// The hash that ties each record to all before it (rule R3).
enum LedgerChain {
  /// What the first record names as the hash before it.
  static let origin = [UInt8](repeating: 0, count: 32)

  /// The bytes that are hashed; Ledger.md draws them.
  static func canonicalBytes(
    sequence: Int64, previous: [UInt8], kind: String, id: String, names: String, subject: String,
    body: [UInt8]
  ) -> [UInt8] {
    var bytes = Array("earshot-ledger/1\n".utf8)
    append(UInt64(sequence), to: &bytes)
    bytes += previous
    for field in [Array(kind.utf8), Array(id.utf8), Array(names.utf8), Array(subject.utf8), body] {
      append(UInt64(field.count), to: &bytes)
      bytes += field
    }
    return bytes
  }

  /// A row with its hash, to follow `previous`.
  static func row(
    after previous: LedgerHead, kind: RecordKind, id: String, names: String, subject: String,
    body: [UInt8]
  ) -> LedgerRow {
    let sequence = previous.sequence + 1
    let hash = Digest.sha256(
      canonicalBytes(
        sequence: sequence, previous: previous.hash, kind: kind.rawValue, id: id, names: names,
        subject: subject, body: body))
    return LedgerRow(
      sequence: sequence, kind: kind.rawValue, id: id, names: names, subject: subject, body: body,
      previous: previous.hash, hash: hash)
  }

  /// What is wrong with a row that should follow `previous`, or nil.
  static func fault(of row: LedgerRow, after previous: LedgerHead) -> LedgerFault? {
    guard row.sequence == previous.sequence + 1, row.previous == previous.hash else {
      return .broken(sequence: row.sequence)
    }
    return fault(of: row)
  }

  /// What is wrong with a row by itself, whatever is before it, or nil.
  static func fault(of row: LedgerRow) -> LedgerFault? {
    guard let body = row.body else { return .unreadable(sequence: row.sequence) }
    let hash = Digest.sha256(
      canonicalBytes(
        sequence: row.sequence, previous: row.previous, kind: row.kind, id: row.id,
        names: row.names, subject: row.subject, body: body))
    return hash == row.hash ? nil : .changed(sequence: row.sequence)
  }

  static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
  }
}
