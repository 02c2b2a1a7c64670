internal import EarshotStore

/// All that a writing ledger holds, behind one lock.
struct LedgerState: ~Copyable {
  let database: Database
  private var headFile: LedgerHeadFile
  // The lock is held for as long as the state lives; nothing else is done with it.
  private let lock: LedgerLock
  private(set) var head: LedgerHead
  var live: LiveConsents
  var meter: ListeningMeter
  private(set) var openUses: Set<String>
  /// Why nothing rests on these records; nil where they are right.
  private(set) var fault: LedgerFault?
  /// Whether a fault on the disk left it open what the table holds.
  private var isStale = false

  /// Opens or makes the ledger, checks it, and closes what a lost daemon left open.
  static func open(_ folder: LedgerFolder, clock: LedgerClock) throws(LedgerError) -> LedgerState {
    try folder.make()
    let lock = try LedgerLock(at: folder.lock)
    let content = LedgerHeadFile.read(folder.head)
    let database = try LedgerTable.open(folder.database, access: .readWrite)
    let headFile = try LedgerHeadFile(at: folder.head)
    let scan = try LedgerScan(database, headFile: content)
    var state = LedgerState(database: database, headFile: headFile, lock: lock, scan: scan)
    try LedgerFolder.sync(folder: folder.path)
    try state.settle(scan, headFile: content, clock: clock)
    return state
  }

  private init(
    database: consuming Database, headFile: consuming LedgerHeadFile, lock: consuming LedgerLock,
    scan: LedgerScan
  ) {
    self.database = database
    self.headFile = headFile
    self.lock = lock
    head = scan.head
    live = scan.live
    meter = ListeningMeter()
    openUses = scan.openUses
    fault = nil
  }

  /// Decides what a scan at the start means: go on, note what is missing, or refuse.
  private mutating func settle(
    _ scan: LedgerScan, headFile content: LedgerHeadFile.Content, clock: LedgerClock
  ) throws(LedgerError) {
    switch scan.fault {
    case nil, .noted:
      // A daemon that was killed between commit and head file left the head one record behind.
      if content != .head(head) { try writeHead() }
    case .cut(let expected, _):
      try note(missingUpTo: expected, clock: clock)
    case .headMissing, .headDamaged:
      try note(missingUpTo: nil, clock: clock)
    case .changed, .broken, .replaced, .unreadable:
      fault = scan.fault
      return
    }
    try fillMeter(now: clock.now())
    for use in openUses {
      let closing = UseClosing(
        id: clock.makeIdentifier(), use: use, milliseconds: nil, samples: nil,
        reason: Ledger.daemonLost, outcome: nil, isMemoryLocked: nil, time: clock.now())
      try append(
        .closing, id: closing.id, names: use, subject: try opening(use).requester.subject, closing)
      openUses.remove(use)
    }
  }

  private mutating func note(missingUpTo expected: Int64?, clock: LedgerClock)
    throws(LedgerError)
  {
    let record = Restoration(
      id: clock.makeIdentifier(), expected: expected, found: head.sequence, time: clock.now())
    live.voidAllowances()
    try append(.restoration, id: record.id, names: "", subject: "", record)
  }

  private mutating func fillMeter(now: Moment) throws(LedgerError) {
    // No more than this can have been opened in ten minutes: each use lasts, and rests on a sync.
    let rows = try LedgerTable.rows(
      database, where: "kind = ?", [.text(RecordKind.opening.rawValue)], limit: 1000)
    for row in rows.reversed() {
      let opening = try LedgerJSON.decode(UseOpening.self, from: row)
      meter.open(opening, now: now)
      if let closing = try closing(of: opening.id) { meter.close(opening, closing, now: now) }
    }
  }

  /// Throws where the records are damaged, and looks again after a fault on the disk.
  mutating func check() throws(LedgerError) {
    if isStale {
      let scan = try LedgerScan(database, known: [])
      head = scan.head
      live = scan.live
      openUses = scan.openUses
      fault = scan.fault.flatMap { if case .noted = $0 { nil } else { $0 } }
      if fault == nil { try writeHead() }
      isStale = false
    }
    if let fault { throw .damaged(fault) }
  }

  private mutating func writeHead() throws(LedgerError) { try headFile.write(head) }

  /// Adds one record; it is durable, and known to the head file, when this returns (rule R4).
  mutating func append(
    _ kind: RecordKind, id: String, names: String, subject: String, _ record: some Encodable,
    also change: (borrowing Database) throws(StoreError) -> Void = { _ in }
  ) throws(LedgerError) {
    let row = LedgerChain.row(
      after: head, kind: kind, id: id, names: names, subject: subject,
      body: try LedgerJSON.encode(record))
    do {
      try database.transaction(failure: { $0 }) { () throws(StoreError) in
        try LedgerTable.insert(row, into: database)
        try change(database)
      }
    } catch {
      isStale = true
      throw .store(error)
    }
    head = LedgerHead(sequence: row.sequence, hash: row.hash)
    if kind == .opening { openUses.insert(id) }
    if kind == .closing { openUses.remove(names) }
    do {
      try writeHead()
    } catch {
      // The record is in the table and nobody will be told so; the next call looks again.
      isStale = true
      throw error
    }
  }

  /// Forgets everything but the files; the table has to be emptied next.
  mutating func reset() throws(LedgerError) {
    isStale = true
    head = .empty
    live = LiveConsents()
    meter = ListeningMeter()
    openUses = []
    // Twice, so that neither slot tells of what was there.
    try writeHead()
    try writeHead()
  }

  func opening(_ id: String) throws(LedgerError) -> UseOpening {
    try LedgerQueries.opening(database, id: id)
  }

  func closing(of use: String) throws(LedgerError) -> UseClosing? {
    try LedgerQueries.closing(database, of: use)
  }
}
