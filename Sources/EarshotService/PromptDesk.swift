internal import EarshotClient
internal import EarshotConsent
internal import Foundation
internal import Synchronization

/// Asks persons, one prompt at a time for each, through the agents that listen for prompts.
///
/// Two requests share one prompt only if their whole questions are equal (rule C9). Whoever asks
/// waits on its own thread, woken through its ``ListeningControl``.
final class PromptDesk: Sendable {
  /// What asking came to.
  enum Answer: Sendable, Hashable {
    /// A button was pressed; what it stands for is recorded already, so ask the ledger again.
    case choice(Prompt.Choice)
    /// Gone without an answer: `dismissed`, `timeout`, `agent-lost` (rule C7).
    case dismissed(reason: String)
    /// No agent is there to ask (rule C10).
    case nobody
    /// Too many wait, or the turn did not come in time (rule C9).
    case busy
    /// The one who asked was cancelled meanwhile.
    case cancelled
    /// The answer came and could not be recorded, so nothing rests on it (rule R4).
    case unrecorded
  }

  private struct Agent {
    var queue: EventQueue
    var kind: String
    var process: Int32
  }

  private struct Ticket {
    var id: String
    var question: ConsentQuestion
    var prompt: Prompt
    /// When its time is over, by the monotonic clock in seconds.
    var deadline: Double
    var isShown = false
    /// Whether an agent's answer is being recorded; no other one is taken then.
    var isClaimed = false
    var answer: Answer?
    var waiting: [ObjectIdentifier: WakePipe] = [:]
    /// Told, once, by its id when it is shown.
    var whenShown: [@Sendable (String) -> Void] = []
  }

  private struct Person {
    var agents: [Int: Agent] = [:]
    /// The shown one first.
    var tickets: [Ticket] = []
  }

  private struct State {
    var people: [UInt32: Person] = [:]
    var lastAgent = 0
  }

  private let state = Mutex(State())
  private let promptSeconds: Double
  private let makeIdentifier: @Sendable () -> String
  /// Told of every prompt that went away without an answer, before anybody who waits wakes.
  private let dismissed: @Sendable (ConsentQuestion) -> Void

  /// `dismissed` is called under the desk's lock and must neither block nor ask the desk.
  init(
    promptSeconds: Double = ServiceLimits.promptSeconds,
    makeIdentifier: @escaping @Sendable () -> String,
    dismissed: @escaping @Sendable (ConsentQuestion) -> Void
  ) {
    self.promptSeconds = promptSeconds
    self.makeIdentifier = makeIdentifier
    self.dismissed = dismissed
  }

  // MARK: Agents

  /// Adds an agent of a person; nil where there are too many.
  func addAgent(
    user: UInt32, kind: String, process: Int32 = 0
  ) -> (queue: EventQueue, leave: @Sendable () -> Void)? {
    state.withLock { state in
      let count = state.people.values.reduce(0) { $0 + $1.agents.count }
      guard count < ServiceLimits.streams else { return nil }
      state.lastAgent += 1
      let number = state.lastAgent
      let queue = EventQueue()
      state.people[user, default: Person()].agents[number] = Agent(
        queue: queue, kind: kind, process: process)
      queue.push(PromptEvent.ready(agents: state.people[user]?.agents.count ?? 1))
      if let shown = state.people[user]?.tickets.first, shown.isShown {
        queue.push(PromptEvent.shown(Self.message(shown)))
      }
      return (queue, { [self] in self.removeAgent(number, user: user) })
    }
  }

  /// A lost agent takes the prompt with it where it was the last one (rule C7).
  private func removeAgent(_ number: Int, user: UInt32) {
    state.withLock { state in
      guard var person = state.people[user], person.agents.removeValue(forKey: number) != nil
      else { return }
      if person.agents.isEmpty {
        for index in person.tickets.indices
        where person.tickets[index].answer == nil && !person.tickets[index].isClaimed {
          let isShown = person.tickets[index].isShown
          settle(
            &person.tickets[index], isShown ? .dismissed(reason: "agent-lost") : .nobody)
        }
      }
      state.people[user] = person
    }
  }

  /// How many agents a person has.
  func agentCount(user: UInt32) -> Int {
    state.withLock { $0.people[user]?.agents.count ?? 0 }
  }

