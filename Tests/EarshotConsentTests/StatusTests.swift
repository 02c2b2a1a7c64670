import EarshotConsent
import Foundation
import TestSupport
import Testing

@Suite("Status") struct StatusTests {
  let folder: TemporaryFolder
  let clock = TestClock()
  let ledger: Ledger
  let question = Sample.question()

  init() throws {
    folder = try TemporaryFolder()
    ledger = try folder.ledger(clock)
  }

  @Test("C4: asking for the status leaves no byte changed")
  func noTrace() throws {
    let before = try folder.allBytes()
    #expect(try ledger.status(of: question) == .undetermined)
    #expect(try ledger.promptPermission(for: question) == .allowed)
    #expect(try ledger.secondsToWait(for: question) == 0)
    #expect(try folder.allBytes() == before)
  }

  typealias Change = @Sendable (inout ConsentQuestion) -> Void

  static let changes: [(String, Change)] = [
    ("person", { $0.requester.person = .user(1001) }),
    ("identification", { $0.requester.identification = .unit }),
    ("name", { $0.requester.name = "other" }),
    ("executable", { $0.requester.executable = "/usr/bin/other" }),
    ("digest", { $0.requester.executableSHA256 = String(repeating: "b", count: 64) }),
    ("unreadable digest", { $0.requester.executableSHA256 = nil }),
    ("unit", { $0.requester.unit = "other.service" }),
    ("flatpak", { $0.requester.flatpak = "org.example.Other" }),
    (
      "capability",
      {
        $0.capability = .library; $0.limitMilliseconds = 0
      }
    ),
    ("purpose code", { $0.purpose.code = "guide" }),
    ("purpose version", { $0.purpose.version += 1 }),
    ("purpose text", { $0.purpose.sentences[.english]?.append(" ") }),
    ("purpose use", { $0.purpose.use = .guide }),
    ("source", { $0.source = "other" }),
    ("goal", { $0.goal = .place }),
    ("limit", { $0.limitMilliseconds -= 1 }),
    ("data kinds", { $0.dataKinds.append("place") }),
    ("retention", { $0.retention = "for a day" }),
  ]

