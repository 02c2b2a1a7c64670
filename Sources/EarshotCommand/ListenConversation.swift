internal import EarshotClient
internal import Foundation

/// One listening as the person at the terminal lives through it.
///
/// It is two things at once: the requester, which follows the events of its listening, and the
/// terminal agent, which shows the daemon's questions on the controlling terminal and brings back the
/// answers. Without a terminal in front there is no agent, and the daemon says that nobody was there
/// to ask.
struct ListenConversation: ~Copyable {
  /// What the threads that follow the daemon bring.
  enum Arrival: Sendable {
    case prompt(PromptEvent)
    case promptsEnded
    case event(ListenEvent)
    case listenEnded(ClientError?)
  }

  private let plan: ListenPlan
  private let connection: DaemonConnection
  private let console: Console
  private let mailbox: Mailbox<Arrival>
  private let listening = Cancellation()
  private var agent: TerminalAgent
  private var isOpen = false
  private var result: ListenResult?
  private var failure: ClientError?
  private var isEnded = false

  /// How long an agent waits to be counted before it listens all the same, in seconds.
  private static let agentSeconds = 3.0
  /// How long a cancelled listening may take to close the microphone, in seconds.
  private static let closeSeconds = 3.0

  init(
    _ plan: ListenPlan, connection: DaemonConnection, console: Console
  ) throws(CommandError) {
    self.plan = plan
    self.connection = connection
    self.console = console
    mailbox = try Mailbox()
    agent = TerminalAgent(
      client: connection.client, console: console, savesByItself: plan.saving == .typed)
  }

  /// Listens to the end and returns the exit status.
  mutating func run() throws(CommandError) -> Int32 {
    Interruption.beginSuspension()
    followPrompts()
    follow()
    while !isEnded {
      if Interruption.isRequested { return try interrupt() }
      wait()
      for arrival in mailbox.takeAll() { take(arrival) }
      agent.readKeys()
    }
    agent.end()
    return try finish()
  }

  /// Attaches the agent and waits until it counts.
  private mutating func followPrompts() {
    guard agent.canAsk else { return }
    let (client, mailbox, cancellation) = (connection.client, mailbox, agent.cancellation)
    Thread.detachNewThread {
      try? client.prompts(cancellation: cancellation) {
        mailbox.put(.prompt($0))
        return true
      }
      mailbox.put(.promptsEnded)
    }
    let deadline = ProcessInfo.processInfo.systemUptime + Self.agentSeconds
    while ProcessInfo.processInfo.systemUptime < deadline, !Interruption.isRequested {
      wait()
      for arrival in mailbox.takeAll() {
        if case .prompt(.ready) = arrival { return }
        if case .promptsEnded = arrival { return }
        take(arrival)
      }
    }
  }

  /// Starts the listening.
  private func follow() {
    let (client, mailbox, cancellation) = (connection.client, mailbox, listening)
    let request = plan.request
    Thread.detachNewThread {
      do throws(ClientError) {
        try client.listen(request, cancellation: cancellation) {
          mailbox.put(.event($0))
          return true
        }
        mailbox.put(.listenEnded(nil))
      } catch {
        mailbox.put(.listenEnded(error))
      }
    }
  }

  /// Sleeps until something arrives, a key is pressed, a signal comes, or a second has passed.
  private func wait() {
    var waits = [
      pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: Interruption.cancellation.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    if let keys = agent.keyDescriptor {
      waits.append(pollfd(fd: keys, events: Int16(POLLIN), revents: 0))
    }
    _ = unsafe poll(&waits, nfds_t(waits.count), 250)
  }

  private mutating func take(_ arrival: Arrival) {
    switch arrival {
    case .prompt(let event): agent.take(event)
    case .promptsEnded: agent.lose()
    case .listenEnded(let error):
      failure = error
      isEnded = true
    case .event(let event): take(event)
    }
  }

  private mutating func take(_ event: ListenEvent) {
    switch event {
    case .prompt: break
    case .listening(_, let source, let limit):
      isOpen = true
      console.note(
        Phrase.microphoneOpen(source: Shown.text(source), limit: Int(limit.rounded(.up)))
          .text(in: console.language))
    case .level(_, let peak, let left):
      guard isOpen, console.drawsProgress else { return }
      let line = Phrase.listening(
        meter: LevelMeter.bar(peakDecibels: peak), secondsLeft: Int(left.rounded(.up)))
      console.draw(LevelMeter.erase + line.text(in: console.language))
    case .closed: tellClosed()
    case .result(let result):
      self.result = result
      if !plan.wantsJSON { show(result) }
    case .saved:
      result?.saved = true
      console.note(Phrase.saved.text(in: console.language))
    }
  }

  private mutating func tellClosed() {
    guard isOpen else { return }
    isOpen = false
    if console.drawsProgress { console.draw(LevelMeter.erase) }
    console.note(Phrase.microphoneClosed.text(in: console.language))
  }

  private func show(_ result: ListenResult) {
    let lines = ResultText.lines(
      name: nil, outcome: result.outcome, heard: result.heard, matches: result.matches,
      explanation: result.explanation)
    switch result.outcome {
    case .match, .ambiguous, .noMatch: for line in lines { console.print(line) }
    default:
      console.note(
        result.explanation.map(Report.text) ?? lines.joined(separator: "\n"))
    }
  }

  /// Ctrl-C or a signal: the microphone is closed first, and only then does the command end.
  private mutating func interrupt() throws(CommandError) -> Int32 {
    agent.end()
    listening.cancel()
    let deadline = ProcessInfo.processInfo.systemUptime + Self.closeSeconds
    while isOpen, ProcessInfo.processInfo.systemUptime < deadline {
      guard let status = try? connection.client.status(), status.isListening else { break }
      usleep(20_000)
    }
    connection.end()
    tellClosed()
    Interruption.suspendIfAsked()
    if plan.wantsJSON {
      var cancelled = result ?? ListenResult(outcome: .cancelled)
      cancelled.outcome = .cancelled
      console.print(ListenRecord(cancelled).json.text)
    }
    return Interruption.exitStatus
  }

  private mutating func finish() throws(CommandError) -> Int32 {
    tellClosed()
    guard let result else {
      throw DaemonConnection.fault(failure ?? .connectionLost)
    }
    if plan.wantsJSON { console.print(ListenRecord(result).json.text) }
    if plan.saving == .typed, result.outcome == .match, !result.saved, !agent.canAsk {
      console.note(Phrase.notSavedNobodyThere.text(in: console.language))
    }
    return result.outcome.exitStatus
  }
}