  /// Whether a person has an agent that can show something: a stopped process can't (rule L4).
  func hasSurface(user: UInt32) -> Bool {
    let processes = state.withLock { $0.people[user]?.agents.values.map(\.process) ?? [] }
    return processes.contains { ProcessFacts($0)?.isStopped != true }
  }

  /// What an agent's answer came to.
  enum Acceptance: Sendable, Hashable {
    /// A button: record what it stands for, then call ``settle(_:user:_:)``.
    case claimed(ConsentQuestion, Prompt, Prompt.Choice)
    /// Dismissed; nothing is to be recorded as an answer.
    case dismissed
    /// There is no such prompt, or it has gone.
    case unknown
    /// The prompt has no such button.
    case noSuchChoice
  }

  /// Takes an agent's answer; `dismiss` leaves none (rule C7).
  ///
  /// A button only claims the prompt: those who asked are woken by ``settle(_:user:_:)``, once the
  /// answer is durable.
  func answer(_ choice: String, to id: String, user: UInt32) -> Acceptance {
    state.withLock { state in
      guard var person = state.people[user],
        let index = person.tickets.firstIndex(where: { $0.id == id }),
        person.tickets[index].isShown, person.tickets[index].answer == nil,
        !person.tickets[index].isClaimed
      else { return .unknown }
      defer { state.people[user] = person }
      if choice == "dismiss" {
        settle(&person.tickets[index], .dismissed(reason: "dismissed"))
        advance(&person)
        return .dismissed
      }
      let ticket = person.tickets[index]
      guard let button = ticket.prompt.buttons.first(where: { $0.choice.rawValue == choice }) else {
        return .noSuchChoice
      }
      person.tickets[index].isClaimed = true
      return .claimed(ticket.question, ticket.prompt, button.choice)
    }
  }

  /// Ends a claimed prompt and wakes those who asked.
  func settle(_ id: String, user: UInt32, _ answer: Answer) {
    state.withLock { state in
      guard var person = state.people[user],
        let index = person.tickets.firstIndex(where: { $0.id == id })
      else { return }
      settle(&person.tickets[index], answer)
      advance(&person)
      state.people[user] = person
    }
  }

  // MARK: Asking

  /// Asks a person and waits for the answer on the calling thread.
  ///
  /// `shown` is called with the prompt's id when it comes up.
  func ask(
    _ question: ConsentQuestion, _ prompt: Prompt, user: UInt32, control: ListeningControl,
    shown: @escaping @Sendable (String) -> Void
  ) -> Answer {
    guard let id = enter(question, prompt, user, control, shown) else { return .busy }
    if id.isEmpty { return .nobody }
    while true {
      if control.reason != nil {
        withdraw(id, user: user, control: control)
        return .cancelled
      }
      let (answer, deadline) = look(at: id, user: user, control: control)
      if let answer { return answer }
      control.wait(until: deadline)
    }
  }

  /// The ticket's id, empty where there is nobody to ask, nil where too many wait.
  private func enter(
    _ question: ConsentQuestion, _ prompt: Prompt, _ user: UInt32, _ control: ListeningControl,
    _ shown: @escaping @Sendable (String) -> Void
  ) -> String? {
    let (id, tell) = state.withLock { state -> (String?, Bool) in
      guard var person = state.people[user], !person.agents.isEmpty else { return ("", false) }
      defer { state.people[user] = person }
      person.tickets.removeAll { $0.answer != nil && $0.waiting.isEmpty }
      if let index = person.tickets.firstIndex(where: {
        $0.question == question && $0.answer == nil
      }) {
        person.tickets[index].waiting[ObjectIdentifier(control)] = control.wake
        let isShown = person.tickets[index].isShown
        if !isShown { person.tickets[index].whenShown.append(shown) }
        return (person.tickets[index].id, isShown)
      }
      let open = person.tickets.count { $0.answer == nil }
      guard open <= ServiceLimits.waitingPrompts else { return (nil, false) }
      let ticket = Ticket(
        id: makeIdentifier(), question: question, prompt: prompt,
        deadline: Clock.monotonicSeconds() + promptSeconds,
        waiting: [ObjectIdentifier(control): control.wake], whenShown: [shown])
      person.tickets.append(ticket)
      advance(&person)
      return (ticket.id, false)
    }
    if tell, let id { shown(id) }
    return id
  }

