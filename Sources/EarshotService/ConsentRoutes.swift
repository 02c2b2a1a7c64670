internal import EarshotClient
internal import EarshotConsent
internal import Foundation
internal import Glibc

/// The person's own consents, uses and ledger, for listed agents only (rule R6).
struct ConsentRoutes: Sendable {
  let daemon: DaemonState
  let request: HTTPRequest

  private var person: Person { .user(request.peer.user) }

  // MARK: Reading

  func list() throws(ProblemDetails) -> HTTPAnswer {
    let live = try reading { () throws(LedgerError) in try daemon.ledger.currentChoices() }
    let standing = Set(live.map(\.id))
    let entries = try reading { () throws(LedgerError) in try daemon.ledger.consents(page()) }
    return .json(
      ListMessage(
        entries: entries.filter { $0.record.person == person }
          .map { message($0, isLive: standing.contains($0.record.id)) }))
  }

  func show(_ id: String) throws(ProblemDetails) -> HTTPAnswer {
    let entry = try own(id)
    let live = try reading { () throws(LedgerError) in try daemon.ledger.currentChoices() }
    return .json(message(entry, isLive: live.contains { $0.id == id }))
  }

  func receipt(_ id: String) throws(ProblemDetails) -> HTTPAnswer {
    _ = try own(id)
    return .json(try reading { () throws(LedgerError) in try daemon.ledger.receipt(for: id) })
  }

  func uses() throws(ProblemDetails) -> HTTPAnswer {
    let uses = try reading { () throws(LedgerError) in try daemon.ledger.uses(page()) }
    return .json(ListMessage(entries: uses.filter { $0.opening.person == person }.map(message)))
  }

  /// The chain's records after `after`, as they were hashed.
  func records() throws(ProblemDetails) -> HTTPAnswer {
    try checkWholeLedger()
    let after = Int64(try Router.count(request, "after", 0))
    var entries: [LedgerRecordMessage] = []
    var more = 0
    try reading { () throws(LedgerError) in
      try daemon.ledger.export { piece in
        guard let record = Self.record(inExport: piece), record.sequence > after else { return }
        if entries.count < ServiceLimits.listEntries { entries.append(record) } else { more += 1 }
      }
    }
    return .json(ListMessage(entries: entries, more: more))
  }

  func verify() throws(ProblemDetails) -> HTTPAnswer {
    try checkWholeLedger()
    let found = try reading { () throws(LedgerError) in try daemon.ledger.verify() }
    return .json(LedgerVerificationMessage(found))
  }

  func export() throws(ProblemDetails) -> HTTPAnswer {
    try checkWholeLedger()
    var bytes: [UInt8] = []
    try reading { () throws(LedgerError) in
      try daemon.ledger.export { bytes.append(contentsOf: $0) }
    }
    return .bytes(bytes, type: "application/json", status: 200, headers: [:])
  }

  /// The chain holds every person's records, so it is for the one whose daemon it is.
  private func checkWholeLedger() throws(ProblemDetails) {
    guard request.peer.user == geteuid() || request.peer.user == 0 else { throw .forbidden }
  }

  private func page() -> LedgerPage {
    let limit = request.query["limit"].flatMap { Int($0) } ?? LedgerPage.limitMax
    return LedgerPage(limit: limit, before: request.query["before"].flatMap { Int64($0) })
  }

  private func own(_ id: String) throws(ProblemDetails) -> ConsentEntry {
    let entry = try reading { () throws(LedgerError) in try daemon.ledger.consent(id) }
    guard entry.record.person == person else { throw .notFound("No consent has that id.") }
    return entry
  }

  private func reading<Value>(
    _ read: () throws(LedgerError) -> Value
  ) throws(ProblemDetails) -> Value {
    do throws(LedgerError) { return try read() } catch { throw .ledger(error) }
  }

  // MARK: Changing