  @Test("C13: a consent covers no question that differs in any field", arguments: changes)
  func differs(field: String, change: Change) throws {
    let record = try ledger.answer(.allow(.untilRevoked), question)
    #expect(try ledger.status(of: question) == .allowed(consent: record.id, scope: .untilRevoked))
    var other = question
    change(&other)
    #expect(try ledger.status(of: other) == .undetermined, "\(field)")
    #expect(throws: LedgerError.notAllowed(.undetermined)) {
      try ledger.open(record.id, other, at: clock.now)
    }
  }

  @Test("C13: a shipped translation of the same version is the same text")
  func translation() throws {
    let record = try ledger.answer(.allow(.untilRevoked), question)
    var other = question
    other.language = .korean
    #expect(try ledger.status(of: other) == .allowed(consent: record.id, scope: .untilRevoked))
  }

  @Test("C13: an update of the executable keeps the consent only by the administrator's policy")
  func update() throws {
    try ledger.answer(.allow(.untilRevoked), question)
    var updated = question
    updated.requester.executableSHA256 = String(repeating: "b", count: 64)
    #expect(try ledger.status(of: updated) == .undetermined)
    let other = try TemporaryFolder()
    let lenient = try other.ledger(clock, policy: Ledger.Policy(keepsAcrossUpdates: true))
    let record = try lenient.answer(.allow(.untilRevoked), question)
    #expect(try lenient.status(of: updated) == .allowed(consent: record.id, scope: .untilRevoked))
  }

  @Test("C8: a denial is final, and no other limit or source asks again")
  func denial() throws {
    let record = try ledger.answer(.deny, question)
    #expect(try ledger.status(of: question) == .denied(consent: record.id))
    var nagging = question
    nagging.limitMilliseconds = 9000
    nagging.source = "other"
    #expect(try ledger.status(of: nagging) == .denied(consent: record.id))
    #expect(
      try ledger.promptPermission(for: nagging, isPressed: true)
        == .settled(.denied(consent: record.id)))
    clock.advance(seconds: 1_000_000)
    #expect(try ledger.status(of: question) == .denied(consent: record.id))
  }

  @Test("C8, R5: the person can turn a denial into a question or an allowance, and back")
  func change() throws {
    let denial = try ledger.answer(.deny, question)
    try ledger.withdraw(denial.id, reason: .askAgain, means: .settings)
    #expect(try ledger.status(of: question) == .undetermined)
    let again = try ledger.answer(.deny, question)
    let allowance = try ledger.answer(.allow(.untilRevoked), question)
    #expect(
      try ledger.status(of: question) == .allowed(consent: allowance.id, scope: .untilRevoked))
    #expect(try ledger.currentChoices().map(\.id) == [allowance.id])
    let last = try ledger.answer(.deny, question)
    #expect(try ledger.status(of: question) == .denied(consent: last.id))
    #expect(try ledger.consents().map(\.record.id) == [last.id, allowance.id, again.id, denial.id])
  }

  @Test("R2: a withdrawal is a new record, and no older yes comes alive by it")
  func withdrawal() throws {
    try ledger.answer(.allow(.untilRevoked), question)
    let record = try ledger.answer(.allow(.untilRevoked), question)
    let before = try ledger.consent(record.id).record
    let withdrawal = try ledger.withdraw(record.id, reason: .revoked, means: .terminal)
    #expect(try ledger.status(of: question) == .undetermined)
    let entry = try ledger.consent(record.id)
    #expect(entry.record == before)
    #expect(entry.withdrawal == withdrawal)
    #expect(throws: LedgerError.unknown(id: "none")) {
      try ledger.withdraw("none", reason: .revoked, means: .terminal)
    }
  }

  @Test("a scope ends with its session or at its time, and a clock set back prolongs nothing")
  func scopes() throws {
    let inSession = Sample.question(session: "one")
    let open = try ledger.answer(.allow(.whileOpen(session: "one")), inSession)
    #expect(
      try ledger.status(of: inSession)
        == .allowed(consent: open.id, scope: .whileOpen(session: "one")))
    #expect(try ledger.status(of: Sample.question(session: "two")) == .undetermined)
    #expect(try ledger.status(of: question) == .undetermined)

    let end = clock.now.utcMilliseconds + 60_000
    let timed = try ledger.answer(.allow(.until(utcMilliseconds: end)), question)
    clock.advance(milliseconds: 59_999)
    #expect(
      try ledger.status(of: question)
        == .allowed(consent: timed.id, scope: .until(utcMilliseconds: end)))
    clock.advance(milliseconds: 1)
    #expect(try ledger.status(of: question) == .undetermined)
    try ledger.answer(.deny, Sample.library())
    clock.setBack(seconds: 3600)
    #expect(try ledger.status(of: question) == .undetermined)
  }

  @Test("B4: 'once' can't be put by: it has to be spent within a minute of this machine's run")
  func once() throws {
    let record = try ledger.answer(.allow(.once), question)
    clock.advance(milliseconds: Ledger.onceSecondsMax * 1000 - 1)
    #expect(try ledger.status(of: question) == .allowed(consent: record.id, scope: .once))
    clock.advance(milliseconds: 1)
    #expect(try ledger.status(of: question) == .undetermined)
    try ledger.answer(.allow(.once), question)
    clock.restartMachine(boot: "boot-b", seconds: 10)
    #expect(try ledger.status(of: question) == .undetermined)
  }

  @Test("what holds is the same after the ledger is opened again")
  func reopening() throws {
    let folder = try TemporaryFolder()
    var ledger: Ledger? = try folder.ledger(clock)
    let kept = try #require(ledger).answer(.allow(.untilRevoked), question)
    var other = question
    other.requester.executable = "/usr/bin/other"
    let denied = try #require(ledger).answer(.deny, other)
    let ended = try #require(ledger).answer(.allow(.untilRevoked), Sample.library())
    try #require(ledger).withdraw(ended.id, reason: .revoked, means: .terminal)
    ledger = nil
    let again = try folder.ledger(clock)
    #expect(try again.status(of: question) == .allowed(consent: kept.id, scope: .untilRevoked))
    #expect(try again.status(of: other) == .denied(consent: denied.id))
    #expect(try again.status(of: Sample.library()) == .undetermined)
    #expect(try again.verify().fault == nil)
  }

  @Test("W6: a record of more than 64 KiB is refused, and the ledger goes on")
  func recordSize() throws {
    var large = question
    large.requester.name = String(repeating: "n", count: 65 * 1024)
    #expect(throws: LedgerError.tooLarge) { try ledger.answer(.deny, large) }
    large.requester.name = String(repeating: "n", count: 60 * 1024)
    try ledger.answer(.deny, large)
    #expect(try ledger.verify().goodRecords == 1)
  }

  @Test("L9: a limit of 30 s is taken and one of 30.001 s refused")
  func limit() throws {
    try ledger.answer(.allow(.once), Sample.question(limitMilliseconds: 30_000))
    for limit in [30_001, 0, -1] {
      #expect(throws: LedgerError.limitOutOfRange(milliseconds: limit)) {
        try ledger.answer(.allow(.once), Sample.question(limitMilliseconds: limit))
      }
    }
  }
}

@Suite("Dismissals") struct DismissalTests {
  let folder: TemporaryFolder
  let clock = TestClock()
  let question = Sample.question()

  init() throws { folder = try TemporaryFolder() }

  @Test("C7: two dismissals in a row rest prompts for 10 minutes, but not a press")
  func rest() throws {
    let ledger = try folder.ledger(clock)
    try ledger.noteDismissal(of: question)
    #expect(try ledger.promptPermission(for: question) == .allowed)
    try ledger.noteDismissal(of: question)
    #expect(try ledger.promptPermission(for: question) == .resting(seconds: 600))
    #expect(try ledger.promptPermission(for: question, isPressed: true) == .allowed)
    #expect(try ledger.status(of: question) == .undetermined)
    #expect(try ledger.consents().isEmpty)
    clock.advance(seconds: 599)
    #expect(try ledger.promptPermission(for: question) == .resting(seconds: 1))
    clock.advance(seconds: 1)
    #expect(try ledger.promptPermission(for: question) == .allowed)
  }

  @Test("C7: an answer between two dismissals ends the counting")
  func row() throws {
    let ledger = try folder.ledger(clock)
    try ledger.noteDismissal(of: question)
    try ledger.answer(.allow(.once), question)
    clock.advance(seconds: 100)
    try ledger.noteDismissal(of: question)
    #expect(try ledger.promptPermission(for: question) == .allowed)
  }

  @Test("C7: the rest outlives the daemon, and another requester isn't touched")
  func reopening() throws {
    try folder.ledger(clock).noteDismissal(of: question)
    try folder.ledger(clock).noteDismissal(of: question)
    let ledger = try folder.ledger(clock)
    #expect(try ledger.promptPermission(for: question) == .resting(seconds: 600))
    var other = question
    other.requester.executable = "/usr/bin/other"
    #expect(try ledger.promptPermission(for: other) == .allowed)
    clock.setBack(seconds: 100_000)
    #expect(try ledger.promptPermission(for: question) == .resting(seconds: 600))
  }
}
