import EarshotConsent
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Uses") struct UseTests {
  let folder: TemporaryFolder
  let clock = TestClock()
  let ledger: Ledger
  let question = Sample.question()

  init() throws {
    folder = try TemporaryFolder()
    ledger = try folder.ledger(clock)
  }

  private func redeem(_ use: String, startTime: UInt64 = 77, now: Moment? = nil)
    throws(LedgerError)
  {
    let reader = try LedgerReader(folder: folder.path)
    let grant = try reader.redeem(
      use: use, process: getpid(), startTime: startTime, now: now ?? clock.now)
    #expect(grant.source == "default")
    #expect(grant.use == use)
  }

  @Test("L8: the opening names worker, deadline, requester and consent, and is read back as such")
  func opening() throws {
    let consent = try ledger.answer(.allow(.once), question)
    let opening = try ledger.open(consent.id, question, at: clock.now)
    #expect(opening.worker == Sample.worker)
    #expect(opening.consent == consent.id)
    #expect(opening.requester == Sample.requester)
    #expect(opening.deadlineNanoseconds > clock.now.monotonicNanoseconds)
    let entry = try #require(try ledger.uses().first)
    #expect(entry.opening == opening)
    #expect(entry.closing == nil)
    clock.advance(seconds: 1)
    let closed = try ledger.closeUse(opening.id, Sample.facts(milliseconds: 900))
    #expect(closed.closing?.use == opening.id)
    #expect(try ledger.uses() == [closed])
    #expect(throws: LedgerError.useClosed(id: opening.id)) {
      try ledger.closeUse(opening.id, Sample.facts(milliseconds: 900))
    }
  }

  @Test("B4: opening spends 'once', and a second opening is refused")
  func once() throws {
    let consent = try ledger.answer(.allow(.once), question)
    _ = try ledger.open(consent.id, question, at: clock.now)
    #expect(try ledger.status(of: question) == .undetermined)
    #expect(throws: LedgerError.notAllowed(.undetermined)) {
      try ledger.open(consent.id, question, at: clock.now)
    }
  }

  @Test("W8: a grant is handed out once, to the named process alone, before the deadline")
  func redeeming() throws {
    let consent = try ledger.answer(.allow(.once), question)
    let opening = try ledger.open(consent.id, question, at: clock.now)
    #expect(throws: LedgerError.notThisProcess) { try redeem(opening.id, startTime: 78) }
    var otherBoot = clock.now
    otherBoot.boot = "boot-b"
    #expect(throws: LedgerError.notThisProcess) { try redeem(opening.id, now: otherBoot) }
    var late = clock.now
    late.monotonicNanoseconds = opening.deadlineNanoseconds
    #expect(throws: LedgerError.deadlineOutOfRange) { try redeem(opening.id, now: late) }
    #expect(throws: LedgerError.unknown(id: "none")) { try redeem("none") }
    try redeem(opening.id)
    #expect(throws: LedgerError.alreadyRedeemed) { try redeem(opening.id) }
  }

  @Test("W8: another process's number is no way in, even if it is told")
  func otherProcess() throws {
    let consent = try ledger.answer(.allow(.once), question)
    let opening = try ledger.openUse(
      of: consent.id, for: question, by: ProcessIdentity(process: 1, startTime: 77),
      deadlineNanoseconds: clock.now.monotonicNanoseconds + 1_000_000_000)
    let reader = try LedgerReader(folder: folder.path)
    #expect(throws: LedgerError.notThisProcess) {
      let grant = try reader.redeem(use: opening.id, process: 1, startTime: 77, now: clock.now)
      _ = grant.use
    }
  }

  @Test("L7: a use whose consent was withdrawn, or which is closed, gives no grant")
  func ended() throws {
    let consent = try ledger.answer(.allow(.untilRevoked), question)
    let closed = try ledger.open(consent.id, question, at: clock.now)
    try ledger.closeUse(closed.id, Sample.facts(milliseconds: 0, reason: "cancelled"))
    #expect(throws: LedgerError.useClosed(id: closed.id)) { try redeem(closed.id) }
    let revoked = try ledger.open(consent.id, question, at: clock.now)
    try ledger.withdraw(consent.id, reason: .revoked, means: .terminal)
    #expect(throws: LedgerError.withdrawn) { try redeem(revoked.id) }
  }

  @Test("W8: a deadline in the past or far away is refused, at the bound and one past it")
  func deadline() throws {
    let consent = try ledger.answer(.allow(.untilRevoked), question)
    let now = clock.now.monotonicNanoseconds
    let last = now + 12_000_000_000 + Ledger.deadlineSlackNanoseconds
    for deadline in [now, last + 1] {
      #expect(throws: LedgerError.deadlineOutOfRange) {
        try ledger.openUse(
          of: consent.id, for: question, by: Sample.worker, deadlineNanoseconds: deadline)
      }
    }
    for deadline in [now + 1, last] {
      _ = try ledger.openUse(
        of: consent.id, for: question, by: Sample.worker, deadlineNanoseconds: deadline)
    }
  }

  @Test("L8: an opening without a closing is closed at the next start with 'daemon lost'")
  func daemonLost() throws {
    let folder = try TemporaryFolder()
    var ledger: Ledger? = try folder.ledger(clock)
    let consent = try #require(ledger).answer(.allow(.once), question)
    let opening = try #require(ledger).open(consent.id, question, at: clock.now)
    ledger = nil
    for _ in 0..<2 {
      let again = try folder.ledger(clock)
      let uses = try again.uses()
      #expect(uses.count == 1)
      #expect(uses.first?.opening.id == opening.id)
      #expect(uses.first?.closing?.reason == "daemon lost")
      #expect(uses.first?.closing?.milliseconds == nil)
      #expect(try again.verify().fault == nil)
      #expect(throws: LedgerError.useClosed(id: opening.id)) {
        try again.closeUse(opening.id, Sample.facts(milliseconds: 1))
      }
    }
  }

  @Test("L8: no field of a use record can hold a title or sound")
  func contents() throws {
    let consent = try ledger.answer(.allow(.once), question)
    let opening = try ledger.open(consent.id, question, at: clock.now)
    try ledger.closeUse(opening.id, Sample.facts(milliseconds: 900))
    let use = try #require(try ledger.uses().first)
    let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(use))
    let parts = try #require(json as? [String: Any])
    let keys = Set((parts["closing"] as? [String: Any] ?? [:]).keys)
    #expect(
      keys == ["record_id", "use", "milliseconds", "samples", "reason", "outcome", "event_time"])
  }
}

