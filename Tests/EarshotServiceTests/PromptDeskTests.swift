import EarshotClient
import EarshotConsent
import Foundation
import Synchronization
import Testing

@testable import EarshotService

@Suite("Prompt desk")
struct PromptDeskTests {
  private static let requester = Requester(
    person: .user(1000), identification: .executable, name: "/usr/bin/x", executable: "/usr/bin/x")

  private static func question(limit: Int = 12_000) throws -> ConsentQuestion {
    .microphone(
      requester: requester, purpose: try #require(PurposeList.shipped.purpose("identify")),
      language: .english, source: "default", goal: .identify, limitMilliseconds: limit)
  }

  /// One who asks on a thread of their own.
  private final class Asker: Sendable {
    let control: ListeningControl
    private let answer = Mutex<PromptDesk.Answer?>(nil)
    private let shown = Mutex<String?>(nil)

    init(_ desk: PromptDesk, _ question: ConsentQuestion) throws {
      control = try ListeningControl(requester: question.requester)
      Thread.detachNewThread { [self] in
        let got = desk.ask(question, Prompt(for: question), user: 1000, control: control) { id in
          self.shown.withLock { $0 = id }
        }
        answer.withLock { $0 = got }
      }
    }

    var isShown: Bool { shown.withLock { $0 != nil } }
    var prompt: String { shown.withLock { $0 } ?? "" }
    var got: PromptDesk.Answer? { answer.withLock { $0 } }

    func waitForPrompt() -> Bool { eventually { isShown } }
    func waitForAnswer() -> PromptDesk.Answer? { eventually { got != nil } ? got : nil }
  }

  private final class Dismissals: Sendable {
    let count = Mutex(0)
  }

  private func makeDesk(
    promptSeconds: Double = 60, _ dismissals: Dismissals = Dismissals()
  ) -> PromptDesk {
    PromptDesk(
      promptSeconds: promptSeconds, makeIdentifier: { UUID().uuidString },
      dismissed: { _ in dismissals.count.withLock { $0 += 1 } })
  }

  @Test("C10: without an agent there is nobody to ask, at once")
  func nobody() throws {
    let asker = try Asker(makeDesk(), try Self.question())
    #expect(asker.waitForAnswer() == .nobody)
  }

  @Test("C10: another person's agent is nobody to ask")
  func otherPerson() throws {
    let desk = makeDesk()
    let agent = try #require(desk.addAgent(user: 1001, kind: "terminal"))
    #expect(try Asker(desk, try Self.question()).waitForAnswer() == .nobody)
    agent.leave()
  }

  @Test("an answer wakes who asked only when it is on record")
  func answered() throws {
    let desk = makeDesk()
    let agent = try #require(desk.addAgent(user: 1000, kind: "terminal"))
    let asker = try Asker(desk, try Self.question())
    #expect(asker.waitForPrompt())
    #expect(desk.answer("save", to: asker.prompt, user: 1000) == .noSuchChoice)
    #expect(desk.answer("deny", to: asker.prompt, user: 1001) == .unknown)
    guard case .claimed(_, _, .deny) = desk.answer("deny", to: asker.prompt, user: 1000) else {
      Issue.record("not claimed")
      return
    }
    #expect(desk.answer("allow-once", to: asker.prompt, user: 1000) == .unknown)
    usleep(50_000)
    #expect(asker.got == nil)
    desk.settle(asker.prompt, user: 1000, .choice(.deny))
    #expect(asker.waitForAnswer() == .choice(.deny))
    #expect(desk.answer("deny", to: asker.prompt, user: 1000) == .unknown)
    agent.leave()
  }

