internal import EarshotClient
internal import EarshotConsent
internal import Foundation

extension ConsentRoutes {
  /// One consent as agents show it.
  func message(_ entry: ConsentEntry, isLive: Bool) -> ConsentMessage {
    let record = entry.record
    return ConsentMessage(
      id: record.id, capability: record.capability.rawValue,
      requester: Router.message(record.requester, user: request.peer.user),
      purpose: record.purpose.code, text: record.notice.text,
      language: record.notice.language.rawValue, source: record.source,
      scope: record.goal.rawValue, limit: Double(record.limitMilliseconds) / 1000,
      decision: Self.decision(record), standing: Self.standing(entry, isLive: isLive),
      agent: record.event.agent, isByCommand: record.event.means == .command,
      decided: Self.text(record.event.time.utcMilliseconds),
      until: Self.end(of: record).map { Self.text($0) })
  }

  private static func decision(_ record: ConsentRecord) -> String {
    switch record.scope {
    case .none: "deny"
    case .once: "allow-once"
    case .whileOpen: "allow-open"
    case .whileCaptions: "allow-captions"
    case .until: "allow-until"
    case .untilRevoked: "allow"
    }
  }

  private static func end(of record: ConsentRecord) -> Int64? {
    if case .until(let instant) = record.scope { instant } else { nil }
  }

  private static func standing(_ entry: ConsentEntry, isLive: Bool) -> String {
    if entry.withdrawal != nil { return "withdrawn" }
    guard isLive else { return entry.record.scope == .once ? "spent" : "replaced" }
    guard entry.record.isAllowance else { return "denied" }
    let now = LedgerClock.system().now()
    if let end = end(of: entry.record), end <= now.utcMilliseconds { return "expired" }
    let given = entry.record.event.time
    let age = now.monotonicNanoseconds &- given.monotonicNanoseconds
    let isStale =
      given.boot != now.boot || age >= UInt64(Ledger.onceSecondsMax) * 1_000_000_000
    return entry.record.scope == .once && isStale ? "expired" : "allowed"
  }

  /// One use as agents show it.
  func message(_ use: UseRecord) -> UseMessage {
    UseMessage(
      id: use.opening.id, consent: use.opening.consent, requester: use.opening.requester.name,
      process: use.opening.worker.process, opened: Self.text(use.opening.time.utcMilliseconds),
      closed: (use.closing?.time.utcMilliseconds).map { Self.text($0) },
      milliseconds: (use.closing?.milliseconds).map { Double($0) }, samples: use.closing?.samples,
      reason: use.closing?.reason, outcome: use.closing?.outcome)
  }

  /// An instant as UTC in ISO 8601, to the millisecond.
  static func text(_ utcMilliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(utcMilliseconds) / 1000)
      .formatted(
        .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(
          separator: .omitted))
  }

  /// One record out of a piece of the export, byte for byte as it was hashed; nil for its frame.
  static func record(inExport piece: [UInt8]) -> LedgerRecordMessage? {
    let text = String(decoding: piece, as: UTF8.self)
    // A quotation mark inside a value is escaped, so this can only be the key itself.
    guard let start = text.firstIndex(of: "{"),
      let key = text.range(of: ",\"record\":"), text.last == "}",
      let head = try? JSONDecoder().decode(
        Head.self, from: Data((text[start..<key.lowerBound] + "}").utf8))
    else { return nil }
    return LedgerRecordMessage(
      sequence: head.sequence, kind: head.kind, hash: head.hash,
      record: String(text[key.upperBound...].dropLast()))
  }

  private struct Head: Decodable {
    var sequence: Int64
    var kind: String
    var hash: String
  }
}

extension LedgerVerificationMessage {
  /// What a check found, in words.
  init(_ found: LedgerVerification) {
    self.init(
      isIntact: found.fault == nil, records: found.goodRecords, head: found.lastHash,
      firstBad: found.fault.flatMap { Self.place($0) }, problem: found.fault.map { Self.text($0) })
  }

  private static func place(_ fault: LedgerFault) -> Int64? {
    switch fault {
    case .changed(let sequence), .broken(let sequence), .replaced(let sequence),
      .unreadable(let sequence):
      sequence
    case .cut(_, let found): found + 1
    case .noted(let record, _, _): record
    case .headMissing, .headDamaged: nil
    }
  }

  private static func text(_ fault: LedgerFault) -> Explanation {
    let (reason, happened): (String, String) =
      switch fault {
      case .changed(let sequence): ("changed", "Record \(sequence) is not as it was written.")
      case .broken(let sequence):
        ("broken", "Record \(sequence) does not follow the one before it.")
      case .cut(let expected, let found):
        ("cut", "Records \(found + 1) to \(expected) are missing at the end.")
      case .replaced(let sequence): ("replaced", "Record \(sequence) is another one than before.")
      case .headMissing: ("head-missing", "The head file is missing.")
      case .headDamaged: ("head-damaged", "The head file can't be read.")
      case .noted(let record, let expected, let found):
        (
          "noted",
          "Record \(record) notes that records \(found + 1) to \(expected) were missing at a start."
        )
      case .unreadable(let sequence): ("unreadable", "Record \(sequence) can't be read.")
      }
    return Explanation(
      reason: reason, happened: happened, means: "The ledger is not whole as it was written.",
      next: "Keep a copy, export what is there, and find out who changed the state folder.")
  }
}

extension ProblemDetails {
  /// A ledger's refusal as an answer.
  static func ledger(_ error: LedgerError) -> ProblemDetails {
    if case .unknown = error { return .notFound("No record has that id.") }
    let explanation = Explanation.ledger(error)
    return ProblemDetails(
      type: "urn:earshot:problem:ledger", title: "The record could not be written or read.",
      status: error.isDiskFull ? 507 : 500,
      detail: [explanation.happened, explanation.means, explanation.next].joined(separator: " "),
      reason: explanation.reason)
  }
}