@Suite("A minute in ten") struct MeterTests {
  let folder: TemporaryFolder
  let clock = TestClock()
  let ledger: Ledger
  let question = Sample.question()
  let consent: ConsentRecord

  init() throws {
    folder = try TemporaryFolder()
    ledger = try folder.ledger(clock)
    consent = try ledger.answer(.allow(.untilRevoked), question)
  }

  private func listen(milliseconds: Int) throws {
    let opening = try ledger.open(consent.id, question, at: clock.now)
    clock.advance(milliseconds: milliseconds)
    try ledger.closeUse(opening.id, Sample.facts(milliseconds: milliseconds))
  }

  @Test("L9: 60 s in rolling 10 minutes are allowed and no more, with the seconds to wait")
  func budget() throws {
    for _ in 0..<5 { try listen(milliseconds: 12_000) }
    #expect(try ledger.secondsToWait(for: question) == 552)
    #expect(throws: LedgerError.tooOften(seconds: 552)) {
      try ledger.open(consent.id, question, at: clock.now)
    }
    clock.advance(milliseconds: 551_999)
    #expect(try ledger.secondsToWait(for: question) == 1)
    clock.advance(milliseconds: 1)
    #expect(try ledger.secondsToWait(for: question) == 0)
    try listen(milliseconds: 12_000)
  }

  @Test("L9: short listenings count for what they were")
  func short() throws {
    for _ in 0..<48 { try listen(milliseconds: 1000) }
    #expect(try ledger.secondsToWait(for: question) == 0)
    try listen(milliseconds: 1)
    #expect(try ledger.secondsToWait(for: question) > 0)
  }

  @Test("L9: a use that is to end sooner takes only so much, never more than its consent")
  func sooner() throws {
    for _ in 0..<4 { try listen(milliseconds: 12_000) }
    try listen(milliseconds: 5000)
    #expect(try ledger.secondsToWait(for: question) > 0)
    #expect(try ledger.secondsToWait(for: question, milliseconds: 6000) == 0)
    let worker = ProcessIdentity(process: 1, startTime: 77)
    func open(_ milliseconds: Int, deadline: UInt64) throws(LedgerError) -> UseOpening {
      try ledger.openUse(
        of: consent.id, for: question, milliseconds: milliseconds, by: worker,
        deadlineNanoseconds: clock.now.monotonicNanoseconds + deadline)
    }
    // Its deadline is as much earlier.
    let slack = Ledger.deadlineSlackNanoseconds
    #expect(throws: LedgerError.deadlineOutOfRange) {
      try open(6000, deadline: 7_000_000_000 + slack)
    }
    let opening = try open(6000, deadline: 6_000_000_000 + slack)
    #expect(opening.limitMilliseconds == 6000)
    // It counts for its own limit until it is closed.
    #expect(try ledger.secondsToWait(for: question, milliseconds: 1000) == 0)
    #expect(try ledger.secondsToWait(for: question, milliseconds: 1001) > 0)
    clock.advance(milliseconds: 600_000)
    #expect(try open(90_000, deadline: 1_000_000_000).limitMilliseconds == 12_000)
  }

  @Test("L9: a use that is still open, and one that a lost daemon left, count for their limit")
  func unknown() throws {
    for _ in 0..<5 { _ = try ledger.open(consent.id, question, at: clock.now) }
    #expect(try ledger.secondsToWait(for: question) > 0)
  }

  @Test("L9: the count outlives the daemon and the machine's restart")
  func reopening() throws {
    let folder = try TemporaryFolder()
    func open() throws(LedgerError) -> Ledger { try folder.ledger(clock) }
    let consent = try open().answer(.allow(.untilRevoked), question)
    for _ in 0..<5 {
      let ledger = try open()
      let opening = try ledger.open(consent.id, question, at: clock.now)
      clock.advance(seconds: 12)
      try ledger.closeUse(opening.id, Sample.facts(milliseconds: 12_000))
    }
    #expect(try open().secondsToWait(for: question) == 552)
    clock.restartMachine(boot: "boot-b", seconds: 20)
    #expect(try open().secondsToWait(for: question) == 552)
  }

  @Test("L9: 'once' is neither counted nor held up")
  func once() throws {
    for _ in 0..<5 { try listen(milliseconds: 12_000) }
    let once = try ledger.answer(.allow(.once), question)
    _ = try ledger.open(once.id, question, at: clock.now)
    #expect(try ledger.secondsToWait(for: question) == 552)
  }
}

