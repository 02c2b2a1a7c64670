internal import CSystemd
internal import EarshotClient
internal import EarshotConsent
internal import EarshotLibrary
internal import Foundation
internal import Glibc

/// The daemon's life: settings, locks, serving, and the stop that closes microphones first.
public enum Daemon {
  /// Runs the daemon until it is told to stop; returns the process's status.
  ///
  /// 0 stopped as told, 64 wrong command line, 69 another daemon runs, 71 the system refused,
  /// 74 the state folder can't be used, 78 wrong settings. It must be the first thing the process
  /// does: the signals that stop it are blocked before any thread exists.
  public static func run(arguments: [String]) -> Int32 {
    let signals = StopSignals()
    umask(0o077)
    let log = ServiceLog(tellsLevels: ProcessInfo.processInfo.environment["JOURNAL_STREAM"] != nil)
    if arguments.first == "--lint" {
      return FileLint.run(Array(arguments.dropFirst())) { _ = say($0 + "\n") }
    }
    do throws(ServiceError) {
      let options = try ServiceOptions(arguments: arguments)
      if options.wantsHelp { return say(ServiceOptions.help) }
      if options.wantsVersion { return say("earshotd \(DaemonVersion.text)\n") }
      let settings = try Settings(options: options)
      if options.isCheck { return check(settings) }
      return try serve(settings, signals, log)
    } catch {
      if case .configuration(let faults) = error, arguments.contains("--check") {
        for fault in faults { _ = say("\(fault.file):\(fault.line): \(fault.text)\n") }
      } else {
        log.error(error.text)
      }
      return error.exitStatus
    }
  }

  private static func say(_ text: String) -> Int32 {
    let bytes = Array(text.utf8)
    // A closed pipe is no fault of the daemon's.
    _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
    return 0
  }

  /// The settings could be read; what is left is whether a visitor can read the button (rule B6).
  private static func check(_ settings: Settings) -> Int32 {
    let faults = settings.kiosk?.theme.faults ?? []
    guard let setup = settings.kiosk, !faults.isEmpty else {
      return say("The settings are right.\n")
    }
    for fault in faults { _ = say("\(setup.themeName): \(fault)\n") }
    return 78
  }

  private static func serve(
    _ settings: Settings, _ signals: StopSignals, _ log: ServiceLog
  ) throws(ServiceError) -> Int32 {
    if let fault = settings.paths.runtimeFault, settings.options.socket == nil {
      log.notice(fault.text)
    }
    try Folders.makePrivate(settings.paths.state, role: "state folder")
    let lock = try StateLock(folder: settings.paths.state)
    let page = try KioskPage.open(settings)
    let daemon = try makeState(settings, log, page?.kiosk)
    daemon.sealOldRecords()
    daemon.endOldCaptions()
    if daemon.kiosk != nil { daemon.forgetLostVisits() }
    let listening = try ListeningSocket.open(settings.paths.socket)
    let watch = try ClientWatch()
    let parent = getppid()
    let isPrivate = settings.options.isPrivate
    let router = Router(daemon: daemon)
    let server = HTTPServer(
      watch: watch, admit: { peer in !isPrivate || peer.process == parent },
      takeSound: { (exchange) throws(ProblemDetails) in try router.takeSound(exchange) },
      handle: { router.handle($0) })
    watch.start()
    daemon.spawner.start()
    daemon.microphoneSwitch.start { daemon.listenings.restrict() }
    try server.start(listening: listening.descriptor)
    let pageServer = try page?.serve(daemon, watch)
    if isPrivate { endWithStandardInput() }
    _ = unsafe sd_notify(0, "READY=1\nSTATUS=Ready; the microphone is closed.")
    log.notice("ready, process \(getpid())")
    var pulse = Pulse()
    while !signals.wait(milliseconds: 500) {
      pulse.beat(daemon, [server, pageServer].compactMap { $0 })
    }
    stop(daemon, [pageServer, server].compactMap { $0 }, log)
    // Both live until here: the socket's file and the lock go last.
    _ = listening.descriptor
    withExtendedLifetime(lock) {}
    withExtendedLifetime(page) {}
    return 0
  }

