import EarshotConsent
import EarshotStore
import Foundation
import TestSupport
import Testing

@Suite("Verify") struct VerifyTests {
  let folder: TemporaryFolder
  let clock = TestClock()
  let question = Sample.question()

  init() throws {
    folder = try TemporaryFolder()
    let ledger = try folder.ledger(clock)
    for _ in 0..<5 { try ledger.answer(.allow(.untilRevoked), question) }
    let consent = try ledger.answer(.allow(.untilRevoked), question)
    let opening = try ledger.open(consent.id, question, at: clock.now)
    try ledger.closeUse(opening.id, Sample.facts(milliseconds: 10))
  }

  private func change(_ sql: String...) throws {
    let database = try Database(at: folder.file("ledger.sqlite"), access: .readWrite)
    for statement in sql { try database.execute(statement) }
  }

  private func verify() throws -> LedgerVerification {
    try LedgerReader(folder: folder.path).verify()
  }

  @Test("R3: eight records verify, from another process as well")
  func good() throws {
    #expect(try verify().fault == nil)
    #expect(try verify().goodRecords == 8)
    let ledger = try folder.ledger(clock)
    #expect(try ledger.verify() == verify())
  }

  @Test(
    "R3: any changed column of any record is named",
    arguments: [
      "kind = 'withdrawal'", "id = 'other'", "names = 'other'", "subject = 'other'",
      "body = CAST(replace(CAST(body AS TEXT), 'id-', 'ix-') AS BLOB)", "body = NULL",
    ], [1, 4, 8])
  func changed(column: String, sequence: Int64) throws {
    try change("UPDATE records SET \(column) WHERE sequence = \(sequence)")
    let fault = try verify().fault
    let isNamed =
      fault == .changed(sequence: sequence) || fault == .unreadable(sequence: sequence)
    #expect(isNamed, "\(String(describing: fault))")
    #expect(try verify().goodRecords == sequence - 1)
  }

  @Test("R3: a changed hash or link is named", arguments: ["hash", "previous"])
  func links(column: String) throws {
    try change("UPDATE records SET \(column) = zeroblob(32) WHERE sequence = 4")
    let expected: LedgerFault =
      column == "hash" ? .changed(sequence: 4) : .broken(sequence: 4)
    #expect(try verify().fault == expected)
  }

  @Test("R3: a missing, a swapped and an added record are named")
  func missing() throws {
    try change("DELETE FROM records WHERE sequence = 4")
    #expect(try verify().fault == .broken(sequence: 5))
    try change("UPDATE records SET sequence = 4 WHERE sequence = 5")
    #expect(try verify().fault == .broken(sequence: 4))
  }

  @Test("R3: two records that changed places are named")
  func swapped() throws {
    try change(
      "UPDATE records SET sequence = 100 WHERE sequence = 3",
      "UPDATE records SET sequence = 3 WHERE sequence = 4",
      "UPDATE records SET sequence = 4 WHERE sequence = 100")
    #expect(try verify().fault == .broken(sequence: 3))
  }

  @Test("R3: a cut tail is told from a changed record, and a restart can't hide it")
  func cut() throws {
    try change("DELETE FROM records WHERE sequence > 6")
    #expect(try verify().fault == .cut(expected: 8, found: 6))
    let ledger = try folder.ledger(clock)
    #expect(try ledger.verify().fault == .noted(record: 7, expected: 8, found: 6))
    // A withdrawal may be among what is missing, so nothing that was allowed before holds.
    #expect(try ledger.status(of: question) == .undetermined)
    let record = try ledger.answer(.allow(.untilRevoked), question)
    #expect(try ledger.status(of: question) == .allowed(consent: record.id, scope: .untilRevoked))
    #expect(try ledger.verify().fault == .noted(record: 7, expected: 8, found: 6))
  }

  @Test("R3: after a cut a denial still holds")
  func cutDenial() throws {
    var ledger: Ledger? = try folder.ledger(clock)
    var other = question
    other.requester.executable = "/usr/bin/other"
    let denial = try #require(ledger).answer(.deny, other)
    try #require(ledger).answer(.allow(.untilRevoked), question)
    ledger = nil
    try change("DELETE FROM records WHERE sequence > 9")
    #expect(try folder.ledger(clock).status(of: other) == .denied(consent: denial.id))
  }

