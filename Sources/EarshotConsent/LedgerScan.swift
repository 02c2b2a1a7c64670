internal import EarshotStore

/// One pass over all records, which checks the chain and gathers what holds now.
struct LedgerScan {
  private(set) var head = LedgerHead.empty
  private(set) var fault: LedgerFault?
  private(set) var live = LiveConsents()
  /// Openings without a closing, by id.
  private(set) var openUses: Set<String> = []
  /// The hash of the record that a head or receipt names, when there is such a record.
  private var anchors: [Int64: [UInt8]] = [:]
  private var noted: LedgerFault?

  /// Checks the records against the head file as well.
  init(_ database: borrowing Database, headFile: LedgerHeadFile.Content, receipt: LedgerHead? = nil)
    throws(LedgerError)
  {
    var known = [LedgerHead]()
    if case .head(let head) = headFile { known.append(head) }
    if let receipt { known.append(receipt) }
    try self.init(database, known: known)
    guard fault == nil || fault == noted, head.sequence > 0 else { return }
    switch headFile {
    case .missing: fault = .headMissing
    case .damaged: fault = .headDamaged
    case .head: break
    }
  }

  /// Checks and gathers every record up to the first that is wrong.
  ///
  /// `known` are heads that must lie on the chain: the head file's, and a receipt's.
  init(_ database: borrowing Database, known: [LedgerHead]) throws(LedgerError) {
    var scan = (head: LedgerHead.empty, pass: Pass())
    let wanted = Set(known.map(\.sequence))
    let checkpoint = try LedgerQueries.newestCheckpoint(database)
    var kept = [(sequence: Int64, hash: [UInt8])]()
    var isPastCheckpoint = checkpoint == nil
    try LedgerTable.scan(database) { row throws(LedgerError) in
      if let checkpoint, row.sequence <= checkpoint.through {
        kept.append((row.sequence, row.hash))
        scan.pass.fault = LedgerChain.fault(of: row)
      } else {
        if let checkpoint, !isPastCheckpoint {
          scan.pass.fault = checkpoint.fault(ofKept: kept)
          scan.head = checkpoint.head
          isPastCheckpoint = true
        }
        scan.pass.fault = scan.pass.fault ?? LedgerChain.fault(of: row, after: scan.head)
      }
      guard scan.pass.fault == nil else { return false }
      guard scan.pass.take(row) else { return false }
      scan.head = LedgerHead(sequence: row.sequence, hash: row.hash)
      if wanted.contains(row.sequence) { scan.pass.anchors[row.sequence] = row.hash }
      return true
    }
    head = scan.head
    live = scan.pass.live
    openUses = scan.pass.openUses
    anchors = scan.pass.anchors
    noted = scan.pass.noted
    fault =
      scan.pass.fault ?? Self.fault(
        known: known, head: head, anchors: anchors, checkpoint: checkpoint) ?? noted
  }

  private static func fault(
    known: [LedgerHead], head: LedgerHead, anchors: [Int64: [UInt8]], checkpoint: Checkpoint?
  ) -> LedgerFault? {
    for anchor in known where anchor.sequence > 0 {
      // A receipt for a record that was taken out in its time has nothing to be compared with.
      if let checkpoint, anchor.sequence <= checkpoint.through, anchors[anchor.sequence] == nil {
        continue
      }
      guard anchor.sequence <= head.sequence else {
        return .cut(expected: anchor.sequence, found: head.sequence)
      }
      guard anchors[anchor.sequence] == anchor.hash else {
        return .replaced(sequence: anchor.sequence)
      }
    }
    return nil
  }

  /// What one pass gathers, apart from the chain's own end.
  private struct Pass {
    var live = LiveConsents()
    var openUses: Set<String> = []
    var anchors: [Int64: [UInt8]] = [:]
    var fault: LedgerFault?
    var noted: LedgerFault?

    /// Takes a row whose hash is right; false where its content can't be read.
    mutating func take(_ row: LedgerRow) -> Bool {
      guard let kind = RecordKind(rawValue: row.kind) else { return refuse(row) }
      switch kind {
      case .consent:
        guard let record = try? LedgerJSON.decode(ConsentRecord.self, from: row) else {
          return refuse(row)
        }
        live.add(record)
      case .withdrawal: live.withdraw(row.names)
      case .saving: live.spend(row.names)
      case .opening:
        live.spend(row.names)
        openUses.insert(row.id)
      case .closing: openUses.remove(row.names)
      case .restoration:
        guard let note = try? LedgerJSON.decode(Restoration.self, from: row) else {
          return refuse(row)
        }
        live.voidAllowances()
        noted =
          noted
          ?? .noted(record: row.sequence, expected: note.expected ?? note.found, found: note.found)
      case .checkpoint: break
      }
      return true
    }

    private mutating func refuse(_ row: LedgerRow) -> Bool {
      fault = .unreadable(sequence: row.sequence)
      return false
    }
  }
}
