import EarshotConsent
import TestSupport
import Testing

@Suite("Consent while captions are on") struct CaptionsConsentTests {
  private func question(_ session: String?, language: PromptLanguage = .english) -> ConsentQuestion
  {
    var question = ConsentQuestion.microphone(
      requester: Sample.requester,
      purpose: PurposeList.shipped.purpose("captions") ?? Sample.purpose, language: language,
      source: "default", goal: .place, limitMilliseconds: 12_000, session: session)
    question.isForCaptions = session != nil
    return question
  }

  @Test(
    "B7: listening by itself has a button of its own, in four languages",
    arguments: [
      (PromptLanguage.english, "Allow While Captions Are On"),
      (.russian, "Разрешить на время субтитров"), (.simplifiedChinese, "字幕开启期间允许"),
      (.korean, "자막이 켜진 동안 허용"),
    ])
  func button(language: PromptLanguage, label: String) {
    let prompt = Prompt(for: question("one", language: language))
    #expect(prompt.buttons.map(\.choice) == [.allowOnce, .allowWhileCaptions, .deny])
    #expect(prompt.buttons[1].label == label)
    let alone = Prompt(
      for: question("one", language: language), offering: [.allowWhileCaptions, .deny])
    #expect(alone.buttons.map(\.choice) == [.allowWhileCaptions, .deny])
  }

  @Test("B7: without captions the button is not offered, and its answer is for once")
  func withoutCaptions() {
    #expect(Prompt(for: question(nil)).buttons.map(\.choice) == [.allowOnce, .deny])
    #expect(Prompt.answer(for: .allowWhileCaptions, session: nil) == .allow(.once))
    #expect(
      Prompt.answer(for: .allowWhileCaptions, session: "s") == .allow(.whileCaptions(session: "s")))
  }

  @Test("B7: it covers these captions, use after use, and no others")
  func session() throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    let ledger = try folder.ledger(clock)
    let given = try ledger.answer(.allow(.whileCaptions(session: "one")), question("one"))
    for _ in 0..<3 {
      let status = try ledger.status(of: question("one"))
      #expect(status == .allowed(consent: given.id, scope: .whileCaptions(session: "one")))
      let use = try ledger.open(given.id, question("one"), at: clock.now)
      try ledger.closeUse(use.id, Sample.facts(milliseconds: 900))
      clock.advance(seconds: 60)
    }
    #expect(try ledger.uses().count == 3, "each listening is a use")
    #expect(try ledger.status(of: question("two")) == .undetermined)
    #expect(try ledger.status(of: question(nil)) == .undetermined)
    var open = question("one")
    open.isForCaptions = false
    #expect(try ledger.status(of: open) == .undetermined, "a session that shows no captions")
  }

  @Test("B7: 'While Open' does not stand for 'While Captions Are On'")
  func whileOpen() throws {
    let folder = try TemporaryFolder()
    let ledger = try folder.ledger(TestClock())
    try ledger.answer(.allow(.whileOpen(session: "one")), question("one"))
    #expect(try ledger.status(of: question("one")) == .undetermined)
  }

  @Test("B7: it ends with the captions, by a record of its own")
  func ended() throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    let ledger = try folder.ledger(clock)
    let given = try ledger.answer(.allow(.whileCaptions(session: "one")), question("one"))
    try ledger.withdraw(given.id, reason: .sessionEnded, means: .prompt)
    #expect(try ledger.status(of: question("one")) == .undetermined)
    #expect(try ledger.consent(given.id).withdrawal?.reason == .sessionEnded)
    #expect(throws: LedgerError.notAllowed(.undetermined)) {
      try ledger.open(given.id, question("one"), at: clock.now)
    }
  }

  @Test(
    "B7: after 4 h, and after a restart of the machine, it holds no more", arguments: [true, false])
  func longest(restarts: Bool) throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    let ledger = try folder.ledger(clock)
    try ledger.answer(.allow(.whileCaptions(session: "one")), question("one"))
    if restarts {
      clock.restartMachine(boot: "boot-b", seconds: 5010)
    } else {
      clock.advance(milliseconds: Ledger.captionsSecondsMax * 1000 - 1)
      guard case .allowed = try ledger.status(of: question("one")) else {
        Issue.record("it ended too early")
        return
      }
      clock.advance(milliseconds: 1)
    }
    #expect(try ledger.status(of: question("one")) == .undetermined)
  }

  @Test("B7, L9: listening by itself is metered: a minute in ten")
  func metered() throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    let ledger = try folder.ledger(clock)
    let given = try ledger.answer(.allow(.whileCaptions(session: "one")), question("one"))
    for _ in 0..<5 {
      let use = try ledger.open(given.id, question("one"), at: clock.now)
      clock.advance(seconds: 12)
      try ledger.closeUse(use.id, Sample.facts(milliseconds: 12_000))
    }
    #expect(throws: LedgerError.self) { try ledger.open(given.id, question("one"), at: clock.now) }
  }

  @Test("B7: the record survives a restart of the daemon as it was written")
  func reopened() throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    var id = ""
    do {
      let ledger = try folder.ledger(clock)
      id = try ledger.answer(.allow(.whileCaptions(session: "one")), question("one")).id
    }
    let ledger = try folder.ledger(clock)
    #expect(
      try ledger.status(of: question("one"))
        == .allowed(consent: id, scope: .whileCaptions(session: "one")))
    #expect(try ledger.verify().goodRecords == 1)
    #expect(try ledger.receipt(for: id).text.contains("while captions are on"))
  }
}
