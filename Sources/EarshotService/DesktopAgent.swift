internal import EarshotClient
internal import EarshotConsent
internal import Foundation
internal import Glibc
internal import Synchronization

/// Shows the daemon's prompts as dialogs on the person's desktop, and that the microphone is open.
///
/// A role of `earshotd` in the person's session, and a listed agent. It answers nothing by itself:
/// a dialog that can't be shown, is left, or goes with its time is dismissed (rule C7).
public enum DesktopAgent {
  /// Runs until it is told to stop, or until the desktop can't be reached; the process's status.
  ///
  /// 0 stopped as told, 64 wrong command line, 69 no desktop or no zenity, 74 no folder to use.
  public static func run(arguments: [String]) -> Int32 {
    let signals = StopSignals()
    umask(0o077)
    let environment = ProcessInfo.processInfo.environment
    let log = ServiceLog(tellsLevels: environment["JOURNAL_STREAM"] != nil)
    do throws(ServiceError) {
      let session = try DesktopSession(arguments: arguments, environment: environment, log: log)
      session.start()
      log.notice("the desktop agent is ready, process \(getpid())")
      while !session.isLost && !signals.wait(milliseconds: 500) {}
      session.stop()
      return session.isLost ? 69 : 0
    } catch {
      log.error(error.text)
      return error.exitStatus
    }
  }
}

/// One run of the desktop agent.
private final class DesktopSession: Sendable {
  private struct State {
    /// The prompt that is on the screen.
    var shown: (id: String, window: any DesktopShown)?
    /// The windows that show an open microphone, by use.
    var indicators: [String: any DesktopShown] = [:]
    var isLost = false
    var isStopping = false
  }

  private let state = Mutex(State())
  private let client: DaemonClient
  private let environment: [String: String]
  /// Whether the portal's backend shows what zenity would.
  private let usesPortal: Bool
  private let language: PromptLanguage
  private let log: ServiceLog
  private let cancellation = Cancellation()

  /// Answers that come sooner than this after a dialog was started were meant for something else.
  private static let deafSeconds = 0.3
  /// Between two tries to reach the daemon, in seconds.
  private static let retrySeconds: UInt32 = 2

  /// What a dialog needs of the person's session; all else, and above all what could restyle it or
  /// load something into it, stays out.
  private static let passed = [
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
    "HOME", "GDK_SCALE", "GDK_DPI_SCALE",
  ]

  init(
    arguments: [String], environment: [String: String], log: ServiceLog
  ) throws(ServiceError) {
    var arguments = arguments
    let asksForPortal = arguments.first == "--portal"
    if asksForPortal { arguments.removeFirst() }
    let socket = try Self.socket(arguments, environment)
    let hasZenity = unsafe access(DesktopWindow.program, X_OK) == 0
    usesPortal = asksForPortal || !hasZenity
    if usesPortal {
      guard PortalBackend.isThere else {
        throw .noDesktop(cause: asksForPortal ? .noPortal : .noZenity)
      }
    } else if environment["DISPLAY"] == nil && environment["WAYLAND_DISPLAY"] == nil {
      throw .noDesktop(cause: .noDisplay)
    }
    do throws(ClientError) {
      client = try DaemonClient(socket: socket)
    } catch {
      throw .socketPathTooLong(length: socket.utf8.count, limit: DaemonClient.socketPathLimit)
    }
    let folder = Folders.parent(of: socket) + "/desktop"
    let own = environment["XDG_RUNTIME_DIR"].map { $0 + "/earshot/desktop" } ?? folder
    try DesktopStyle.write(to: own)
    var passed = environment.filter { Self.passed.contains($0.key) }
    passed["PATH"] = "/usr/bin:/bin"
    // zenity reads its arguments in the locale's own coding, and what is shown is worded already.
    passed["LC_ALL"] = "C.UTF-8"
    passed["XDG_CONFIG_HOME"] = own
    // Themes of the person's own would come from here.
    passed["XDG_DATA_HOME"] = own
    passed["GTK_THEME"] = "Adwaita"
    passed["NO_AT_BRIDGE"] = environment["DBUS_SESSION_BUS_ADDRESS"] == nil ? "1" : nil
    self.environment = passed.merging(DesktopDialog.statuses) { $1 }
    language = PromptLanguage(environment: environment)
    self.log = log
  }

