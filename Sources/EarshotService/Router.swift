internal import EarshotClient
internal import EarshotConsent
internal import Foundation

/// Takes every request from the server and answers it off the server's thread.
struct Router: Sendable {
  let daemon: DaemonState

  /// Hands an exchange to the queue that answers it; never blocks.
  func handle(_ exchange: Exchange) {
    let request = exchange.request
    guard let route = Route(path: request.path) else {
      let what = "The daemon has no such address."
      return exchange.answer(.problem(.notFound(what)))
    }
    guard route.methods.contains(request.method) else {
      let allowed = route.methods.joined(separator: ", ")
      return exchange.answer(
        .problem(.methodNotAllowed(allowed), headers: ["Allow": allowed]))
    }
    let queue = route.isSlow ? daemon.slowRequests : daemon.requests
    queue.async {
      // A client that has gone gets no answer, and nothing is begun for it.
      guard !exchange.isGone else { return exchange.answer(.problem(.stopping)) }
      answer(route, request, exchange)
    }
  }

  /// Begins with a request whose body is taken while it arrives; nil for every other.
  ///
  /// - Throws: why it is refused.
  func takeSound(_ exchange: Exchange) throws(ProblemDetails) -> SoundIntake? {
    let request = exchange.request
    guard request.method == "POST", Route(path: request.path) == .match else { return nil }
    return try Matching.begin(daemon, exchange)
  }

  private func answer(_ route: Route, _ request: HTTPRequest, _ exchange: Exchange) {
    // Looked at once for all that this request needs to know of its peer.
    let isUnchanged = request.peer.isUnchanged
    let isAgent = isUnchanged && daemon.requesters.isAgent(unchanged: request.peer)
    if route.isForAgents && !isAgent { return exchange.answer(.problem(.forbidden)) }
    do throws(ProblemDetails) {
      switch route {
      case .status:
        let requester =
          isUnchanged ? daemon.requesters.requester(forUnchanged: request.peer) : nil
        exchange.answer(try status(request, requester, isAgent: isAgent))
      case .listen: try listen(request, exchange, isAgent: isAgent)
      case .events: try events(request, exchange, isAgent: isAgent)
      case .prompts: try prompts(request, exchange)
      case .captions(let listening, let language):
        try CaptionsRoutes(daemon: daemon, request: request, isAgent: isAgent)
          .follow(listening, language: language, exchange)
      case .captionsChange(let listening):
        exchange.answer(
          try CaptionsRoutes(daemon: daemon, request: request, isAgent: isAgent)
            .change(listening))
      default: exchange.answer(try answer(route, request, isAgent: isAgent))
      }
    } catch {
      exchange.answer(.problem(error))
    }
  }

  private func answer(
    _ route: Route, _ request: HTTPRequest, isAgent: Bool
  ) throws(ProblemDetails) -> HTTPAnswer {
    let consents = ConsentRoutes(daemon: daemon, request: request)
    let shelves = LibraryRoutes(daemon: daemon, request: request)
    switch route {
    case .catalogs: return catalogs()
    case .items(let catalog): return try items(of: catalog, request)
    case .devices: return try DeviceRoutes(daemon: daemon).list()
    case .privacy:
      return .json(
        PrivacyLabel(
          configuration: daemon.configuration, paths: daemon.paths,
          language: request.query["language"].flatMap { PromptLanguage(tag: $0) }
            ?? daemon.language))
    case .purposes: return purposes()
    case .consents where request.method == "POST": return try consents.grant()
    case .consents: return try consents.list()
    case .consent(let id): return try consents.show(id)
    case .decision(let id): return try consents.decide(id)
    case .receipt(let id): return try consents.receipt(id)
    case .uses: return try consents.uses()
    case .stop(let use): return try consents.stop(use)
    case .ledger: return try consents.records()
    case .verification: return try consents.verify()
    case .ledgerExport: return try consents.export()
    case .answer(let id): return try consents.answer(id)
    case .library where request.method == "DELETE": return try shelves.erase()
    case .library: return try shelves.list()
    case .libraryExport: return try shelves.export()
    case .libraryConsent: return try shelves.decide()
    case .libraryEntry(let id): return try shelves.remove(id)
    case .kioskLink: return try kioskLink()
    case .erasure: return try consents.eraseAll()
    case .status, .listen, .match, .events, .prompts, .captions, .captionsChange:
      throw .notFound("The address is answered elsewhere.")
    }
  }

  /// A request's body as a value.
  static func decode<Value: Decodable>(
    _ request: HTTPRequest, as type: Value.Type
  ) throws(ProblemDetails) -> Value {
    try decode(request.body, contentType: request.contentType, as: type)
  }

