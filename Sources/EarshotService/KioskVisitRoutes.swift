internal import EarshotClient
internal import EarshotConsent
internal import EarshotLibrary

/// The visitor's own: status, choices, uses and saved matches; nobody else's are in reach.
struct KioskVisitRoutes: Sendable {
  let daemon: DaemonState
  let kiosk: Kiosk
  let request: HTTPRequest

  private struct Touch: Decodable {
    var hasCaptions: Bool?
  }

  /// Begins the visit, or keeps it alive.
  func begin() throws(ProblemDetails) -> HTTPAnswer {
    let touch = try Router.decode(request, as: Touch.self)
    let visit = kiosk.beginVisit()
    kiosk.touch(hasCaptions: touch.hasCaptions ?? false)
    return .json(try message(visit))
  }

  func show() throws(ProblemDetails) -> HTTPAnswer {
    .json(try message(try visit()))
  }

  private func visit() throws(ProblemDetails) -> KioskVisit {
    guard let visit = kiosk.visit else { throw .conflict("visit", "No visit is on.") }
    return visit
  }

  private func message(_ visit: KioskVisit) throws(ProblemDetails) -> VisitMessage {
    let status = try status(of: microphone(visit))
    let uses = try reading { () throws(LedgerError) in
      try daemon.ledger.uses(LedgerPage(limit: ServiceLimits.visitUses))
    }
    let saved = try shelving { () throws(LibraryError) in
      visit.hasSaved ? try daemon.library.matches(of: visit.person.identifier) : []
    }
    return VisitMessage(
      requester: DisplayName.shown(kiosk.setup.name), status: Self.word(status),
      explains: kiosk.setup.explanation != nil && status == .undetermined
        && !visit.hasSeenPrompt,
      choices: [
        choice(.microphone, status, kiosk.setup.purpose),
        choice(
          .library,
          try library(visit).map { question throws(ProblemDetails) in
            try self.status(of: question)
          } ?? .undetermined, daemon.purposes.purpose("save")),
      ],
      uses: uses.filter { $0.opening.person == visit.person }.map { use in
        VisitMessage.Use(
          opened: use.opening.time.utcMilliseconds, milliseconds: use.closing?.milliseconds,
          outcome: use.closing?.outcome)
      },
      saved: saved.map {
        VisitMessage.Saved(id: String($0.id), title: $0.item.title, artist: $0.item.artist)
      })
  }

  private func choice(
    _ capability: Capability, _ status: ConsentStatus, _ purpose: Purpose?
  ) -> VisitMessage.Choice {
    let word =
      switch status {
      case .allowed: "allow"
      case .denied, .restricted: "deny"
      case .undetermined: "ask"
      }
    let texts = PromptLanguage.allCases.map {
      ($0.rawValue, purpose?.sentence(in: $0).text ?? "")
    }
    return VisitMessage.Choice(
      capability: capability.rawValue, choice: word,
      purpose: Dictionary(uniqueKeysWithValues: texts))
  }

  private static func word(_ status: ConsentStatus) -> String {
    switch status {
    case .undetermined: "undetermined"
    case .denied: "denied"
    case .allowed: "allowed"
    case .restricted: "restricted"
    }
  }

  private func microphone(_ visit: KioskVisit) -> ConsentQuestion {
    .microphone(
      requester: kiosk.requester(of: visit), purpose: kiosk.setup.purpose, language: language,
      source: daemon.configuration.source,
      goal: kiosk.setup.settings.hasCaptions ? .place : .identify,
      limitMilliseconds: max(
        1, Int((min(daemon.configuration.limit, daemon.limitMax) * 1000).rounded())),
      session: visit.session)
  }

  private func library(_ visit: KioskVisit) -> ConsentQuestion? {
    daemon.purposes.purpose("save").map {
      .library(requester: kiosk.requester(of: visit), purpose: $0, language: language)
    }
  }

  private var language: PromptLanguage {
    request.query["language"].flatMap { PromptLanguage(rawValue: $0) }
      ?? kiosk.setup.settings.language
  }

  private func status(of question: ConsentQuestion) throws(ProblemDetails) -> ConsentStatus {
    if question.capability == .microphone && daemon.administrator.isMicrophoneForbidden {
      return .restricted(reason: "administrator")
    }
    return try reading { () throws(LedgerError) in try daemon.ledger.status(of: question) }
  }

  // MARK: Changing

  private struct ChoiceRequest: Decodable {
    var capability: String
    var choice: String
  }

