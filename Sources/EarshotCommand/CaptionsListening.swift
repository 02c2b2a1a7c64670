internal import EarshotCaptions
internal import EarshotClient
internal import Foundation

/// The daemon's side of captions: asks it to listen, shows its questions, and says what was heard.
///
/// Each listening is a use of its own in the ledger. The request is the same every time, so that one
/// consent covers all of them for as long as captions are on.
final class CaptionsListening {
  /// What the threads that follow the daemon bring.
  private enum Arrival: Sendable {
    case prompt(PromptEvent)
    case promptsEnded
    case event(ListenEvent)
    case listenEnded(ClientError?)
  }

  /// What a listening told while it ran, or at its end.
  enum News: Sendable {
    case opened(limit: Double)
    case closed
    case answer(CaptionFollower.Answer, Explanation?)
  }

  private let connection: DaemonConnection
  private let console: Console
  private let catalogs: [String]
  private let mailbox: Mailbox<Arrival>
  private var agent: TerminalAgent
  private var cancellation: Cancellation?
  private var result: ListenResult?
  private var openedAt: Double?
  private var closedAt: Double?
  private(set) var meter: String?

  /// The purpose that captions listen for.
  private static let purpose = "captions"
  /// How long an agent waits to be counted before captions listen all the same, in seconds.
  private static let agentSeconds = 3.0
  /// How long it is shown that the microphone is closed, in seconds.
  private static let closedSeconds = 3.0
  /// How long an ended listening may take to close the microphone, in seconds.
  private static let endSeconds = 3.0

  /// Finds the daemon, or starts one.
  init(_ plan: CaptionsPlan, catalogs paths: [[UInt8]], console: Console) throws(CommandError) {
    self.console = console
    var catalogs: [String] = []
    for path in paths { catalogs.append(try ListenPlan.wholePath(path)) }
    self.catalogs = catalogs
    connection = try DaemonConnection(socket: plan.socket)
    mailbox = try Mailbox()
    agent = TerminalAgent(client: connection.client, console: console, savesByItself: false)
  }

  /// What wakes the waiting thread.
  var descriptors: [Int32] { [mailbox.descriptor] + [agent.keyDescriptor].compactMap { $0 } }

  /// Whether the daemon's question is on the terminal.
  var isAsking: Bool { agent.keyDescriptor != nil }

  /// Whether the last listening is still going on.
  var isRunning: Bool { cancellation != nil }

  /// Attaches the agent and waits until it counts.
  func begin() {
    guard agent.canAsk else { return }
    let (client, mailbox, cancellation) = (connection.client, mailbox, agent.cancellation)
    Thread.detachNewThread {
      try? client.prompts(cancellation: cancellation) {
        mailbox.put(.prompt($0))
        return true
      }
      mailbox.put(.promptsEnded)
    }
    let deadline = ClockReading.now().seconds + Self.agentSeconds
    while ClockReading.now().seconds < deadline, !Interruption.isRequested {
      var wait = pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&wait, 1, 100)
      for arrival in mailbox.takeAll() {
        if case .prompt(.ready) = arrival { return }
        if case .promptsEnded = arrival { return }
      }
    }
  }

  /// Starts a listening.
  func listen(_ order: CaptionFollower.Order, language: Language) {
    let cancellation = Cancellation()
    self.cancellation = cancellation
    (result, openedAt) = (nil, nil)
    let expected = order.expected.map {
      ListenRequest.Expected(
        id: $0.item, offset: $0.place.position, speed: $0.place.speed,
        monotonic: UInt64(max(0, $0.place.time) * 1e9), within: $0.place.within,
        confirmsOnly: $0.place.confirmsOnly ? true : nil)
    }
    let request = ListenRequest(
      catalogs: catalogs, purpose: Self.purpose, goal: .place, expected: expected,
      limit: CaptionFollower.searchLimit, save: .never, language: language.rawValue,
      patience: order.limit, whileCaptions: true)
    let (client, mailbox) = (connection.client, mailbox)
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

  /// Takes what arrived and the keys of a question; `beforeAsking` gives the terminal away.
  func news(beforeAsking: () -> Void) -> [News] {
    var news: [News] = []
    for arrival in mailbox.takeAll() {
      switch arrival {
      case .prompt(let event):
        if case .shown = event { beforeAsking() }
        agent.take(event)
      case .promptsEnded: agent.lose()
      case .event(let event): take(event, &news)
      case .listenEnded(let error): news.append(ended(error))
      }
    }
    agent.readKeys()
    let now = ClockReading.now().seconds
    if let closedAt, now - closedAt > Self.closedSeconds {
      self.closedAt = nil
      if cancellation == nil || openedAt == nil { meter = nil }
    }
    return news
  }

  /// Whether the person has allowed listening for as long as captions are on.
  func isAllowedWhileOn() -> Bool {
    let path =
      "/v1/status?goal=place&while=captions&purpose=\(Self.purpose)"
      + "&limit=\(Int(CaptionFollower.searchLimit))"
    let status: StatusMessage? = try? connection.client.get(path)
    return status?.microphone == "allowed"
  }

  /// Ends what runs; the microphone is closed when this returns.
  func end() {
    agent.end()
    cancellation?.cancel()
    let deadline = ClockReading.now().seconds + Self.endSeconds
    while openedAt != nil, closedAt == nil, ClockReading.now().seconds < deadline {
      guard let status = try? connection.client.status(), status.isListening else { break }
      usleep(20_000)
    }
    connection.end()
  }

  private func take(_ event: ListenEvent, _ news: inout [News]) {
    switch event {
    case .prompt, .saved: break
    case .listening(_, _, let limit):
      (openedAt, closedAt) = (ClockReading.now().seconds, nil)
      meter = Phrase.listening(
        meter: LevelMeter.bar(peakDecibels: -.infinity), secondsLeft: Int(limit.rounded(.up))
      ).text(in: console.language)
      news.append(.opened(limit: limit))
    case .level(_, let peak, let left):
      meter = Phrase.listening(
        meter: LevelMeter.bar(peakDecibels: peak), secondsLeft: Int(left.rounded(.up))
      ).text(in: console.language)
    case .closed:
      closedAt = ClockReading.now().seconds
      meter = Phrase.microphoneClosed.text(in: console.language)
      news.append(.closed)
    case .result(let result): self.result = result
    }
  }

  private func ended(_ error: ClientError?) -> News {
    cancellation = nil
    openedAt = nil
    guard let result else {
      return .answer(.failed, DaemonText.explain(error ?? .connectionLost))
    }
    return .answer(Self.answer(result), result.explanation)
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