  /// Closes microphones first, completes their records, then ends the streams; within 2 s.
  private static func stop(_ daemon: DaemonState, _ servers: [HTTPServer], _ log: ServiceLog) {
    _ = unsafe sd_notify(0, "STOPPING=1")
    daemon.listenings.stop()
    daemon.captions.stop()
    let deadline = Clock.monotonicSeconds() + 1.2
    while daemon.listenings.count + daemon.captions.count > 0 && Clock.monotonicSeconds() < deadline
    { usleep(2_000) }
    daemon.retryClosings()
    daemon.hub.stop()
    for server in servers where !server.stop(seconds: 0.5) {
      log.error("some requests had no answer at the end")
    }
    log.notice("stopped")
  }

  /// A private daemon ends with its requester, whose end of the pipe the kernel closes.
  private static func endWithStandardInput() {
    Thread.detachNewThread {
      var bytes = [UInt8](repeating: 0, count: 256)
      while true {
        let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
        if count > 0 || (count < 0 && errno == EINTR) { continue }
        kill(getpid(), SIGTERM)
        return
      }
    }
  }

  private static func makeState(
    _ settings: Settings, _ log: ServiceLog, _ kiosk: Kiosk?
  ) throws(ServiceError) -> DaemonState {
    let controller = settings.configuration.controller
    let ledger: Ledger
    let library: MatchLibrary
    do throws(LedgerError) {
      ledger = try Ledger(
        folder: settings.paths.state + "/ledger",
        controller: Controller(
          name: controller?.name ?? "The user of this computer",
          contact: controller?.contact ?? "On this computer: earshot consent list"),
        policy: Ledger.Policy(
          keepsAcrossUpdates: settings.administrator.keepsConsentOnUpdate))
    } catch .inUse {
      throw .anotherDaemon(process: 0)
    } catch {
      throw .ledger(detail: "\(error)")
    }
    do throws(LibraryError) {
      library = try MatchLibrary(path: settings.paths.state + "/library.sqlite")
    } catch {
      throw .ledger(detail: "\(error)")
    }
    return DaemonState(
      configuration: settings.configuration, administrator: settings.administrator,
      paths: settings.paths, isPrivate: settings.options.isPrivate,
      language: PromptLanguage(environment: ProcessInfo.processInfo.environment),
      purposes: settings.purposes, ledger: ledger, library: library,
      requesters: Requesters(
        agentPaths: settings.agentPaths, agentUnits: settings.administrator.agentUnits), log: log,
      // The system's service has no desktop whose switch it could follow.
      microphoneSwitch: MicrophoneSwitch(
        environment: settings.options.isSystem ? [:] : ProcessInfo.processInfo.environment),
      kiosk: kiosk)
  }
}

/// What is done now and then while the daemon runs.
private struct Pulse {
  private var lastHeartbeat = Clock.monotonicSeconds()
  private var lastRetry = Clock.monotonicSeconds()
  private var lastSealing = Clock.monotonicSeconds()
  private var lastWatchdog = 0.0
  private let watchdogSeconds: Double?
  private let liveness = Liveness()

  init() {
    var microseconds: UInt64 = 0
    watchdogSeconds =
      unsafe sd_watchdog_enabled(0, &microseconds) > 0 ? Double(microseconds) / 2e6 : nil
  }

  mutating func beat(_ daemon: DaemonState, _ servers: [HTTPServer]) {
    let now = Clock.monotonicSeconds()
    if daemon.kiosk?.isVisitOver(now: now) == true {
      daemon.slowRequests.async { daemon.endVisit() }
    }
    if now - lastHeartbeat >= ServiceLimits.heartbeatSeconds {
      lastHeartbeat = now
      for server in servers { server.pushHeartbeats() }
    }
    daemon.captions.endLost(daemon)
    if now - lastRetry >= 10 {
      lastRetry = now
      daemon.retryClosings()
    }
    if now - lastSealing >= 86_400 {
      lastSealing = now
      // Writing the ledger anew may take its time, and the signals that stop must not wait for it.
      daemon.slowRequests.async { daemon.sealOldRecords() }
    }
    guard let watchdogSeconds, now - lastWatchdog >= watchdogSeconds / 2 else { return }
    lastWatchdog = now
    // Only a daemon whose requests are answered is alive: a stuck one is started anew by systemd.
    if liveness.isAlive(within: watchdogSeconds) { _ = unsafe sd_notify(0, "WATCHDOG=1") }
    let liveness = liveness
    daemon.requests.async { liveness.note() }
  }
}