  @Test("C7: dismissal, time and a lost agent leave no answer and are counted")
  func dismissed() throws {
    let dismissals = Dismissals()
    let desk = makeDesk(promptSeconds: 0.3, dismissals)
    var agent = try #require(desk.addAgent(user: 1000, kind: "terminal"))
    var asker = try Asker(desk, try Self.question())
    #expect(asker.waitForPrompt())
    #expect(desk.answer("dismiss", to: asker.prompt, user: 1000) == .dismissed)
    #expect(asker.waitForAnswer() == .dismissed(reason: "dismissed"))
    asker = try Asker(desk, try Self.question())
    #expect(asker.waitForAnswer() == .dismissed(reason: "timeout"))
    let patient = makeDesk(dismissals)
    agent = try #require(patient.addAgent(user: 1000, kind: "terminal"))
    asker = try Asker(patient, try Self.question())
    #expect(asker.waitForPrompt())
    agent.leave()
    #expect(asker.waitForAnswer() == .dismissed(reason: "agent-lost"))
    #expect(dismissals.count.withLock { $0 } == 3)
  }

  @Test("C9: equal questions share one prompt, others wait their turn")
  func shared() throws {
    let desk = makeDesk()
    let agent = try #require(desk.addAgent(user: 1000, kind: "terminal"))
    let first = try Asker(desk, try Self.question())
    #expect(first.waitForPrompt())
    let same = try Asker(desk, try Self.question())
    #expect(same.waitForPrompt())
    #expect(same.prompt == first.prompt)
    let other = try Asker(desk, try Self.question(limit: 12_001))
    usleep(50_000)
    #expect(!other.isShown)
    guard case .claimed = desk.answer("deny", to: first.prompt, user: 1000) else {
      Issue.record("not claimed")
      return
    }
    desk.settle(first.prompt, user: 1000, .choice(.deny))
    #expect(first.waitForAnswer() == .choice(.deny))
    #expect(same.waitForAnswer() == .choice(.deny))
    #expect(other.waitForPrompt())
    #expect(other.prompt != first.prompt)
    other.control.cancel(.requesterGone)
    #expect(other.waitForAnswer() == .cancelled)
    agent.leave()
  }

  @Test("C9: eight wait behind the one that is shown, and the ninth is told at once")
  func bounded() throws {
    let desk = makeDesk()
    let agent = try #require(desk.addAgent(user: 1000, kind: "terminal"))
    var askers: [Asker] = []
    for index in 0...ServiceLimits.waitingPrompts {
      askers.append(try Asker(desk, try Self.question(limit: 1000 + index)))
      if index == 0 { #expect(askers[0].waitForPrompt()) } else { usleep(20_000) }
    }
    #expect(askers.allSatisfy { $0.got == nil })
    let tooMany = try Asker(desk, try Self.question(limit: 9999))
    #expect(tooMany.waitForAnswer() == .busy)
    for asker in askers { asker.control.cancel(.daemonStopping) }
    for asker in askers { #expect(asker.waitForAnswer() == .cancelled) }
    agent.leave()
  }

  @Test("C9: one that waits longer than its time is told so")
  func waited() throws {
    let desk = makeDesk(promptSeconds: 0.4)
    let agent = try #require(desk.addAgent(user: 1000, kind: "terminal"))
    let first = try Asker(desk, try Self.question())
    #expect(first.waitForPrompt())
    guard case .claimed = desk.answer("deny", to: first.prompt, user: 1000) else {
      Issue.record("not claimed")
      return
    }
    let second = try Asker(desk, try Self.question(limit: 2000))
    #expect(second.waitForAnswer() == .busy)
    desk.settle(first.prompt, user: 1000, .choice(.deny))
    #expect(first.waitForAnswer() == .choice(.deny))
    agent.leave()
  }

  @Test("an agent that comes later sees the prompt that is shown")
  func lateAgent() throws {
    let desk = makeDesk()
    let agent = try #require(desk.addAgent(user: 1000, kind: "terminal"))
    let asker = try Asker(desk, try Self.question())
    #expect(asker.waitForPrompt())
    let late = try #require(desk.addAgent(user: 1000, kind: "desktop"))
    agent.leave()
    usleep(50_000)
    // Another agent is left, so nothing is lost.
    #expect(asker.got == nil)
    var text = ""
    while case .bytes(let bytes) = late.queue.take(limit: 4096, sleep: { {} }) {
      text += String(decoding: bytes, as: UTF8.self)
    }
    #expect(text.contains("event: ready") && text.contains(asker.prompt))
    late.leave()
    #expect(asker.waitForAnswer() == .dismissed(reason: "agent-lost"))
  }
}
