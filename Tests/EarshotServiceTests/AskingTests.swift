import EarshotClient
import Foundation
import Glibc
import Synchronization
import Testing

@testable import EarshotService

@Suite("Asking", .serialized)
struct AskingTests {
  /// A sound server's address where nobody listens, so that opening fails at once and for certain.
  private static let silent = ["PULSE_SERVER": "unix:/nonexistent/pulse"]

  private func result(
    _ daemon: RunningDaemon, _ request: ListenRequest = ListenRequest()
  ) throws -> ListenResult {
    var found: ListenResult?
    try daemon.client.listen(request) { event in
      if case .result(let result) = event { found = result }
      return true
    }
    return try #require(found)
  }

  @Test("C2, C4: no prompt comes for a request that is bound to fail")
  func bound() throws {
    let daemon = try RunningDaemon(configuration: #"{"source":"default"}"#)
    let agent = TestAgent(daemon.client) { _ in "allow-once" }
    #expect(try result(daemon).explanation?.reason == "no-catalog")
    try daemon.addCatalog()
    let unknown = try result(daemon, ListenRequest(source: "other"))
    #expect(unknown.outcome == .error && unknown.explanation?.reason == "unknown-source")
    let damaged = "\(daemon.folder)/data/earshot/catalogs/damaged.earshot"
    try "no catalog".write(toFile: damaged, atomically: true, encoding: .utf8)
    #expect(try result(daemon).outcome == .error)
    let missing = try result(daemon, ListenRequest(catalogs: ["/none.earshot"]))
    #expect(missing.explanation?.reason == "catalog-unreadable")
    let relative = try result(daemon, ListenRequest(catalogs: ["a/b.earshot"]))
    #expect(relative.explanation?.reason == "relative-path")
    #expect(agent.prompts.isEmpty)
    #expect(try daemon.client.ledger().entries.isEmpty)
    #expect(daemon.children.isEmpty)
  }

  @Test("C10: without an agent there is nobody to ask, and nothing is opened or recorded")
  func nobody() throws {
    let daemon = try RunningDaemon()
    try daemon.addCatalog()
    let denied = try result(daemon)
    #expect(denied.outcome == .denied && denied.explanation?.reason == "nobody-to-ask")
    #expect(denied.explanation?.next.contains("consent grant") == true)
    #expect(try daemon.client.ledger().entries.isEmpty)
  }

  @Test("C8: 'Don't Allow' is final, and no prompt comes again until the person changes it")
  func denied() throws {
    let daemon = try RunningDaemon()
    try daemon.addCatalog()
    let agent = TestAgent(daemon.client) { _ in "deny" }
    #expect(try result(daemon).explanation?.reason == "denied")
    #expect(try result(daemon).explanation?.reason == "denied")
    #expect(agent.prompts.count == 1)
    #expect(try daemon.client.status().microphone == "denied")
    #expect(try daemon.client.uses().isEmpty)
    let consent = try #require(try daemon.client.consents().first)
    #expect(consent.decision == "deny" && consent.standing == "denied")
    _ = try daemon.client.decide(
      DecisionRequest(decision: "revoke", confirmation: .terminal), about: consent.id)
    #expect(try daemon.client.status().microphone == "undetermined")
    #expect(try result(daemon).explanation?.reason == "denied")
    #expect(agent.prompts.count == 2)
  }

  @Test("C7: a dismissed prompt leaves no answer, and after two no prompt comes")
  func dismissed() throws {
    let daemon = try RunningDaemon()
    try daemon.addCatalog()
    let agent = TestAgent(daemon.client) { _ in "dismiss" }
    for _ in 0..<2 {
      let denied = try result(daemon)
      #expect(denied.outcome == .denied && denied.explanation?.reason == "dismissed")
    }
    let resting = try result(daemon)
    #expect(resting.explanation?.reason == "resting")
    #expect((resting.explanation?.retryAfter ?? 0) > 500)
    #expect(agent.prompts.count == 2)
    #expect(try daemon.client.status().microphone == "undetermined")
    #expect(try daemon.client.ledger().entries.isEmpty)
  }

  @Test("C7: a lost agent dismisses the prompt")
  func lostAgent() throws {
    let daemon = try RunningDaemon()
    try daemon.addCatalog()
    let agent = TestAgent(daemon.client) { _ in nil }
    let reason = Mutex("")
    let client = daemon.client
    Thread.detachNewThread {
      try? client.listen(ListenRequest()) { event in
        if case .result(let result) = event {
          reason.withLock { $0 = result.explanation?.reason ?? "none" }
        }
        return true
      }
    }
    #expect(eventually { agent.prompts.count == 1 })
    agent.leave()
    #expect(eventually { reason.withLock { $0 == "dismissed" } })
  }

  @Test("a requester that is killed takes its prompt with it")
  func goneRequester() throws {
    let daemon = try RunningDaemon()
    try daemon.addCatalog()
    let agent = TestAgent(daemon.client) { _ in nil }
    var listening: RawConnection? = RawConnection(daemon.socket)
    listening?.send(
      "POST /v1/listen HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        + "Content-Length: 2\r\n\r\n{}")
    #expect(eventually { agent.prompts.count == 1 })
    listening = nil
    #expect(eventually(seconds: 2) { agent.gone == ["withdrawn"] })
    #expect(try daemon.client.ledger().entries.isEmpty)
  }

  @Test("C5: the daemon words the prompt, whoever asks")
  func wording() throws {
    let daemon = try RunningDaemon()
    try daemon.addCatalog()
    let agent = TestAgent(daemon.client) { _ in "dismiss" }
    _ = try result(daemon, ListenRequest(language: "ru"))
    let prompt = try #require(agent.prompts.first)
    #expect(prompt.language == "ru" && prompt.title.hasPrefix("«"))
    #expect(prompt.buttons.map(\.choice) == ["allow-once", "deny"])
    #expect(prompt.secondsLeft > 55 && prompt.secondsLeft <= 60)
  }

  @Test("B4, L8: 'Allow Once' opens one use, which is recorded whole even where opening fails")
  func once() throws {
    let daemon = try RunningDaemon(
      configuration: #"{"source":"no-such-source"}"#, environment: Self.silent)
    try daemon.addCatalog()
    let agent = TestAgent(daemon.client) { _ in "allow-once" }
    let failed = try result(daemon)
    #expect(failed.outcome == .error, "\(failed)")
    let uses = try daemon.client.uses()
    #expect(uses.count == 1)
    #expect(uses[0].id == failed.use)
    #expect(uses[0].closed != nil && uses[0].outcome == "error")
    #expect(try daemon.client.consents().first?.standing == "spent")
    _ = try result(daemon)
    #expect(agent.prompts.count == 2)
    let found = try daemon.client.verifyLedger()
    #expect(found.isIntact && found.records == 6)
    #expect(daemon.children.isEmpty)
  }

  @Test("C10: granting by command takes the administrator's leave, and the record says so")
  func byCommand() throws {
    let strict = try RunningDaemon()
    #expect(throws: ClientError.self) {
      try strict.client.grant(GrantRequest(confirmation: .command))
    }
    #expect(throws: ClientError.self) {
      try strict.client.decideLibrary(
        LibraryConsentRequest(decision: "allow", confirmation: .command))
    }
    #expect(throws: ClientError.self) { try strict.client.eraseLibrary(confirmation: .command) }
    #expect(try strict.client.ledger().entries.isEmpty)
    // Denying needs nobody's leave.
    _ = try strict.client.grant(GrantRequest(decision: "deny", confirmation: .command))
    #expect(try strict.client.status().microphone == "denied")
    guard geteuid() == 0 else { return }
    let path = "/tmp/earshot-administrator-\(UUID().uuidString.prefix(8)).json"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try #"{"grantByCommand":true}"#.write(toFile: path, atomically: true, encoding: .utf8)
    let lenient = try RunningDaemon(arguments: ["--administrator-file", path])
    _ = try lenient.client.grant(GrantRequest(confirmation: .command))
    #expect(try lenient.client.status().microphone == "allowed")
    #expect(try lenient.client.consents().first?.isByCommand == true)
  }

  @Test("C13: a grant covers its source, goal and limit and nothing else")
  func coverage() throws {
    let daemon = try RunningDaemon()
    _ = try daemon.client.grant(GrantRequest(confirmation: .terminal))
    let word = { (query: String) in
      try daemon.client.get("/v1/status?\(query)", as: StatusMessage.self).microphone
    }
    #expect(try word("limit=12") == "allowed")
    #expect(try word("limit=11") == "undetermined")
    #expect(try word("goal=place") == "undetermined")
    #expect(try word("purpose=captions") == "undetermined")
    #expect(try word("source=other") == "undetermined")
  }

  @Test("S1: saving is a consent of its own, which the person allows and takes back")
  func library() throws {
    let daemon = try RunningDaemon()
    #expect(try daemon.client.status().library == "undetermined")
    let decide = { (word: String) in
      try daemon.client.decideLibrary(
        LibraryConsentRequest(decision: word, confirmation: .terminal))
    }
    _ = try decide("allow")
    #expect(try daemon.client.status().library == "allowed")
    #expect(try daemon.client.status().microphone == "undetermined")
    _ = try decide("deny")
    #expect(try daemon.client.status().library == "denied")
    _ = try decide("ask-again")
    #expect(try daemon.client.status().library == "undetermined")
    #expect(try daemon.client.library().isEmpty)
  }
}
