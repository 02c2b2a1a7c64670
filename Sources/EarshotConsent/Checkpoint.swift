/// What stands for the old records that were taken out (rule R7).
///
/// Records up to `through` are gone, but for those that still hold; the chain goes on from
/// `lastHash`. What was kept proves itself by its own hash, and all of it by `keptDigest`.
struct Checkpoint: Codable, Sendable, Hashable {
  var id: String
  /// The number of the last record that this stands for.
  var through: Int64
  /// How many records up to there are gone, all earlier checkpoints' included.
  var count: Int64
  /// The hash of record `through`, in hexadecimal.
  var lastHash: String
  /// SHA-256 over number and hash of each record up to `through` that is still there.
  var keptDigest: String
  var time: Moment

  enum CodingKeys: String, CodingKey {
    case id = "record_id"
    case through
    case count
    case lastHash = "last_hash"
    case keptDigest = "kept_digest"
    case time = "event_time"
  }

  /// What the first record after those that are gone names as the one before it.
  var head: LedgerHead {
    LedgerHead(sequence: through, hash: Digest.bytes(hexadecimal: lastHash) ?? LedgerChain.origin)
  }

  /// What is wrong with the records that stayed, taken together, or nil.
  func fault(ofKept kept: [(sequence: Int64, hash: [UInt8])]) -> LedgerFault? {
    let isWhole =
      through == count + Int64(kept.count) && Self.digest(of: kept) == keptDigest
    return isWhole ? nil : .broken(sequence: through)
  }

  /// The digest of records that stay, in the order of their numbers.
  static func digest(of kept: [(sequence: Int64, hash: [UInt8])]) -> String {
    var bytes = [UInt8]()
    for record in kept {
      LedgerChain.append(UInt64(record.sequence), to: &bytes)
      bytes += record.hash
    }
    return Digest.hexadecimal(of: bytes)
  }
}
