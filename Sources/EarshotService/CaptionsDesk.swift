internal import EarshotClient
internal import EarshotConsent
internal import Foundation
internal import Synchronization

/// Whose captions they are: nobody else sees, changes or ends them.
struct CaptionsOwner: Sendable, Hashable {
  var requester: Requester
  var process: Int32
  var startTime: UInt64?

  init(requester: Requester, peer: Peer) {
    self.requester = requester
    process = peer.process
    startTime = peer.startTime
  }

  /// What 'Allow While Captions Are On' is bound to where the process itself shows the captions.
  var processSession: String? { startTime.map { "process:\(process):\($0)" } }

  /// Whether a process that a session is bound to has ended; nil where it is bound to none.
  static func hasEnded(session: String) -> Bool? {
    let parts = session.split(separator: ":")
    guard parts.count == 3, parts[0] == "process", let process = Int32(parts[1]),
      let start = UInt64(parts[2])
    else { return nil }
    return Peer.startTime(of: process) != start
  }
}

/// A place that was found and waits for its captions.
struct FoundPlace: Sendable {
  var owner: CaptionsOwner
  var result: ListenResult
  var request: ListenRequest
  var catalogs: [String]
  /// When it was found, in seconds of the monotonic clock.
  var time: Double
}

/// The captions that run, and the places that were found for captions that are not asked for yet.
///
/// A found place is kept for a minute at most and only once, so that it is no history (rule S5).
final class CaptionsDesk: Sendable {
  private struct State {
    var places: [String: FoundPlace] = [:]
    var running: [String: CaptionsSession] = [:]
    /// Sessions by the consents that are bound to them.
    var consents: [String: String] = [:]
    var isStopping = false
  }

  private let state = Mutex(State())

  /// Keeps a place that a listening found, where it asked for one and found just one.
  func keep(_ result: ListenResult, of listening: Listening, catalogs: [String]) {
    guard listening.request.goal == .place, listening.request.captions == nil,
      !listening.request.whileCaptions, result.outcome == .match, let use = result.use
    else { return }
    let now = Clock.monotonicSeconds()
    let place = FoundPlace(
      owner: CaptionsOwner(requester: listening.requester, peer: listening.peer), result: result,
      request: listening.request, catalogs: catalogs, time: now)
    state.withLock { state in
      state.places = state.places.filter { now - $0.value.time < ServiceLimits.keptPlaceSeconds }
      if state.places.count >= ServiceLimits.keptPlaces,
        let oldest = state.places.min(by: { $0.value.time < $1.value.time })
      {
        state.places[oldest.key] = nil
      }
      state.places[use] = place
    }
  }

  /// Takes a found place out of here; nil where there is none, or it is somebody else's.
  func takePlace(_ use: String, of owner: CaptionsOwner) -> FoundPlace? {
    let now = Clock.monotonicSeconds()
    return state.withLock { state in
      guard let place = state.places[use], place.owner == owner else { return nil }
      state.places[use] = nil
      return now - place.time < ServiceLimits.keptPlaceSeconds ? place : nil
    }
  }

  /// Adds captions that begin to run; false where there are too many or the daemon stops.
  func add(_ session: CaptionsSession) -> Bool {
    state.withLock { state in
      guard !state.isStopping, state.running.count < ServiceLimits.captions else { return false }
      state.running[session.id] = session
      return true
    }
  }

  func remove(_ session: CaptionsSession) {
    _ = state.withLock { $0.running.removeValue(forKey: session.id) }
  }

  /// Captions that run, by their id, for their owner.
  func session(_ id: String, of owner: CaptionsOwner) -> CaptionsSession? {
    state.withLock { $0.running[id].flatMap { $0.owner == owner ? $0 : nil } }
  }

  /// Ends what runs, and forgets what was found, for one person: a kiosk's visit is over (rule K2).
  func end(ownedBy person: Person) {
    let running = state.withLock { state in
      state.places = state.places.filter { $0.value.owner.requester.person != person }
      return state.running.values.filter { $0.owner.requester.person == person }
    }
    for session in running { session.take(.gone) }
  }

  /// How many run.
  var count: Int { state.withLock { $0.running.count } }

  /// Ends all that run, and begins no more.
  func stop() {
    let running = state.withLock { state in
      state.isStopping = true
      state.places = [:]
      return Array(state.running.values)
    }
    for session in running { session.take(.gone) }
  }

  // MARK: Consents that end with captions

  /// Notes that a consent may be bound to captions, so that it is ended with them (rule B7).
  func rests(on consent: String, session: String) {
    state.withLock { $0.consents[consent] = session }
  }

  /// Forgets places that were kept too long, and ends the consents of programs that have ended.
  func endLost(_ daemon: DaemonState) {
    let now = Clock.monotonicSeconds()
    let lost = state.withLock { state -> [String] in
      state.places = state.places.filter { now - $0.value.time < ServiceLimits.keptPlaceSeconds }
      let lost = state.consents.filter { CaptionsOwner.hasEnded(session: $0.value) == true }
      for consent in lost.keys { state.consents[consent] = nil }
      return Array(lost.keys)
    }
    guard !lost.isEmpty else { return }
    daemon.requests.async { for consent in lost { daemon.endCaptionsConsent(consent) } }
  }

  /// Ends the consents that are bound to captions that are over.
  func end(session: String, _ daemon: DaemonState) {
    let ended = state.withLock { state -> [String] in
      let ended = state.consents.filter { $0.value == session }.map(\.key)
      for consent in ended { state.consents[consent] = nil }
      return ended
    }
    for consent in ended { daemon.endCaptionsConsent(consent) }
  }
}

extension DaemonState {
  /// Records that a consent has ended with its captions, where it is one of those (rule B7).
  func endCaptionsConsent(_ id: String) {
    do throws(LedgerError) {
      let entry = try ledger.consent(id)
      guard case .whileCaptions = entry.record.scope, entry.withdrawal == nil else { return }
      try ledger.withdraw(id, reason: .sessionEnded, means: entry.record.event.means)
    } catch {
      log.ledgerFailed("end of captions")
    }
  }

  /// Ends what an earlier daemon left standing: its captions ended with it, or their program has.
  func endOldCaptions() {
    do throws(LedgerError) {
      for record in try ledger.currentChoices() {
        guard case .whileCaptions(let session) = record.scope else { continue }
        if CaptionsOwner.hasEnded(session: session) == false {
          captions.rests(on: record.id, session: session)
        } else {
          endCaptionsConsent(record.id)
        }
      }
    } catch {
      log.ledgerFailed("end of captions")
    }
  }
}
