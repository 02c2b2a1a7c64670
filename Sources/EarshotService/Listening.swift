internal import EarshotClient
internal import EarshotConsent
internal import EarshotLibrary
internal import Foundation

/// One listening from its request to its answer, on a thread of its own, step by step as
/// 'What listen does, in order' has it. Every wait has a deadline and ends when it is cancelled.
struct Listening: Sendable {
  let daemon: DaemonState
  let request: ListenRequest
  let peer: Peer
  let requester: Requester
  let isAgent: Bool
  let purpose: Purpose
  let control: ListeningControl
  let sink: ListenSink
  /// The captions that it belongs to, and that 'Allow While Captions Are On' is bound to (rule B7).
  var captionsSession: String?
  /// The kiosk's visitor who pressed the button; nil for every program.
  var visit: KioskVisit?

  /// Runs it to its end.
  func run() {
    var result: ListenResult
    do throws(ListenStop) {
      result = try conduct()
    } catch {
      result = error.result()
    }
    daemon.log.notice("a listening ended: \(result.outcome.rawValue)")
    sink.deliver(result)
    if result.outcome == .match, request.save == .ask { offerSaving(&result) }
    daemon.listenings.remove(control)
    sink.end(result)
  }

  private func conduct() throws(ListenStop) -> ListenResult {
    try checkCancelled()
    if let restriction = daemon.restriction { throw .denied(restriction) }
    let source = request.source ?? daemon.configuration.source
    guard daemon.configuration.sources.contains(source) else { throw .error(.unknownSource) }
    let shelf = CatalogShelf(
      configured: daemon.configuration.catalogs, folder: daemon.paths.catalogs)
    let catalogs = try shelf.paths(for: request.catalogs)
    try shelf.check(catalogs)
    let question = makeQuestion(source: source)
    guard daemon.administrator.mayListenUnseen || hasSurface else {
      throw .denied(desk.agentCount(user: deskUser) == 0 ? try unseen(question) : .unseen)
    }
    let consent = try obtainConsent(question)
    control.rests(on: consent)
    if let captionsSession { daemon.captions.rests(on: consent, session: captionsSession) }
    let result = try useMicrophone(question, consent: consent, catalogs: catalogs)
    daemon.captions.keep(result, of: self, catalogs: catalogs)
    return result
  }

  /// Where the person is asked: a visitor on the page, everybody else through the agents.
  var desk: PromptDesk { visit == nil ? daemon.desk : daemon.kiosk?.desk ?? daemon.desk }
  var deskUser: UInt32 { visit == nil ? peer.user : Kiosk.deskUser }

  /// Whether anything shows that the microphone is open (rule L4).
  var hasSurface: Bool {
    if visit != nil { return desk.hasSurface(user: deskUser) }
    return daemon.desk.hasSurface(user: peer.user) || daemon.hub.hasSurface(user: peer.user)
      || (isAgent && sink.isStream && ProcessFacts(peer.process)?.isStopped != true)
  }

  /// Without a surface there is nobody to ask either, which is what has to be told first (C10).
  private func unseen(_ question: ConsentQuestion) throws(ListenStop) -> Explanation {
    switch try status(of: question) {
    case .undetermined: .nobodyToAsk
    case .denied: .denied
    case .restricted(let reason): .restricted(reason)
    case .allowed: .unseen
    }
  }

  func makeQuestion(source: String) -> ConsentQuestion {
    let limit = min(request.limit, daemon.limitMax)
    var question = ConsentQuestion.microphone(
      requester: requester, purpose: purpose, language: language, source: source,
      goal: request.goal == .place ? .place : .identify,
      limitMilliseconds: max(1, Int((limit * 1000).rounded())),
      session: captionsSession ?? session)
    question.isForCaptions = captionsSession != nil
    return question
  }

  /// The language to ask in: the request's, else the person's (rule C12).
  var language: PromptLanguage {
    request.language.flatMap { PromptLanguage(tag: $0) } ?? daemon.language
  }

  /// What 'Allow While Open' is bound to: the requester's process. The command line has none: it
  /// ends with its answer.
  var session: String? {
    if let visit { return visit.session }
    guard !isAgent, let start = peer.startTime else { return nil }
    return "process:\(peer.process):\(start)"
  }

  /// - Throws: what ended the listening from outside.
  func checkCancelled() throws(ListenStop) {
    if let reason = control.reason { throw .cancelled(reason) }
  }

  func status(of question: ConsentQuestion) throws(ListenStop) -> ConsentStatus {
    do throws(LedgerError) {
      return try daemon.ledger.status(of: question)
    } catch {
      throw .error(.ledger(error))
    }
  }
}
