internal import EarshotCatalog
internal import EarshotClient
internal import EarshotConsent
internal import Glibc

extension Router {
  /// The daemon and the requester's own standing; it prompts nobody and records nothing (C4).
  func status(
    _ request: HTTPRequest, _ requester: Requester?, isAgent: Bool
  ) throws(ProblemDetails) -> HTTPAnswer {
    guard let requester else {
      throw .unprocessable("unidentified", "The program that asks could not be told for certain.")
    }
    let shelf = CatalogShelf(
      configured: daemon.configuration.catalogs, folder: daemon.paths.catalogs)
    let microphone = try microphoneStatus(request, requester)
    let library = try libraryStatus(requester)
    return .json(
      StatusMessage(
        daemon: DaemonVersion.text, process: getpid(), isPrivate: daemon.isPrivate,
        requester: Self.message(requester, user: request.peer.user), isAgent: isAgent,
        microphone: Self.word(microphone), library: Self.word(library),
        explanation: Self.explanation(microphone), isListening: daemon.hub.isListening,
        agents: daemon.desk.agentCount(user: request.peer.user),
        source: daemon.configuration.source, sources: daemon.configuration.sources,
        limit: daemon.limitMax, catalogs: shelf.standing.count))
  }

  private func microphoneStatus(
    _ request: HTTPRequest, _ requester: Requester
  ) throws(ProblemDetails) -> ConsentStatus {
    if daemon.administrator.isMicrophoneForbidden {
      return .restricted(reason: "administrator")
    }
    if let source = daemon.microphoneSwitch.forbidding {
      return .restricted(reason: source.rawValue)
    }
    let limit = request.query["limit"].flatMap { Double($0) } ?? daemon.configuration.limit
    guard let purpose = daemon.purposes.purpose(request.query["purpose"] ?? "identify"),
      limit > 0, limit <= ServiceLimits.listenSeconds
    else { throw .unprocessable("purpose", "There is no such purpose, or the limit is wrong.") }
    var question = ConsentQuestion.microphone(
      requester: requester, purpose: purpose, language: daemon.language,
      source: request.query["source"] ?? daemon.configuration.source,
      goal: request.query["goal"] == "place" ? .place : .identify,
      limitMilliseconds: max(1, Int((min(limit, daemon.limitMax) * 1000).rounded())))
    if request.query["while"] == "captions" {
      let owner = CaptionsOwner(requester: requester, peer: request.peer)
      question.session = owner.processSession
      question.isForCaptions = true
    }
    return try Self.status(daemon.ledger, question)
  }

  private func libraryStatus(_ requester: Requester) throws(ProblemDetails) -> ConsentStatus {
    guard let purpose = daemon.purposes.purpose("save") else { return .undetermined }
    return try Self.status(
      daemon.ledger,
      .library(requester: requester, purpose: purpose, language: daemon.language))
  }

  private static func status(
    _ ledger: Ledger, _ question: ConsentQuestion
  ) throws(ProblemDetails) -> ConsentStatus {
    do throws(LedgerError) {
      return try ledger.status(of: question)
    } catch {
      throw .ledger(error)
    }
  }

  static func message(_ requester: Requester, user: UInt32) -> RequesterMessage {
    RequesterMessage(
      name: requester.name, identifiedBy: requester.identification.rawValue,
      executable: requester.executable, user: user)
  }

  private static func word(_ status: ConsentStatus) -> String {
    switch status {
    case .undetermined: "undetermined"
    case .denied: "denied"
    case .allowed: "allowed"
    case .restricted: "restricted"
    }
  }

  private static func explanation(_ status: ConsentStatus) -> Explanation? {
    switch status {
    case .undetermined, .allowed: nil
    case .denied: .denied
    case .restricted("administrator"): .forbidden
    case .restricted(let reason): .restricted(reason)
    }
  }

  /// A catalog's items from `offset`, at most `limit` of them.
  func items(of name: String, _ request: HTTPRequest) throws(ProblemDetails) -> HTTPAnswer {
    let shelf = CatalogShelf(
      configured: daemon.configuration.catalogs, folder: daemon.paths.catalogs)
    guard let path = shelf.standing.first(where: { CatalogShelf.name(of: $0) == name }) else {
      throw .notFound("No catalog has that name.")
    }
    let offset = try Self.count(request, "offset", 0)
    let limit = min(try Self.count(request, "limit", 100), ServiceLimits.listEntries)
    do throws(CatalogError) {
      let catalog = try Catalog(path: path)
      let end = min(catalog.itemCount, offset.addingReportingOverflow(limit).partialValue)
      var entries: [ItemMessage] = []
      if offset < end {
        for index in offset..<end {
          let item = try catalog.item(index)
          entries.append(
            ItemMessage(
              id: item.id, title: item.title, artist: item.artist,
              captions: item.captions.keys.sorted()))
        }
      }
      return .json(
        ListMessage(entries: entries, more: max(0, catalog.itemCount - max(end, offset))))
    } catch {
      let explanation = Explanation.catalog(error)
      throw .conflict(explanation.reason, explanation.happened)
    }
  }

  /// A number of a query, not below zero.
  static func count(
    _ request: HTTPRequest, _ name: String, _ usual: Int
  ) throws(ProblemDetails) -> Int {
    guard let text = request.query[name] else { return usual }
    guard let number = Int(text), number >= 0 else {
      throw .malformed("\"\(name)\" has to be a whole number from 0.")
    }
    return number
  }
}

/// The version that the daemon tells.
enum DaemonVersion {
  static let text = "0.1.0"
}