  /// Records a consent that no prompt brought up (rule C10).
  func grant() throws(ProblemDetails) -> HTTPAnswer {
    let wanted = try Router.decode(request, as: GrantRequest.self)
    guard wanted.limit > 0, wanted.limit <= ServiceLimits.listenSeconds else {
      throw .unprocessable("limit", "The limit has to be over 0 and at most 30 seconds.")
    }
    guard let purpose = daemon.purposes.purpose(wanted.purpose), purpose.use != .save else {
      throw .unprocessable("purpose", "There is no such purpose.")
    }
    let source = wanted.source ?? daemon.configuration.source
    guard daemon.configuration.sources.contains(source) else {
      throw .unprocessable("unknown-source", "The source's name is not configured.")
    }
    let choice = try choice(wanted.decision, seconds: wanted.seconds)
    let question = ConsentQuestion.microphone(
      requester: try requester(wanted.executable), purpose: purpose,
      language: wanted.language.flatMap { PromptLanguage(tag: $0) } ?? daemon.language,
      source: source, goal: wanted.goal == .place ? .place : .identify,
      limitMilliseconds: max(1, Int((min(wanted.limit, daemon.limitMax) * 1000).rounded())))
    return .json(try record(choice, for: question, wanted.confirmation), status: 201)
  }

  func requester(_ executable: String?) throws(ProblemDetails) -> Requester {
    let found =
      executable.map {
        daemon.requesters.requester(executable: $0, user: request.peer.user)
      } ?? daemon.requesters.requester(for: request.peer)
    guard let found else {
      throw .unprocessable("unidentified", "There is no such program, or it can't be read.")
    }
    return found
  }

  /// Records a choice; an allowance takes a person at a terminal, or the administrator's leave.
  func record(
    _ choice: ConsentDecision.Choice, for question: ConsentQuestion, _ confirmation: Confirmation
  ) throws(ProblemDetails) -> DoneMessage {
    if choice != .deny { try checkConfirmation(confirmation) }
    // Closing first: whatever becomes of the record, what is denied is not open (rule L7).
    if choice == .deny && question.capability == .microphone {
      daemon.listenings.revoke { $0.requester == question.requester }
    }
    let decision = ConsentDecision(
      choice: choice, means: confirmation == .terminal ? .terminal : .command,
      agent: confirmation.rawValue, answeredBy: person)
    let record = try reading { () throws(LedgerError) in
      try daemon.ledger.record(decision, for: question, shown: Prompt(for: question))
    }
    return DoneMessage(id: record.id)
  }

  func checkConfirmation(_ confirmation: Confirmation) throws(ProblemDetails) {
    guard confirmation == .terminal || daemon.administrator.mayGrantByCommand else {
      throw .byCommand
    }
  }

  private func choice(
    _ word: String, seconds: Double?
  ) throws(ProblemDetails) -> ConsentDecision.Choice {
    switch word {
    case "allow-once": return .allow(.once)
    case "allow": return .allow(.untilRevoked)
    case "deny": return .deny
    case "allow-until":
      guard let seconds, seconds >= 1, seconds <= 10 * 365 * 86_400 else {
        throw .unprocessable("seconds", "How long the consent lasts is missing or too long.")
      }
      let now = LedgerClock.system().now().utcMilliseconds
      return .allow(.until(utcMilliseconds: now + Int64(seconds * 1000)))
    default:
      throw .unprocessable("decision", "The decision is none of those that can be made.")
    }
  }

  /// Removes every record and every saved match, to the last byte (rule R8).
  func eraseAll() throws(ProblemDetails) -> HTTPAnswer {
    try checkWholeLedger()
    try checkConfirmation(try Router.decode(request, as: EraseRequest.self).confirmation)
    // An open use could not be closed in an empty ledger, so what listens is ended before.
    daemon.listenings.revoke { _ in true }
    let deadline = Clock.monotonicSeconds() + 2
    while daemon.listenings.count > 0 && Clock.monotonicSeconds() < deadline { usleep(2_000) }
    guard daemon.listenings.count == 0 else {
      throw .busy("A listening has not ended yet.")
    }
    try LibraryRoutes(daemon: daemon, request: request).eraseAll()
    try reading { () throws(LedgerError) in try daemon.ledger.eraseAll() }
    try eraseSettings()
    return .json(DoneMessage(count: 1))
  }