  @Test("R3: a receipt tells a cut tail even when the head file was put back too")
  func receipt() throws {
    let head = URL(fileURLWithPath: folder.file("ledger.head"))
    let database = URL(fileURLWithPath: folder.file("ledger.sqlite"))
    let (oldHead, oldDatabase) = (try Data(contentsOf: head), try Data(contentsOf: database))
    var ledger: Ledger? = try folder.ledger(clock)
    let record = try #require(ledger).answer(.deny, question)
    let receipt = try #require(ledger).receipt(for: record.id)
    #expect(receipt.sequence == 9)
    #expect(try #require(ledger).verify(against: receipt).fault == nil)
    ledger = nil
    try oldHead.write(to: head)
    try oldDatabase.write(to: database)
    #expect(try verify().fault == nil)
    let reader = try LedgerReader(folder: folder.path)
    #expect(try reader.verify(against: receipt).fault == .cut(expected: 9, found: 8))
    var forged = receipt
    forged.sequence = 3
    #expect(try reader.verify(against: forged).fault == .replaced(sequence: 3))
  }

  @Test("R3: a chain that was computed anew differs from the head file")
  func replaced() throws {
    let other = try TemporaryFolder()
    let ledger = try other.ledger(TestClock(utcMilliseconds: 1))
    for _ in 0..<9 { try ledger.answer(.deny, question) }
    let database = URL(fileURLWithPath: folder.file("ledger.sqlite"))
    try Data(contentsOf: URL(fileURLWithPath: other.file("ledger.sqlite"))).write(to: database)
    #expect(try verify().fault == .replaced(sequence: 8))
  }

  @Test("R3: a head file that is gone or spoilt is told")
  func head() throws {
    let head = folder.file("ledger.head")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: head))
    #expect(bytes.count == 8192)
    // One torn slot is what a power cut can leave; the other one still tells.
    let newest = bytes[20] > bytes[4096 + 20] ? 0 : 4096
    bytes.replaceSubrange(newest..<newest + 4096, with: Data(count: 4096))
    try bytes.write(to: URL(fileURLWithPath: head))
    #expect(try verify().fault == nil)
    try Data(count: 8192).write(to: URL(fileURLWithPath: head))
    #expect(try verify().fault == .headDamaged)
    try FileManager.default.removeItem(atPath: head)
    #expect(try verify().fault == .headMissing)
    let ledger = try folder.ledger(clock)
    #expect(try ledger.verify().fault == .noted(record: 9, expected: 8, found: 8))
    #expect(try ledger.status(of: question) == .undetermined)
  }

  @Test("R3: a changed ledger can be read and exported, and nothing rests on it")
  func refused() throws {
    try change("UPDATE records SET subject = 'other' WHERE sequence = 4")
    let ledger = try folder.ledger(clock)
    let fault = LedgerError.damaged(.changed(sequence: 4))
    #expect(throws: fault) { try ledger.status(of: question) }
    #expect(throws: fault) { try ledger.answer(.allow(.once), question) }
    #expect(throws: fault) { try ledger.secondsToWait(for: question) }
    #expect(try ledger.consents().count == 6)
    #expect(try ledger.verify().fault == .changed(sequence: 4))
    #expect(try ledger.verify().goodRecords == 3)
  }

  @Test("W8: a reader gives no grant for a changed opening or consent", arguments: [1, 2])
  func reader(sequence: Int) throws {
    let folder = try TemporaryFolder()
    let ledger = try folder.ledger(clock)
    let consent = try ledger.answer(.allow(.once), question)
    let opening = try ledger.open(consent.id, question, at: clock.now)
    let database = try Database(at: folder.file("ledger.sqlite"), access: .readWrite)
    try database.execute(
      """
      UPDATE records SET body = CAST(replace(CAST(body AS TEXT), '12000', '29000') AS BLOB)
        WHERE sequence = \(sequence)
      """)
    let reader = try LedgerReader(folder: folder.path)
    #expect(throws: LedgerError.damaged(.changed(sequence: Int64(sequence)))) {
      let grant = try reader.redeem(
        use: opening.id, process: Sample.worker.process, startTime: 77, now: clock.now)
      _ = grant.use
    }
  }

  @Test("R5: the export is JSON that holds every record byte for byte")
  func export() throws {
    var json = [UInt8]()
    try folder.ledger(clock).export { json += $0 }
    let object = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
    let records = try #require(object?["records"] as? [[String: Any]])
    #expect(records.count == 8)
    #expect(records.compactMap { $0["kind"] as? String }.last == "use-closing")
    let notice = (records[0]["record"] as? [String: Any])?["privacy_notice"] as? [String: Any]
    #expect(notice?["text"] as? String == Sample.purpose.sentences[.english])
  }

  @Test("R1: a record holds every field, under the names of ISO/IEC TS 27560 where it has one")
  func fields() throws {
    let entry = try #require(try folder.ledger(clock).consents().first)
    let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(entry.record))
    let keys = Set((json as? [String: Any] ?? [:]).keys)
    #expect(
      keys == [
        "schema_version", "record_id", "pii_principal_id", "pii_controller",
        "party_identification", "capability", "purposes", "privacy_notice", "source", "scope",
        "goal", "limit_milliseconds", "pii_type", "retention_period", "recipients_third_parties",
        "withdrawal_method", "event",
      ])
  }
}