  private static func socket(
    _ arguments: [String], _ environment: [String: String]
  ) throws(ServiceError) -> String {
    switch arguments.count {
    case 0:
      let usual = DaemonClient.usualSockets(environment: environment)
      return usual.first { unsafe access($0, F_OK) == 0 } ?? usual[0]
    case 2 where arguments[0] == "--socket" && !arguments[1].isEmpty: return arguments[1]
    default: throw .usage(argument: arguments[0])
    }
  }

  /// The environment of a dialog in a language, which decides between the forms of shared signs.
  private func environment(speaking language: String) -> [String: String] {
    environment.merging(["PANGO_LANGUAGE": language == "zh-Hans" ? "zh-cn" : language]) { $1 }
  }

  var isLost: Bool { state.withLock { $0.isLost } }

  func start() {
    Thread.detachNewThread { [self] in
      keepFollowing { () throws(ClientError) in
        try client.follow(
          "/v1/prompts?agent=desktop", as: PromptEvent.self, cancellation: cancellation
        ) { event in
          take(event)
          return true
        }
      }
    }
    Thread.detachNewThread { [self] in
      keepFollowing { () throws(ClientError) in
        try client.follow("/v1/events", as: DaemonEvent.self, cancellation: cancellation) { event in
          take(event)
          return true
        }
      }
    }
  }

  /// Takes everything off the screen; an open prompt is left without an answer.
  func stop() {
    state.withLock { $0.isStopping = true }
    cancellation.cancel()
    clear()
  }

  /// Follows a stream for as long as the agent runs; a daemon that restarts is found again.
  private func keepFollowing(_ follow: () throws(ClientError) -> Void) {
    var isTold = false
    while !cancellation.isCancelled {
      do throws(ClientError) {
        try follow()
        isTold = false
      } catch {
        if case .refused(let problem) = error, !isTold {
          log.error("the daemon refuses this agent: \(problem.reason ?? "\(problem.status)")")
        }
        isTold = true
      }
      clear()
      if !cancellation.isCancelled { sleep(Self.retrySeconds) }
    }
  }

  /// A lost daemon has no open microphone and no prompt that could be answered.
  private func clear() {
    let windows = state.withLock { state in
      defer {
        state.indicators = [:]
        state.shown = nil
      }
      return state.indicators.values + [state.shown?.window].compactMap { $0 }
    }
    for window in windows { window.close() }
  }

  // MARK: Prompts

  private func take(_ event: PromptEvent) {
    switch event {
    case .ready: break
    case .shown(let prompt):
      if usesPortal { showByPortal(prompt) } else { show(DesktopDialog(prompt)) }
    case .gone(let id, _):
      state.withLock { state -> (any DesktopShown)? in
        guard state.shown?.id == id else { return nil }
        defer { state.shown = nil }
        return state.shown?.window
      }?.close()
    }
  }

  private func show(_ dialog: DesktopDialog) {
    let began = Clock.monotonicSeconds()
    let id = dialog.prompt.id
    let isShown = state.withLock { state in
      let window = DesktopWindow.open(
        dialog.arguments, environment: environment(speaking: dialog.prompt.language)
      ) { [self] output, status in
        // A dialog that was taken away has no answer, whatever it printed.
        let isOurs = self.state.withLock { $0.shown?.id == id && !$0.isStopping }
        guard isOurs else { return }
        let outcome = dialog.outcome(output: output, status: status)
        let isTooSoon = Clock.monotonicSeconds() - began < Self.deafSeconds
        if case .answer = outcome, isTooSoon { return show(dialog) }
        self.state.withLock { $0.shown = nil }
        finish(outcome, id)
      }
      if let window { state.shown = (id, window) }
      return window != nil
    }
    if !isShown { finish(.failed(status: 127), id) }
  }

