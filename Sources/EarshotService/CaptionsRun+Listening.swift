internal import EarshotCaptions
internal import EarshotClient
internal import EarshotConsent
internal import Foundation

/// Listening again while captions are on: only with the person's leave, each time a use of its own.
extension CaptionsRun {
  /// The purpose that captions listen for by themselves.
  private static let purpose = "captions"

  /// Asks once, when captions start, whether listening may go on by itself (rule B7).
  mutating func settleConsent() {
    guard let listening = makeListening(order: nil, control: nil) else { return }
    let question = listening.makeQuestion(source: source)
    switch try? listening.status(of: question) {
    case .allowed(_, let scope) where scope != .once:
      follower.consent = .whileOn
      return
    case .undetermined: break
    default: return
    }
    guard wish.asks, let control = try? ListeningControl(requester: session.owner.requester) else {
      return
    }
    asking = control
    let session = session
    Thread.detachNewThread {
      let answer = listening.desk.ask(
        question, Prompt(for: question, offering: [.allowWhileCaptions, .deny]),
        user: listening.deskUser, control: control,
        shown: { session.take(.asked(prompt: $0)) })
      if case .choice(.allowWhileCaptions) = answer,
        case .allowed(let consent, .whileCaptions) = try? session.daemon.ledger.status(of: question)
      {
        session.daemon.captions.rests(on: consent, session: session.consentSession)
      }
      session.take(.answered)
    }
  }

  /// Whether the person allows listening by itself now.
  var isAllowed: Bool {
    guard let listening = makeListening(order: nil, control: nil) else { return false }
    let status = try? listening.status(of: listening.makeQuestion(source: source))
    if case .allowed(_, let scope) = status { return scope != .once }
    return false
  }

  /// Begins a listening where the follower asks for one.
  mutating func listen(_ reading: ClockReading) {
    guard isHeard, listening == nil, follower.consent == .whileOn,
      let order = follower.order(at: reading.seconds)
    else { return }
    // A consent that was withdrawn meanwhile is not asked for again (rule C8).
    guard isAllowed, let control = try? ListeningControl(requester: session.owner.requester),
      let next = makeListening(order: order, control: control)
    else {
      follower.consent = .onceEach
      return
    }
    guard session.daemon.listenings.add(control) else { return }
    listening = control
    Thread.detachNewThread { next.run() }
  }

  private var source: String {
    beginning.source ?? session.daemon.configuration.source
  }

  private func makeListening(
    order: CaptionFollower.Order?, control: ListeningControl?
  ) -> Listening? {
    let daemon = session.daemon
    guard let purpose = daemon.purposes.purpose(Self.purpose),
      let control = try? control ?? ListeningControl(requester: session.owner.requester)
    else { return nil }
    let expected = order?.expected.map {
      ListenRequest.Expected(
        id: $0.item, offset: $0.place.position, speed: $0.place.speed,
        monotonic: UInt64(max(0, $0.place.time) * 1e9), within: $0.place.within,
        confirmsOnly: $0.place.confirmsOnly ? true : nil)
    }
    let request = ListenRequest(
      catalogs: beginning.catalogs, purpose: Self.purpose, goal: .place, expected: expected,
      limit: CaptionFollower.searchLimit, source: beginning.source, language: wish.language,
      patience: order?.limit, captions: session.id)
    let session = session
    return Listening(
      daemon: daemon, request: request, peer: session.peer, requester: session.owner.requester,
      isAgent: session.isAgent, purpose: purpose, control: control,
      sink: ListenSink(forward: { session.take(.listened($0, byPress: false)) }),
      captionsSession: session.consentSession, visit: session.visit)
  }

  /// A result as the follower takes it.
  static func answer(_ result: ListenResult) -> CaptionFollower.Answer {
    CaptionFollower.Answer(
      outcome: result.outcome.rawValue, reason: result.explanation?.reason,
      retryAfter: result.explanation?.retryAfter, heard: result.heard,
      firstSampleNanoseconds: result.firstSampleMonotonicNanoseconds,
      places: result.matches.flatMap { match in
        (match.places ?? [match.offset]).map { offset in
          CaptionFollower.Answer.Place(item: match.id, offset: offset, speed: match.speed)
        }
      })
  }
}
