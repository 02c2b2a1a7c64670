internal import EarshotClient
internal import EarshotConsent
internal import EarshotLibrary

/// The person's saved matches, for listed agents only (rules R6, S3).
struct LibraryRoutes: Sendable {
  let daemon: DaemonState
  let request: HTTPRequest

  private var person: String { Person.user(request.peer.user).identifier }

  func list() throws(ProblemDetails) -> HTTPAnswer {
    let offset = try Router.count(request, "offset", 0)
    let limit = min(try Router.count(request, "limit", 100), ServiceLimits.listEntries)
    // One more than asked for tells whether there is more.
    let found = try reading { () throws(LibraryError) in
      try daemon.library.matches(of: person, limit: limit + 1, offset: offset)
    }
    return .json(
      ListMessage(entries: found.prefix(limit).map(message), more: found.count > limit ? 1 : 0))
  }

  func export() throws(ProblemDetails) -> HTTPAnswer {
    let bytes = try reading { () throws(LibraryError) in
      try daemon.library.export(of: person)
    }
    return .bytes(bytes, type: "application/json", status: 200, headers: [:])
  }

  func remove(_ id: String) throws(ProblemDetails) -> HTTPAnswer {
    try checkConfirmation()
    guard let number = Int64(id) else { throw .notFound("No saved match has that id.") }
    try reading { () throws(LibraryError) in try daemon.library.remove(number, of: person) }
    return .json(DoneMessage(id: id))
  }

  /// Removes all, or what one requester saved.
  func erase() throws(ProblemDetails) -> HTTPAnswer {
    try checkConfirmation()
    let counts = try reading { () throws(LibraryError) in
      try daemon.library.requesters(of: person)
    }
    if let requester = request.query["requester"] {
      guard let count = counts[requester] else {
        throw .notFound("That program saved nothing.")
      }
      try reading { () throws(LibraryError) in
        try daemon.library.removeAll(savedBy: requester, for: person)
      }
      return .json(DoneMessage(count: count))
    }
    try reading { () throws(LibraryError) in try daemon.library.removeAll(of: person) }
    return .json(DoneMessage(count: counts.values.reduce(0, +)))
  }

  /// Removes all that the library holds for the person.
  func eraseAll() throws(ProblemDetails) {
    try reading { () throws(LibraryError) in try daemon.library.removeAll(of: person) }
  }

  /// Records whether a requester's matches are saved (rules S1, C10).
  func decide() throws(ProblemDetails) -> HTTPAnswer {
    let wanted = try Router.decode(request, as: LibraryConsentRequest.self)
    let consents = ConsentRoutes(daemon: daemon, request: request)
    guard let purpose = daemon.purposes.purpose("save") else {
      throw .conflict("purpose", "The purpose is not configured any more.")
    }
    let question = ConsentQuestion.library(
      requester: try consents.requester(wanted.executable), purpose: purpose,
      language: daemon.language)
    switch wanted.decision {
    case "allow":
      return .json(
        try consents.record(.allow(.untilRevoked), for: question, wanted.confirmation), status: 201)
    case "deny":
      return .json(try consents.record(.deny, for: question, wanted.confirmation), status: 201)
    case "ask-again":
      return .json(try withdrawAnswers(to: question, wanted.confirmation))
    default:
      throw .unprocessable("decision", "The decision is none of those that can be made.")
    }
  }

  private func withdrawAnswers(
    to question: ConsentQuestion, _ confirmation: Confirmation
  ) throws(ProblemDetails) -> DoneMessage {
    do throws(LedgerError) {
      let answers = try daemon.ledger.currentChoices().filter {
        $0.capability == .library && $0.requester.name == question.requester.name
          && $0.person == question.requester.person
      }
      for answer in answers {
        try daemon.ledger.withdraw(
          answer.id, reason: .askAgain, means: confirmation == .terminal ? .terminal : .command)
      }
      return DoneMessage(count: answers.count)
    } catch {
      throw .ledger(error)
    }
  }

  /// Every erasure takes a person at a terminal (rule C10).
  private func checkConfirmation() throws(ProblemDetails) {
    let confirmation = request.query["confirmation"].flatMap { Confirmation(rawValue: $0) }
    try ConsentRoutes(daemon: daemon, request: request).checkConfirmation(confirmation ?? .command)
  }

  private func message(_ match: SavedMatch) -> LibraryEntryMessage {
    let latest = match.savers.first
    return LibraryEntryMessage(
      id: String(match.id), item: match.item.item, title: match.item.title,
      artist: match.item.artist, catalog: match.item.catalog, requester: latest?.requester ?? "",
      saved: ConsentRoutes.text(latest?.savedUTCMilliseconds ?? 0))
  }

  private func reading<Value>(
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