  /// The ticket's answer, or when to look again; the answered one leaves the caller's hands.
  private func look(
    at id: String, user: UInt32, control: ListeningControl
  ) -> (Answer?, Double) {
    state.withLock { state in
      guard var person = state.people[user],
        let index = person.tickets.firstIndex(where: { $0.id == id })
      else { return (.nobody, 0) }
      defer { state.people[user] = person }
      if person.tickets[index].answer == nil, !person.tickets[index].isClaimed,
        Clock.monotonicSeconds() >= person.tickets[index].deadline
      {
        let isShown = person.tickets[index].isShown
        settle(&person.tickets[index], isShown ? .dismissed(reason: "timeout") : .busy)
        advance(&person)
      }
      guard let place = person.tickets.firstIndex(where: { $0.id == id }),
        let answer = person.tickets[place].answer
      else {
        // While an answer is recorded there is no deadline; whoever records it settles and wakes.
        let isClaimed = person.tickets[index].isClaimed
        return (nil, person.tickets[index].deadline + (isClaimed ? 60 : 0))
      }
      person.tickets[place].waiting[ObjectIdentifier(control)] = nil
      if person.tickets[place].waiting.isEmpty { person.tickets.remove(at: place) }
      return (answer, 0)
    }
  }

  /// Takes one who asked away; a prompt that nobody waits for goes.
  private func withdraw(_ id: String, user: UInt32, control: ListeningControl) {
    state.withLock { state in
      guard var person = state.people[user],
        let index = person.tickets.firstIndex(where: { $0.id == id })
      else { return }
      person.tickets[index].waiting[ObjectIdentifier(control)] = nil
      if person.tickets[index].waiting.isEmpty {
        if person.tickets[index].isShown && person.tickets[index].answer == nil {
          Self.tell(person, .gone(id: id, reason: "withdrawn"))
        }
        person.tickets.remove(at: index)
      }
      advance(&person)
      state.people[user] = person
    }
  }

  // MARK: One person's prompts

  private func settle(_ ticket: inout Ticket, _ answer: Answer) {
    ticket.answer = answer
    if case .dismissed = answer { dismissed(ticket.question) }
    for wake in ticket.waiting.values { wake.wake() }
  }

  /// Tells of what has gone, and shows the next one where none is shown.
  private func advance(_ person: inout Person) {
    for index in person.tickets.indices
    where person.tickets[index].isShown && person.tickets[index].answer != nil {
      let ticket = person.tickets[index]
      person.tickets[index].isShown = false
      Self.tell(person, .gone(id: ticket.id, reason: Self.reason(ticket.answer)))
    }
    guard !person.tickets.contains(where: { $0.isShown }), !person.agents.isEmpty,
      let next = person.tickets.firstIndex(where: { $0.answer == nil })
    else { return }
    person.tickets[next].isShown = true
    person.tickets[next].deadline = Clock.monotonicSeconds() + promptSeconds
    Self.tell(person, .shown(Self.message(person.tickets[next])))
    for shown in person.tickets[next].whenShown { shown(person.tickets[next].id) }
    person.tickets[next].whenShown = []
    // Those who wait sleep until the old deadline; the new one is later, so they look again then.
  }

  private static func reason(_ answer: Answer?) -> String {
    switch answer {
    case .choice: "answered"
    case .dismissed(let reason): reason
    default: "withdrawn"
    }
  }

  private static func tell(_ person: Person, _ event: PromptEvent) {
    for agent in person.agents.values { agent.queue.push(event) }
  }

  private static func message(_ ticket: Ticket) -> PromptMessage {
    PromptMessage(
      id: ticket.id, capability: ticket.prompt.capability.rawValue, title: ticket.prompt.title,
      message: ticket.prompt.message, language: ticket.prompt.language.rawValue,
      buttons: ticket.prompt.buttons.map {
        PromptMessage.Button(choice: $0.choice.rawValue, label: $0.label)
      },
      secondsLeft: max(0, ticket.deadline - Clock.monotonicSeconds()))
  }
}