  /// Changes a choice to any other with one press (rule R5).
  func choose() throws(ProblemDetails) -> HTTPAnswer {
    let wanted = try Router.decode(request, as: ChoiceRequest.self)
    let visit = try visit()
    let isMicrophone = wanted.capability == Capability.microphone.rawValue
    guard isMicrophone || wanted.capability == Capability.library.rawValue,
      let question = isMicrophone ? microphone(visit) : library(visit)
    else { throw .unprocessable("capability", "There is no such capability.") }
    let choice: ConsentDecision.Choice?
    switch wanted.choice {
    case "ask": choice = nil
    case "allow":
      choice = .allow(isMicrophone ? .whileOpen(session: visit.session) : .untilRevoked)
    case "deny": choice = .deny
    default: throw .unprocessable("choice", "There is no such choice.")
    }
    if choice != .allow(.whileOpen(session: visit.session)) && isMicrophone {
      // Closing comes before writing: the microphone waits for no disk (rule L7).
      daemon.listenings.revoke { $0.requester.person == visit.person }
      visit.forgetAllowances()
    }
    try reading { () throws(LedgerError) in
      for old in try daemon.ledger.currentChoices()
      where old.person == visit.person && old.capability == question.capability {
        try daemon.ledger.withdraw(old.id, reason: .askAgain, means: .settings)
      }
      guard let choice else { return }
      _ = try daemon.ledger.record(
        ConsentDecision(
          choice: choice, means: .settings, agent: "kiosk", answeredBy: visit.person),
        for: question, shown: Prompt(for: question))
    }
    return .json(try message(visit))
  }

  /// Removes one saved match, or all of them.
  func removeSaved(_ id: String?) throws(ProblemDetails) -> HTTPAnswer {
    let visit = try visit()
    try shelving { () throws(LibraryError) in
      guard let id else { return try daemon.library.removeAll(of: visit.person.identifier) }
      guard let number = Int64(id) else { throw .unknown(id: 0) }
      try daemon.library.remove(number, of: visit.person.identifier)
    }
    return .json(try message(visit))
  }

  /// Takes the visitor's answer to a prompt and records it before the listening goes on.
  func answer(_ id: String) throws(ProblemDetails) -> HTTPAnswer {
    let wanted = try Router.decode(request, as: PromptAnswer.self)
    let visit = try visit()
    switch kiosk.desk.answer(wanted.choice, to: id, user: Kiosk.deskUser) {
    case .unknown: throw .notFound("The prompt has gone, or never was.")
    case .noSuchChoice: throw .unprocessable("choice", "The prompt has no such button.")
    case .dismissed: return .json(DoneMessage(id: id, count: 0))
    case .claimed(let question, let prompt, let choice):
      return .json(try record(choice, question, prompt, id, visit))
    }
  }

  private func record(
    _ choice: Prompt.Choice, _ question: ConsentQuestion, _ prompt: Prompt, _ id: String,
    _ visit: KioskVisit
  ) throws(ProblemDetails) -> DoneMessage {
    guard let decision = Prompt.answer(for: choice, session: question.session) else {
      visit.note(choice, to: question)
      kiosk.desk.settle(id, user: Kiosk.deskUser, .choice(choice))
      return DoneMessage(id: id, count: 0)
    }
    do throws(LedgerError) {
      // A visit that has ended meanwhile leaves no new consent behind (rule K2).
      guard !visit.isEnded else { throw LedgerError.notAllowed(.undetermined) }
      let record = try daemon.ledger.record(
        ConsentDecision(
          choice: decision, means: .prompt, agent: "kiosk", answeredBy: visit.person),
        for: question, shown: prompt)
      visit.note(choice, to: question)
      kiosk.desk.settle(id, user: Kiosk.deskUser, .choice(choice))
      return DoneMessage(id: record.id)
    } catch {
      kiosk.desk.settle(id, user: Kiosk.deskUser, .unrecorded)
      throw .ledger(error)
    }
  }

  // MARK: Errors

  private func reading<Value>(
    _ read: () throws(LedgerError) -> Value
  ) throws(ProblemDetails) -> Value {
    do throws(LedgerError) { return try read() } catch { throw .ledger(error) }
  }

  private func shelving<Value>(
    _ read: () throws(LibraryError) -> Value
  ) throws(ProblemDetails) -> Value {
    do throws(LibraryError) {
      return try read()
    } catch .unknown {
      throw .notFound("No saved match has that id.")
    } catch {
      throw .ledger("The library could not be read or written.")
    }
  }
}