  /// Removes the person's own settings; those of a service are its administrator's.
  private func eraseSettings() throws(ProblemDetails) {
    guard !daemon.isSystem else { return }
    var facts = stat()
    guard unsafe lstat(daemon.paths.configuration, &facts) == 0, facts.st_uid == geteuid() else {
      return
    }
    guard unsafe unlink(daemon.paths.configuration) == 0 else {
      throw .unprocessable("settings", "The settings could not be removed; all else was erased.")
    }
  }

  /// Closes the microphone of a use that runs; the consent stays as it is.
  func stop(_ use: String) throws(ProblemDetails) -> HTTPAnswer {
    guard daemon.listenings.stop(use: use, of: person) else {
      throw .notFound("No microphone is open for a use of that id.")
    }
    return .json(DoneMessage(id: use))
  }

  /// Changes a recorded choice (rule R5): `revoke`, `deny` or `allow`.
  func decide(_ id: String) throws(ProblemDetails) -> HTTPAnswer {
    let wanted = try Router.decode(request, as: DecisionRequest.self)
    let isWithdrawal = wanted.decision == "revoke" || wanted.decision == "ask-again"
    if isWithdrawal || wanted.decision == "deny" {
      // Closing comes before reading and writing: the microphone waits for no disk (rule L7).
      daemon.listenings.revoke { $0.consent == id && $0.requester.person == person }
    }
    let entry = try own(id)
    if isWithdrawal {
      let means: ConsentDecision.Means = wanted.confirmation == .terminal ? .terminal : .command
      let withdrawal = try reading { () throws(LedgerError) in
        try daemon.ledger.withdraw(
          id, reason: wanted.decision == "revoke" ? .revoked : .askAgain, means: means)
      }
      daemon.hub.revoked(consent: id, user: request.peer.user)
      return .json(DoneMessage(id: withdrawal.id))
    }
    let choice = try choice(wanted.decision, seconds: nil)
    let question = try question(like: entry.record)
    return .json(try record(choice, for: question, wanted.confirmation), status: 201)
  }

  /// The question that a record answered, as it would be asked now.
  private func question(like record: ConsentRecord) throws(ProblemDetails) -> ConsentQuestion {
    guard let purpose = daemon.purposes.purpose(record.purpose.code) else {
      throw .conflict("purpose", "The purpose is not configured any more.")
    }
    switch record.capability {
    case .library:
      return .library(
        requester: record.requester, purpose: purpose, language: record.notice.language)
    case .microphone:
      return .microphone(
        requester: record.requester, purpose: purpose, language: record.notice.language,
        source: record.source, goal: record.goal, limitMilliseconds: record.limitMilliseconds)
    }
  }

  /// Takes an agent's answer to a prompt and records it before anybody who waits is woken.
  func answer(_ id: String) throws(ProblemDetails) -> HTTPAnswer {
    let wanted = try Router.decode(request, as: PromptAnswer.self)
    switch daemon.desk.answer(wanted.choice, to: id, user: request.peer.user) {
    case .unknown: throw .notFound("The prompt has gone, or never was.")
    case .noSuchChoice: throw .unprocessable("choice", "The prompt has no such button.")
    case .dismissed: return .json(DoneMessage(id: id, count: 0))
    case .claimed(let question, let prompt, let choice):
      guard let decision = Prompt.answer(for: choice, session: question.session) else {
        daemon.desk.settle(id, user: request.peer.user, .choice(choice))
        return .json(DoneMessage(id: id, count: 0))
      }
      do throws(LedgerError) {
        let record = try daemon.ledger.record(
          ConsentDecision(
            choice: decision, means: .prompt, agent: request.query["agent"] ?? "terminal",
            answeredBy: person),
          for: question, shown: prompt)
        daemon.desk.settle(id, user: request.peer.user, .choice(choice))
        return .json(DoneMessage(id: record.id))
      } catch {
        daemon.desk.settle(id, user: request.peer.user, .unrecorded)
        throw .ledger(error)
      }
    }
  }
}
