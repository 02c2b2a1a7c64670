internal import EarshotClient
internal import EarshotConsent
internal import Foundation

/// Takes every request of the loopback page, past the gate, and answers it off the server's thread.
struct KioskRouter: Sendable {
  let daemon: DaemonState
  let kiosk: Kiosk

  /// Hands an exchange to the queue that answers it; never blocks.
  func handle(_ exchange: Exchange) {
    let request = exchange.request
    if let problem = KioskGate(access: kiosk.access).refusal(of: request) {
      // A person who opens the address without a link reads words and no JSON.
      let isPerson = problem.status == 401 && request.path.isEmpty
      return exchange.answer(isPerson ? PageFiles.noLink : .problem(problem))
    }
    guard let route = KioskRoute(path: request.path) else {
      return exchange.answer(.problem(.notFound("The page has no such address.")))
    }
    guard route.methods.contains(request.method) else {
      let allowed = route.methods.joined(separator: ", ")
      return exchange.answer(.problem(.methodNotAllowed(allowed), headers: ["Allow": allowed]))
    }
    // Ending a visit waits until the microphone is closed, which must hold nobody else up.
    let isEnd = route == .visit && request.method == "DELETE"
    let queue = route.isSlow || isEnd ? daemon.slowRequests : daemon.requests
    queue.async {
      guard !exchange.isGone else { return exchange.answer(.problem(.stopping)) }
      answer(route, request, exchange)
    }
  }

  private func answer(_ route: KioskRoute, _ request: HTTPRequest, _ exchange: Exchange) {
    do throws(ProblemDetails) {
      switch route {
      case .listen: try listen(request, exchange)
      case .events: try follow(exchange)
      case .prompts: try addAgent(exchange)
      case .captions(let listening, let language):
        try captions(request).follow(listening, language: language, exchange)
      default: exchange.answer(try answer(route, request))
      }
    } catch {
      exchange.answer(.problem(error))
    }
  }

  private func answer(
    _ route: KioskRoute, _ request: HTTPRequest
  ) throws(ProblemDetails) -> HTTPAnswer {
    let visits = KioskVisitRoutes(daemon: daemon, kiosk: kiosk, request: request)
    let items = KioskItems(daemon: daemon, request: request)
    switch route {
    case .enter(let token): return try enter(token)
    case .document:
      // Whoever loads the page anew is at its first screen, and nothing of the last visit is left.
      daemon.slowRequests.async { daemon.endVisit() }
      return PageFiles.document
    case .file(let name): return try PageFiles.file(name)
    case .theme:
      return .bytes(
        Array(kiosk.setup.theme.styleSheet.utf8), type: "text/css; charset=utf-8", status: 200,
        headers: [:])
    case .setup:
      return .json(
        KioskSetupMessage(
          kiosk, limit: limit, configuration: daemon.configuration, paths: daemon.paths))
    case .answer(let id): return try visits.answer(id)
    case .press: return .json(PressMessage(press: kiosk.makePress()))
    case .visit where request.method == "POST": return try visits.begin()
    case .visit where request.method == "DELETE":
      daemon.endVisit()
      return .json(DoneMessage(count: 1))
    case .visit: return try visits.show()
    case .choice: return try visits.choose()
    case .savedAll: return try visits.removeSaved(nil)
    case .saved(let id): return try visits.removeSaved(id)
    case .items: return try items.list()
    case .item: return try items.show()
    case .artwork: return try items.artwork()
    case .button: return try noteButton(request)
    case .captionsChange(let listening): return try captions(request).change(listening)
    case .video: return try items.video()
    case .listen, .events, .prompts, .captions:
      throw .notFound("The address is answered elsewhere.")
    }
  }

  /// Captions in time for the visitor who is there.
  private func captions(_ request: HTTPRequest) throws(ProblemDetails) -> CaptionsRoutes {
    guard let visit = kiosk.visit else { throw .conflict("visit", "No visit is on.") }
    kiosk.touch(hasCaptions: true)
    return CaptionsRoutes(
      daemon: daemon, request: request, isAgent: true,
      visitor: (visit, kiosk.requester(of: visit)))
  }

  /// The longest listening of the page, in seconds.
  private var limit: Double { min(daemon.configuration.limit, daemon.limitMax) }

