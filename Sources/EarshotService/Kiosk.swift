internal import EarshotConsent
internal import EarshotLibrary
internal import Foundation
internal import Synchronization

/// The page's side of the daemon: who may use it, the visit that is on, and its own prompts.
///
/// Visitors' prompts have a desk of their own: they are shown on the page and nowhere else, and the
/// page is shown no others.
final class Kiosk: Sendable {
  private struct State {
    var visit: KioskVisit?
    /// When the visitor last touched the page, by the monotonic clock in seconds.
    var lastTouch = 0.0
    /// How long the visit may be idle.
    var idleSeconds = ServiceLimits.visitIdleSeconds
    /// Since when no page is connected; nil while one is.
    var lostSince: Double?
    /// Presses that may still be used, and when each was made.
    var presses: [String: Double] = [:]
    /// What the browser found wrong with the button; nil while it can be read (rule B6).
    var buttonFault: String?
  }

  let setup: KioskSetup
  let access: KioskAccess
  let desk: PromptDesk
  /// The daemon's own process, which is what asks for a visitor.
  let peer: Peer
  private let state = Mutex(State())

  /// The one person whom the kiosk's desk asks: whoever stands before the page.
  static let deskUser: UInt32 = 0

  init(setup: KioskSetup, access: KioskAccess, peer: Peer) {
    self.setup = setup
    self.access = access
    self.peer = peer
    // Dismissals are not counted: each visitor's press is on an agent's surface (rule C7).
    desk = PromptDesk(makeIdentifier: { UUID().uuidString.lowercased() }, dismissed: { _ in })
  }

  /// The page as records name it, for one visit.
  func requester(of visit: KioskVisit) -> Requester {
    Requester(
      person: visit.person, identification: .page, name: setup.name,
      executable: peer.executable ?? "earshotd")
  }

  // MARK: Visits

  /// The visit that is on.
  var visit: KioskVisit? { state.withLock { $0.visit } }

  /// The visit that is on, or a new one; the page asks with the visitor's first touch (rule K1).
  func beginVisit() -> KioskVisit {
    state.withLock { state in
      state.lastTouch = Clock.monotonicSeconds()
      if let visit = state.visit { return visit }
      let visit = KioskVisit()
      state.visit = visit
      state.idleSeconds = ServiceLimits.visitIdleSeconds
      return visit
    }
  }

  /// Notes that the visitor is there; captions make the visit patient (rule K1).
  func touch(hasCaptions: Bool) {
    state.withLock { state in
      state.lastTouch = Clock.monotonicSeconds()
      state.idleSeconds =
        hasCaptions ? ServiceLimits.captionIdleSeconds : ServiceLimits.visitIdleSeconds
    }
  }

  /// Takes the visit away from the page, for whoever ends it.
  func takeVisit() -> KioskVisit? {
    state.withLock { state in
      state.presses = [:]
      return state.visit.take()
    }
  }

  /// Whether the visit is over by itself: idle for too long, or the page lost.
  ///
  /// The page ends an idle visit; this is for pages that do not.
  func isVisitOver(now: Double) -> Bool {
    let hasPage = desk.agentCount(user: Self.deskUser) > 0
    return state.withLock { state in
      state.lostSince = hasPage ? nil : state.lostSince ?? now
      guard state.visit != nil else { return false }
      if let lost = state.lostSince, now - lost >= ServiceLimits.pageLostSeconds { return true }
      return now - state.lastTouch >= state.idleSeconds + ServiceLimits.visitGraceSeconds
    }
  }

  // MARK: Presses (rule B1)

  /// A name for one press; it counts once, within two seconds.
  func makePress() -> String {
    let name = UUID().uuidString.lowercased()
    let now = Clock.monotonicSeconds()
    state.withLock { state in
      state.presses = state.presses.filter { now - $0.value <= ServiceLimits.pressSeconds }
      if state.presses.count < ServiceLimits.presses { state.presses[name] = now }
    }
    return name
  }

  /// Whether a press may still be used; it is used with this.
  func spendPress(_ name: String) -> Bool {
    let now = Clock.monotonicSeconds()
    return state.withLock { state in
      guard let made = state.presses.removeValue(forKey: name) else { return false }
      return now - made <= ServiceLimits.pressSeconds
    }
  }

  // MARK: The button (rule B6)

  /// Why the button grants nothing; nil where it can be read.
  var buttonFault: String? {
    setup.theme.faults.first ?? state.withLock { $0.buttonFault }
  }

  /// Takes what the browser found; true where that is new.
  func noteButton(fault: String?) -> Bool {
    state.withLock { state in
      defer { state.buttonFault = fault }
      return state.buttonFault != fault
    }
  }
}
