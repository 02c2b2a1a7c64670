internal import EarshotClient
internal import EarshotConsent
internal import EarshotLibrary
internal import Foundation
internal import Synchronization

/// What all requests share: settings that don't change while it runs, and the daemon's rooms.
final class DaemonState: Sendable {
  let configuration: Configuration
  let administrator: AdministratorFile
  let paths: ServicePaths
  let isPrivate: Bool
  let language: PromptLanguage
  let purposes: PurposeList
  let ledger: Ledger
  let library: MatchLibrary
  let requesters: Requesters
  let spawner = WorkerSpawner()
  let hub = EventHub()
  let desk: PromptDesk
  /// The kiosk's page, where one is served.
  let kiosk: Kiosk?
  let listenings = Listenings()
  let matchings = Matchings()
  let captions = CaptionsDesk()
  let log: ServiceLog
  let microphoneSwitch: MicrophoneSwitch
  /// Reads and writes of the ledger and the library, one after the other, off the server's thread.
  let requests = DispatchQueue(label: "earshot.requests")
  /// What may take long: checking and exporting the ledger, asking for devices.
  let slowRequests = DispatchQueue(label: "earshot.slow-requests")
  /// Closing records that could not be written yet; tried again while the daemon runs.
  let unwrittenClosings = Mutex<[String: UseFacts]>([:])

  init(
    configuration: Configuration, administrator: AdministratorFile, paths: ServicePaths,
    isPrivate: Bool, language: PromptLanguage, purposes: PurposeList, ledger: Ledger,
    library: MatchLibrary, requesters: Requesters, log: ServiceLog,
    microphoneSwitch: MicrophoneSwitch, kiosk: Kiosk? = nil
  ) {
    self.microphoneSwitch = microphoneSwitch
    self.configuration = configuration
    self.administrator = administrator
    self.paths = paths
    self.isPrivate = isPrivate
    self.language = language
    self.purposes = purposes
    self.ledger = ledger
    self.library = library
    self.requesters = requesters
    self.log = log
    self.kiosk = kiosk
    let requests = requests
    desk = PromptDesk(
      makeIdentifier: { UUID().uuidString.lowercased() },
      dismissed: { question in
        guard question.capability == .microphone else { return }
        // The queue is serial, and whoever was dismissed asks again through it: counted first.
        requests.async {
          do { try ledger.noteDismissal(of: question) } catch { log.ledgerFailed("dismissal") }
        }
      })
  }

  /// Whether this is the system's service, whose settings are not a person's.
  var isSystem: Bool { paths.isSystem }

  /// Why the microphone is restricted, whoever asks; nil where it is not.
  var restriction: Explanation? {
    if administrator.isMicrophoneForbidden { return .forbidden }
    return microphoneSwitch.forbidding.map { .restricted($0.rawValue) }
  }

  /// The longest listening that may be asked for, in seconds (rule L9).
  var limitMax: Double { min(administrator.limit, ServiceLimits.listenSeconds) }

  /// Takes out records that are kept no longer; one that can't be taken out now waits (rule R7).
  func sealOldRecords() {
    do throws(LedgerError) {
      try ledger.seal(Ledger.Retention(usesDays: configuration.keepUsesDays))
    } catch {
      log.ledgerFailed("checkpoint")
    }
  }

  /// Writes closing records that a full disk held up.
  func retryClosings() {
    for (use, facts) in unwrittenClosings.withLock({ $0 }) {
      do {
        try ledger.closeUse(use, facts)
        unwrittenClosings.withLock { $0[use] = nil }
      } catch LedgerError.useClosed {
        unwrittenClosings.withLock { $0[use] = nil }
      } catch {
        log.ledgerFailed("closing")
      }
    }
  }
}

/// The listenings that run, so that they can be ended from outside.
final class Listenings: Sendable {
  private struct State {
    var running: [ObjectIdentifier: ListeningControl] = [:]
    var isStopping = false
  }

  private let state = Mutex(State())

  /// Adds one; false where there are too many or the daemon stops.
  func add(_ control: ListeningControl) -> Bool {
    state.withLock { state in
      guard !state.isStopping, state.running.count < ServiceLimits.listenings else { return false }
      state.running[ObjectIdentifier(control)] = control
      return true
    }
  }

  func remove(_ control: ListeningControl) {
    _ = state.withLock { $0.running.removeValue(forKey: ObjectIdentifier(control)) }
  }

  /// Whether one runs that is meant.
  func has(_ isMeant: (ListeningControl) -> Bool) -> Bool {
    state.withLock { Array($0.running.values) }.contains(where: isMeant)
  }

  /// Ends those that are meant.
  func end(_ reason: ListeningControl.Reason, where isMeant: (ListeningControl) -> Bool) {
    let running = state.withLock { Array($0.running.values) }
    for control in running where isMeant(control) { control.cancel(reason) }
  }

  var count: Int { state.withLock { $0.running.count } }

  /// Ends the one of a person that has this use; false where there is none.
  func stop(use: String, of person: Person) -> Bool {
    let found = state.withLock { state in
      state.running.values.first { $0.use == use && $0.requester.person == person }
    }
    found?.cancel(.stopped)
    return found != nil
  }

  /// Ends those whose consent was taken away (rule L7).
  func revoke(_ isMeant: (ListeningControl) -> Bool) {
    let running = state.withLock { Array($0.running.values) }
    for control in running where isMeant(control) { control.cancel(.revoked) }
  }

  /// Ends all of them, because the desktop's switch is off; more may come once it is on.
  func restrict() {
    let running = state.withLock { Array($0.running.values) }
    for control in running { control.cancel(.restricted) }
  }

  /// Ends all, and takes no more.
  func stop() {
    let all = state.withLock { state in
      state.isStopping = true
      return Array(state.running.values)
    }
    for control in all { control.cancel(.daemonStopping) }
  }
}