  private func enter(_ token: String) throws(ProblemDetails) -> HTTPAnswer {
    guard let cookie = kiosk.access.enter(token) else { return PageFiles.noLink }
    let attributes = "Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"
    return .bytes(
      [], type: "text/plain", status: 303,
      headers: [
        "Location": "/", "Set-Cookie": "\(kiosk.access.cookieName)=\(cookie); \(attributes)",
      ])
  }

  private func follow(_ exchange: Exchange) throws(ProblemDetails) {
    guard let joined = daemon.hub.follow(user: kiosk.peer.user, isAgent: true) else {
      throw .busy("Too many follow events.")
    }
    exchange.whenGone(joined.leave)
    exchange.answer(.events(joined.queue))
  }

  private func addAgent(_ exchange: Exchange) throws(ProblemDetails) {
    guard let joined = kiosk.desk.addAgent(user: Kiosk.deskUser, kind: "kiosk") else {
      throw .busy("Too many agents are connected.")
    }
    exchange.whenGone(joined.leave)
    exchange.answer(.events(joined.queue))
  }

  /// What the page asks of `POST /v1/listen`; all else is the deployer's to set.
  private struct PageListenRequest: Decodable {
    var press: String
    var language: String
    /// The captions whose place is to be found again.
    var captions: String?
  }

  private func listen(_ request: HTTPRequest, _ exchange: Exchange) throws(ProblemDetails) {
    let wanted = try Router.decode(request, as: PageListenRequest.self)
    guard let language = PromptLanguage(rawValue: wanted.language) else {
      throw .unprocessable("language", "The language is none of those that are shipped.")
    }
    guard request.wantsEvents else {
      throw .unprocessable(
        "events", "The page listens with events only, which show the open state.")
    }
    guard kiosk.buttonFault == nil else {
      throw .conflict("button", "The button can't be read, so pressing it grants nothing.")
    }
    // Nothing but a press on the button can open the microphone from here (rules B1, C2).
    guard kiosk.spendPress(wanted.press) else {
      throw .unprocessable("press", "The press is unknown, used up or older than two seconds.")
    }
    guard let visit = kiosk.visit else { throw .conflict("visit", "No visit is on.") }
    kiosk.touch(hasCaptions: wanted.captions != nil)
    let requester = kiosk.requester(of: visit)
    let owner = CaptionsOwner(requester: requester, peer: kiosk.peer)
    let captions = wanted.captions.flatMap { daemon.captions.session($0, of: owner) }
    if wanted.captions != nil && captions == nil {
      throw .notFound("No captions of this visit have that id.")
    }
    let goal: ListenRequest.Goal =
      captions != nil || kiosk.setup.settings.hasCaptions ? .place : .identify
    let control: ListeningControl
    do throws(ServiceError) {
      control = try ListeningControl(requester: requester)
    } catch {
      throw .busy("No descriptor is left.")
    }
    guard daemon.listenings.add(control) else { throw .busy("Too many listen already.") }
    exchange.whenGone { control.cancel(.requesterGone) }
    let listening = Listening(
      daemon: daemon,
      request: ListenRequest(
        purpose: kiosk.setup.purpose.code, goal: goal, limit: limit,
        save: captions == nil ? .ask : .never, language: language.rawValue,
        captions: wanted.captions),
      peer: kiosk.peer, requester: requester, isAgent: true, purpose: kiosk.setup.purpose,
      control: control,
      sink: ListenSink(
        exchange: exchange, wantsEvents: true, alsoTo: captions?.takesPress),
      captionsSession: captions?.consentSession, visit: visit)
    Thread.detachNewThread { listening.run() }
  }

  private struct ButtonReport: Decodable {
    var fault: String?
  }

  private func noteButton(_ request: HTTPRequest) throws(ProblemDetails) -> HTTPAnswer {
    let report = try Router.decode(request, as: ButtonReport.self)
    let fault = report.fault.map { String($0.prefix(200)) }
    if kiosk.noteButton(fault: fault), let fault {
      let words = fault.unicodeScalars.map { (0x20...0x7E).contains($0.value) ? String($0) : "?" }
      daemon.log.error("the kiosk's button can't be read and grants nothing: " + words.joined())
    }
    return .json(DoneMessage(count: 1))
  }
}

/// A name for one press.
struct PressMessage: Encodable, Sendable, Hashable {
  var press: String
}
