internal import EarshotStore

/// Which records are old enough to be taken out, and which stay for what they still tell (R7).
struct SealingPlan {
  /// The last record that the checkpoint is to stand for, or nil where none is old enough.
  private(set) var through: (sequence: Int64, hash: [UInt8])?
  private(set) var gone: [Int64] = []
  private(set) var kept: [(sequence: Int64, hash: [UInt8])] = []
  /// Records that an earlier checkpoint stands for already.
  private(set) var countBefore: Int64 = 0

  init(
    _ database: borrowing Database, live: LiveConsents, openUses: Set<String>,
    retention: Ledger.Retention, now: Moment
  ) throws(LedgerError) {
    let day: Int64 = 86_400_000
    let usesEnd = now.utcMilliseconds - Int64(retention.usesDays) * day
    let consentsEnd = now.utcMilliseconds - Int64(retention.consentsDays) * day
    let holding = Set(live.all.filter { live.holds($0, at: now) }.map(\.id))
    let ends = try Self.ends(database)
    var plan = Pass()
    try LedgerTable.scan(database) { row throws(LedgerError) in
      let time = try LedgerJSON.decode(Stamp.self, from: row).milliseconds
      let stays: Bool
      switch RecordKind(rawValue: row.kind) {
      case .opening, .closing, .saving:
        // The first young use ends what the checkpoint stands for, and so does one that is open.
        guard time < usesEnd, !openUses.contains(row.id) else { return false }
        stays = false
      case .consent:
        stays = holding.contains(row.id) || max(time, ends[row.id] ?? time) >= consentsEnd
        if stays { plan.staying.insert(row.id) }
      case .withdrawal: stays = plan.staying.contains(row.names)
      case .checkpoint:
        plan.countBefore = try LedgerJSON.decode(Checkpoint.self, from: row).count
        plan.checkpointsGone += 1
        stays = false
      case .restoration: stays = true
      case nil: return false
      }
      plan.take(row, stays: stays)
      return true
    }
    guard plan.hasOldRecords else { return }
    through = plan.through
    gone = plan.gone
    kept = plan.kept
    countBefore = plan.countBefore
  }

  /// When each consent was withdrawn, in milliseconds since 1970.
  private static func ends(_ database: borrowing Database) throws(LedgerError) -> [String: Int64] {
    var ends = [String: Int64]()
    try LedgerTable.scan(database) { row throws(LedgerError) in
      if row.kind == RecordKind.withdrawal.rawValue {
        ends[row.names] = try LedgerJSON.decode(Stamp.self, from: row).milliseconds
      }
      return true
    }
    return ends
  }

  private struct Pass {
    var through: (sequence: Int64, hash: [UInt8])?
    var gone: [Int64] = []
    var kept: [(sequence: Int64, hash: [UInt8])] = []
    var staying: Set<String> = []
    var countBefore: Int64 = 0
    var checkpointsGone: Int64 = 0

    /// Whether more than an earlier checkpoint would go.
    var hasOldRecords: Bool { Int64(gone.count) > checkpointsGone }

    mutating func take(_ row: LedgerRow, stays: Bool) {
      through = (row.sequence, row.hash)
      if stays { kept.append((row.sequence, row.hash)) } else { gone.append(row.sequence) }
    }
  }

  /// The time in any kind of record.
  private struct Stamp: Decodable {
    var milliseconds: Int64

    private enum CodingKeys: String, CodingKey {
      case time = "event_time"
      case event
    }

    private enum EventKeys: String, CodingKey { case time = "event_time" }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      let time =
        try values.decodeIfPresent(Moment.self, forKey: .time)
        ?? values.nestedContainer(keyedBy: EventKeys.self, forKey: .event)
        .decode(Moment.self, forKey: .time)
      milliseconds = time.utcMilliseconds
    }
  }
}