  /// The bytes of a body as a value.
  static func decode<Value: Decodable>(
    _ body: [UInt8], contentType: String?, as type: Value.Type
  ) throws(ProblemDetails) -> Value {
    if let contentType {
      let kind = contentType.split(separator: ";").first?.trimmingCharacters(in: .whitespaces)
      guard kind?.lowercased() == "application/json" else { throw .unsupportedType }
    }
    guard !body.isEmpty else { throw .malformed("The body is empty.") }
    do {
      return try JSONDecoder().decode(Value.self, from: Data(body))
    } catch DecodingError.keyNotFound(let key, _) {
      throw .malformed("The body lacks \"\(key.stringValue)\".")
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context)
    {
      let place = context.codingPath.map(\.stringValue).joined(separator: ".")
      throw .malformed(
        place.isEmpty ? "The body is not JSON of the right form." : "\"\(place)\" is wrong.")
    } catch {
      throw .malformed("The body is not JSON.")
    }
  }

  // MARK: Everybody's

  private func catalogs() -> HTTPAnswer {
    let shelf = CatalogShelf(
      configured: daemon.configuration.catalogs, folder: daemon.paths.catalogs)
    return .json(ListMessage(entries: shelf.standing.map { CatalogShelf.message($0) }))
  }

  /// The purposes that a request to listen may name.
  private func purposes() -> HTTPAnswer {
    let entries = daemon.purposes.all.filter { $0.use != .save }.map { purpose in
      PurposeMessage(
        code: purpose.code, use: purpose.use.rawValue,
        texts: Dictionary(
          uniqueKeysWithValues: purpose.sentences.map { ($0.key.rawValue, $0.value) }))
    }
    return .json(ListMessage(entries: entries))
  }

  /// A one-time link to the kiosk's page.
  private func kioskLink() throws(ProblemDetails) -> HTTPAnswer {
    guard let kiosk = daemon.kiosk else {
      throw .conflict("no-kiosk", "No page is served: earshot.json has no \"kiosk\" section.")
    }
    return .json(
      KioskLinkMessage(
        link: kiosk.access.makeLink(), seconds: KioskAccess.linkSeconds,
        theme: kiosk.setup.theme.faults),
      status: 201)
  }

  private func events(
    _ request: HTTPRequest, _ exchange: Exchange, isAgent: Bool
  ) throws(ProblemDetails) {
    guard
      let joined = daemon.hub.follow(
        user: request.peer.user, isAgent: isAgent, process: request.peer.process)
    else {
      throw .busy("Too many follow events.")
    }
    exchange.whenGone(joined.leave)
    exchange.answer(.events(joined.queue))
  }

  private func prompts(_ request: HTTPRequest, _ exchange: Exchange) throws(ProblemDetails) {
    let kind = request.query["agent"] ?? "terminal"
    guard
      let joined = daemon.desk.addAgent(
        user: request.peer.user, kind: kind, process: request.peer.process)
    else {
      throw .busy("Too many agents are connected.")
    }
    exchange.whenGone(joined.leave)
    exchange.answer(.events(joined.queue))
  }

  private func listen(
    _ request: HTTPRequest, _ exchange: Exchange, isAgent: Bool
  ) throws(ProblemDetails) {
    var wanted = try Self.decode(request, as: ListenRequest.self)
    let typed = try Self.decode(request, as: TypedLimit.self)
    if typed.limit == nil { wanted.limit = daemon.configuration.limit }
    guard wanted.limit > 0, wanted.limit <= ServiceLimits.listenSeconds else {
      throw .unprocessable("limit", "The limit has to be over 0 and at most 30 seconds.")
    }
    guard wanted.catalogs.count <= ServiceLimits.catalogs else {
      throw .unprocessable("catalogs", "At most \(ServiceLimits.catalogs) catalogs can be named.")
    }
    guard let purpose = daemon.purposes.purpose(wanted.purpose), purpose.use != .save else {
      throw .unprocessable("purpose", "There is no such purpose.")
    }
    guard let requester = daemon.requesters.requester(for: request.peer) else {
      throw .unprocessable("unidentified", "The program that asks could not be told for certain.")
    }
    let control: ListeningControl
    do throws(ServiceError) {
      control = try ListeningControl(requester: requester)
    } catch {
      throw .busy("No descriptor is left.")
    }
    let owner = CaptionsOwner(requester: requester, peer: request.peer)
    let captions = wanted.captions.flatMap { daemon.captions.session($0, of: owner) }
    if wanted.captions != nil && captions == nil {
      throw .notFound("No captions of this program have that id.")
    }
    guard daemon.listenings.add(control) else { throw .busy("Too many listen already.") }
    exchange.whenGone { control.cancel(.requesterGone) }
    let listening = Listening(
      daemon: daemon, request: wanted, peer: request.peer, requester: requester, isAgent: isAgent,
      purpose: purpose, control: control,
      sink: ListenSink(
        exchange: exchange, wantsEvents: request.wantsEvents,
        alsoTo: captions?.takesPress),
      captionsSession: captions?.consentSession
        ?? (wanted.whileCaptions ? owner.processSession : nil))
    Thread.detachNewThread { listening.run() }
  }

  /// Whether a request named a limit at all.
  private struct TypedLimit: Decodable {
    var limit: Double?
  }
}
