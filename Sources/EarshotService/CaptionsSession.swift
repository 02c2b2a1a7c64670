internal import EarshotCaptions
internal import EarshotClient
internal import EarshotConsent
internal import Synchronization

/// What captions begin with.
struct CaptionsBeginning: Sendable {
  /// Where the place comes from.
  enum Place: Sendable {
    case heard(CaptionFollower.Answer)
    case hand(position: Double, speed: Double)
  }

  var item: String
  /// The paths of the catalogs that are listened for.
  var catalogs: [String]
  /// The source of the first listening, for those that follow.
  var source: String?
  var place: Place
}

/// What whoever asked for captions wishes.
struct CaptionsWish: Sendable {
  var language: String
  /// The longest time between two listenings, in seconds.
  var checkInterval: Double
  /// Whether the person may be asked for listening by itself (rule B7).
  var asks: Bool
}

/// Captions that run, as everybody else sees them: an inbox, and the queue of their events.
///
/// Whoever tells them something only marks and wakes; all is done on the captions' own thread.
final class CaptionsSession: Sendable {
  /// What captions are told.
  enum Arrival: Sendable {
    /// An event of a listening; by a press of the person, or by itself.
    case listened(ListenEvent, byPress: Bool)
    /// The person was asked, in the prompt of this id.
    case asked(prompt: String)
    /// The person was asked and has answered, or the question went away.
    case answered
    case changed(CaptionsChange)
    /// Whoever follows has gone, or the daemon stops.
    case gone
  }

  let id: String
  let owner: CaptionsOwner
  let daemon: DaemonState
  let peer: Peer
  let isAgent: Bool
  /// The kiosk's visitor who reads them; nil for every program.
  let visit: KioskVisit?
  let queue = EventQueue()
  private let inbox = Mutex<[Arrival]>([])
  private let wake: WakePipe

  /// Arrivals that may wait; a captions thread takes them within moments.
  private static let inboxMax = 256

  init(
    id: String, owner: CaptionsOwner, daemon: DaemonState, peer: Peer, isAgent: Bool,
    visit: KioskVisit? = nil
  ) throws(ServiceError) {
    self.id = id
    self.owner = owner
    self.daemon = daemon
    self.peer = peer
    self.isAgent = isAgent
    self.visit = visit
    wake = try WakePipe()
  }

  /// What 'Allow While Captions Are On' is bound to: these captions alone (rule B7).
  var consentSession: String { "captions:" + id }

  /// Tells the captions something; never blocks. Levels are dropped where too much waits.
  func take(_ arrival: Arrival) {
    inbox.withLock { inbox in
      if inbox.count >= Self.inboxMax, case .listened(.level, _) = arrival { return }
      inbox.append(arrival)
    }
    wake.wake()
  }

  /// Where the events of a listening go that the person's own press began.
  var takesPress: @Sendable (ListenEvent) -> Void {
    { [self] event in take(.listened(event, byPress: true)) }
  }

  /// Takes what has arrived, after at most so long.
  func arrivals(waitingAtMost seconds: Double) -> [Arrival] {
    wake.wait(milliseconds: Int32(min(max(seconds * 1000, 0), 1000).rounded(.up)))
    return inbox.withLock { inbox in
      defer { inbox = [] }
      return inbox
    }
  }
}
