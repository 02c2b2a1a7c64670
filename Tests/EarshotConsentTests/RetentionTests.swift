import EarshotConsent
import EarshotStore
import Foundation
import TestSupport
import Testing

@Suite("Retention") struct RetentionTests {
  let folder: TemporaryFolder
  let clock = TestClock()
  let question = Sample.question()
  static let day = 86_400

  init() throws { folder = try TemporaryFolder() }

  private func listen(_ ledger: Ledger, _ consent: String) throws {
    let opening = try ledger.open(consent, question, at: clock.now)
    clock.advance(seconds: 1)
    try ledger.closeUse(opening.id, Sample.facts(milliseconds: 900))
  }

  @Test("R7: uses of 90 days go behind a checkpoint that verify accepts; what holds stays")
  func uses() throws {
    var ledger: Ledger? = try folder.ledger(clock)
    let lasting = try #require(ledger).answer(.allow(.untilRevoked), question)
    let receipt = try #require(ledger).receipt(for: lasting.id)
    for _ in 0..<3 { try listen(#require(ledger), lasting.id) }
    clock.advance(seconds: 89 * Self.day)
    #expect(try #require(ledger).seal() == 0)
    try listen(#require(ledger), lasting.id)
    clock.advance(seconds: Self.day)
    #expect(try #require(ledger).seal() == 6)
    for _ in 0..<2 {
      do {
        let open = try #require(ledger)
        #expect(try open.verify().fault == nil)
        #expect(try open.verify(against: receipt).fault == nil)
        #expect(try open.uses().count == 1)
        #expect(
          try open.status(of: question) == .allowed(consent: lasting.id, scope: .untilRevoked))
      }
      ledger = nil
      ledger = try folder.ledger(clock)
    }
    // Sealing once more stands for the first checkpoint as well.
    clock.advance(seconds: 100 * Self.day)
    #expect(try #require(ledger).seal() == 3)
    #expect(try #require(ledger).verify().fault == nil)
    #expect(try #require(ledger).uses().isEmpty)
    // The consent that stayed can still be used and redeemed.
    let opening = try #require(ledger).open(lasting.id, question, at: clock.now)
    let grant = try LedgerReader(folder: folder.path).redeem(
      use: opening.id, process: Sample.worker.process, startTime: 77, now: clock.now)
    #expect(grant.use == opening.id)
  }

  @Test("R7: a consent goes a year after it ended, and no byte of its requester stays")
  func consents() throws {
    let ledger = try folder.ledger(clock)
    var other = question
    other.requester.executable = "/opt/telling-requester"
    other.requester.name = other.requester.executable
    let ended = try ledger.answer(.allow(.untilRevoked), other)
    let denied = try ledger.answer(.deny, question)
    clock.advance(seconds: 500 * Self.day)
    #expect(try ledger.seal() == 0)
    try ledger.withdraw(ended.id, reason: .revoked, means: .terminal)
    clock.advance(seconds: 365 * Self.day)
    #expect(try ledger.seal() == 0)
    clock.advance(seconds: 1)
    #expect(try ledger.seal() == 2)
    #expect(try ledger.verify().fault == nil)
    #expect(try ledger.status(of: question) == .denied(consent: denied.id))
    #expect(throws: LedgerError.unknown(id: ended.id)) { try ledger.consent(ended.id) }
    #expect(try folder.allBytes().range(of: Data("telling-requester".utf8)) == nil)
  }

  @Test(
    "R7: verify still finds what is changed, taken from or cut behind a checkpoint",
    arguments: [
      ("UPDATE records SET subject = 'x' WHERE sequence = 1", LedgerFault.changed(sequence: 1)),
      ("DELETE FROM records WHERE sequence = 1", .broken(sequence: 5)),
      ("DELETE FROM records WHERE sequence = 6", .broken(sequence: 7)),
      ("DELETE FROM records WHERE sequence > 6", .broken(sequence: 1)),
    ])
  func faults(change: String, fault: LedgerFault) throws {
    do {
      let ledger = try folder.ledger(clock)
      let lasting = try ledger.answer(.allow(.untilRevoked), question)
      for _ in 0..<2 { try listen(ledger, lasting.id) }
      clock.advance(seconds: 91 * Self.day)
      try ledger.answer(.allow(.untilRevoked), question)
      #expect(try ledger.seal() == 4)
      try ledger.answer(.allow(.untilRevoked), question)
    }
    let database = try Database(at: folder.file("ledger.sqlite"), access: .readWrite)
    try database.execute(change)
    let found = try LedgerReader(folder: folder.path).verify().fault
    #expect(found != nil)
    if change.contains("= 1") { #expect(found == fault || found == .broken(sequence: 6)) }
  }

  @Test("R8: after erasing no requester and no hash is in any file, and a new chain begins")
  func erase() throws {
    let ledger = try folder.ledger(clock)
    var other = question
    other.requester.executable = "/opt/telling-requester"
    let record = try ledger.answer(.allow(.untilRevoked), other)
    try ledger.noteDismissal(of: other)
    let hash = try ledger.receipt(for: record.id).hash
    try ledger.eraseAll()
    let bytes = try folder.allBytes()
    for text in ["telling-requester", hash, "uid:1000"] {
      #expect(bytes.range(of: Data(text.utf8)) == nil)
    }
    #expect(try ledger.status(of: other) == .undetermined)
    #expect(
      try ledger.verify()
        == LedgerVerification(
          goodRecords: 0, lastHash: String(repeating: "0", count: 64), fault: nil))
    try ledger.answer(.deny, question)
    #expect(
      try ledger.receipt(for: try #require(try ledger.consents().first).record.id).sequence == 1)
  }
}