@Suite("Consent to save") struct SavingTests {
  @Test("S1, S2: 'Save' is spent on one item, and 'Never Save' is a denial")
  func spending() throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    let ledger = try folder.ledger(clock)
    let question = Sample.library()
    #expect(throws: LedgerError.notAllowed(.undetermined)) { try ledger.spendSaving(question) }
    let once = try ledger.answer(.allow(.once), question)
    #expect(try ledger.spendSaving(question) == once.id)
    #expect(throws: LedgerError.notAllowed(.undetermined)) { try ledger.spendSaving(question) }
    let always = try ledger.answer(.allow(.untilRevoked), question)
    for _ in 0..<2 { #expect(try ledger.spendSaving(question) == always.id) }
    let never = try ledger.answer(.deny, question)
    #expect(throws: LedgerError.notAllowed(.denied(consent: never.id))) {
      try ledger.spendSaving(question)
    }
    #expect(try ledger.verify().fault == nil)
  }

  @Test("a consent to listen saves nothing, and one to save opens nothing")
  func apart() throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    let ledger = try folder.ledger(clock)
    try ledger.answer(.allow(.untilRevoked), Sample.question())
    #expect(throws: LedgerError.notAllowed(.undetermined)) {
      try ledger.spendSaving(Sample.library())
    }
    let save = try ledger.answer(.allow(.untilRevoked), Sample.library())
    #expect(throws: LedgerError.self) {
      try ledger.openUse(
        of: save.id, for: Sample.library(), by: Sample.worker,
        deadlineNanoseconds: clock.now.monotonicNanoseconds + 1)
    }
  }
}
