internal import EarshotCaptions
internal import EarshotCatalog
internal import EarshotClient
internal import EarshotConsent
internal import Foundation

/// Captions in time, as events: those of a place that a listening found, and those that a person
/// places by hand (rule C11).
struct CaptionsRoutes: Sendable {
  let daemon: DaemonState
  let request: HTTPRequest
  let isAgent: Bool
  /// The kiosk's visitor, and the page as what asks for them; nil for every program.
  var visitor: (visit: KioskVisit, requester: Requester)?

  /// Stands in the place of a listening where the person names item and place.
  static let byHand = "by-hand"

  /// Begins captions, whose events are the answer.
  func follow(
    _ listening: String, language: String, _ exchange: Exchange
  ) throws(ProblemDetails) {
    let owner = try owner()
    let beginning =
      listening == Self.byHand ? try byHand() : try heard(listening, of: owner)
    let session: CaptionsSession
    do throws(ServiceError) {
      session = try CaptionsSession(
        id: listening == Self.byHand ? UUID().uuidString.lowercased() : listening, owner: owner,
        daemon: daemon, peer: request.peer, isAgent: isAgent, visit: visitor?.visit)
    } catch {
      throw .busy("No descriptor is left.")
    }
    let wish = CaptionsWish(
      language: language, checkInterval: try number("check", 10...600) ?? 60,
      asks: request.query["again"] != "never")
    let item = try item(beginning.item, beginning.catalogs)
    guard daemon.captions.add(session) else { throw .busy("Too many captions run already.") }
    exchange.whenGone { session.take(.gone) }
    exchange.answer(.events(session.queue))
    Thread.detachNewThread {
      var run = CaptionsRun(
        session: session, beginning: beginning, wish: wish, item: item.item, path: item.path)
      run.run()
    }
  }

  /// Changes captions that run.
  func change(_ listening: String) throws(ProblemDetails) -> HTTPAnswer {
    let change = try Router.decode(request, as: CaptionsChange.self)
    for value in [change.shift, change.position, change.speed].compactMap({ $0 }) {
      guard value.isFinite, abs(value) <= 1_000_000 else {
        throw .unprocessable("number", "A number is out of range.")
      }
    }
    guard (0...2).contains(change.speed ?? 1) else {
      throw .unprocessable("speed", "The speed has to be from 0 to 2.")
    }
    guard let session = daemon.captions.session(listening, of: try owner()) else {
      throw .notFound("No captions of this program have that id.")
    }
    session.take(.changed(change))
    return .json(DoneMessage())
  }

  private func owner() throws(ProblemDetails) -> CaptionsOwner {
    if let visitor { return CaptionsOwner(requester: visitor.requester, peer: request.peer) }
    guard let requester = daemon.requesters.requester(for: request.peer) else {
      throw .unprocessable("unidentified", "The program that asks could not be told for certain.")
    }
    return CaptionsOwner(requester: requester, peer: request.peer)
  }

  private func heard(
    _ listening: String, of owner: CaptionsOwner
  ) throws(ProblemDetails) -> CaptionsBeginning {
    guard let place = daemon.captions.takePlace(listening, of: owner),
      let match = place.result.matches.first
    else {
      throw .notFound(
        "No listening of that id found a place in the last minute, or its captions have begun.")
    }
    return CaptionsBeginning(
      item: match.id, catalogs: place.catalogs, source: place.request.source,
      place: .heard(CaptionsRun.answer(place.result)))
  }

  private func byHand() throws(ProblemDetails) -> CaptionsBeginning {
    guard let item = request.query["item"] else { throw .malformed("\"item\" is missing.") }
    let shelf = CatalogShelf(
      configured: daemon.configuration.catalogs, folder: daemon.paths.catalogs)
    let catalogs: [String]
    do throws(ListenStop) {
      catalogs = try shelf.paths(for: request.query["catalog"].map { [$0] } ?? [])
    } catch {
      throw .notFound("No catalog has that name.")
    }
    return CaptionsBeginning(
      item: item, catalogs: catalogs, source: nil,
      place: .hand(
        position: try number("at", 0...3_600_000) ?? 0, speed: try number("speed", 0...2) ?? 1))
  }

  private func item(
    _ identifier: String, _ catalogs: [String]
  ) throws(ProblemDetails) -> (item: CaptionedItem, path: String) {
    do throws(CatalogError) {
      if let found = try CaptionsRun.item(identifier, catalogs) { return found }
    } catch {
      let explanation = Explanation.catalog(error)
      throw .conflict(explanation.reason, explanation.happened)
    }
    throw .notFound("No catalog has an item of that id.")
  }

  private func number(
    _ name: String, _ range: ClosedRange<Double>
  ) throws(ProblemDetails) -> Double? {
    guard let text = request.query[name] else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw .unprocessable(
        name, "\"\(name)\" has to be a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}