  private func showByPortal(_ prompt: PromptMessage) {
    guard let question = PortalQuestion(prompt) else {
      return finish(.failed(status: 127), prompt.id)
    }
    let began = Clock.monotonicSeconds()
    state.withLock { state in
      let window = PortalWindow.open(question) { [self] outcome in
        let isOurs = self.state.withLock { $0.shown?.id == prompt.id && !$0.isStopping }
        guard isOurs else { return }
        let isTooSoon = Clock.monotonicSeconds() - began < Self.deafSeconds
        if case .answer = outcome, isTooSoon { return showByPortal(prompt) }
        self.state.withLock { $0.shown = nil }
        finish(outcome, prompt.id)
      }
      state.shown = (prompt.id, window)
    }
  }

  private func finish(_ outcome: DesktopDialog.Outcome, _ id: String) {
    switch outcome {
    case .answer(let choice): answer(choice, id)
    case .dismissed: answer("dismiss", id)
    case .failed(let status):
      // Somebody else may still be able to ask; this agent is not, so it must not count as one.
      log.error("no dialog can be shown (status \(status)); the desktop agent ends")
      state.withLock { $0.isLost = true }
      cancellation.cancel()
    }
  }

  private func answer(_ choice: String, _ id: String) {
    do throws(ClientError) {
      _ = try client.answer(choice, to: id, agent: "desktop")
    } catch {
      // A prompt that has gone meanwhile needs no word; its end was told.
      if case .refused = error { return }
      log.error("an answer did not reach the daemon, so nothing was recorded")
    }
  }

  // MARK: The indicator

  private func take(_ event: DaemonEvent) {
    switch event {
    case .listening(let use, let requester, _): indicate(use, requester)
    case .closed(let use, _):
      state.withLock { $0.indicators.removeValue(forKey: use) }?.close()
    case .hello, .revoked, .stopping: break
    }
  }

  private func indicate(_ use: String, _ requester: String) {
    let text = DesktopTexts.listening(language, name: DisplayName.shown(requester))
    if usesPortal {
      return state.withLock { state in
        state.indicators[use] = PortalIndicator.open(text, stop: DesktopTexts.stop(language)) {
          [self] in leftTheScreen(use)
        }
      }
    }
    let arguments = [
      "--info", "--title=Earshot", "--no-wrap", "--icon-name=audio-input-microphone",
      "--text=<b>\(DesktopDialog.markup(text))</b>", "--ok-label=\(DesktopTexts.stop(language))",
    ]
    // Under the lock, so that its end finds it in the table however soon it comes.
    let isShown = state.withLock { state in
      let window = DesktopWindow.open(
        arguments, environment: environment(speaking: language.rawValue)
      ) { [self] _, _ in leftTheScreen(use) }
      state.indicators[use] = window
      return window != nil
    }
    // What can't be shown must not stay open.
    if !isShown { _ = try? client.stop(use: use) }
  }

  /// However an indicator left the screen, what it showed must not go on unseen (rule L4).
  private func leftTheScreen(_ use: String) {
    let isOpen = state.withLock { $0.indicators.removeValue(forKey: use) != nil }
    if isOpen { _ = try? client.stop(use: use) }
  }
}

/// The desktop agent's own words.
enum DesktopTexts {
  static func listening(_ language: PromptLanguage, name: String) -> String {
    switch language {
    case .english: "The microphone is open for “\(name)”."
    case .russian: "Микрофон включён для «\(name)»."
    case .simplifiedChinese: "麦克风已为“\(name)”打开。"
    case .korean: "‘\(name)’에서 마이크를 사용 중입니다."
    }
  }

  static func stop(_ language: PromptLanguage) -> String {
    switch language {
    case .english: "Stop"
    case .russian: "Остановить"
    case .simplifiedChinese: "停止"
    case .korean: "중지"
    }
  }
}
