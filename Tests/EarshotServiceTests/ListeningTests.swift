import EarshotClient
import Foundation
import Glibc
import Synchronization
import Testing

@testable import EarshotService

/// A listening on a thread of its own.
final class RunningListening: Sendable {
  private let cancellation = Cancellation()
  private let found = Mutex<ListenResult?>(nil)
  private let begun = Atomic(false)

  init(_ client: DaemonClient, _ request: ListenRequest = ListenRequest()) {
    let cancellation = cancellation
    Thread.detachNewThread { [self] in
      try? client.listen(request, cancellation: cancellation) { event in
        self.begun.store(true, ordering: .releasing)
        if case .result(let result) = event { self.found.withLock { $0 = result } }
        return true
      }
    }
  }

  func cancel() { cancellation.cancel() }
  /// Whether the daemon has told anything of it.
  var hasBegun: Bool { begun.load(ordering: .acquiring) }
  var result: ListenResult? { found.withLock { $0 } }
}

@Suite("Listening", .serialized)
struct ListeningTests {
  private let server: SilentServer
  private let daemon: RunningDaemon
  private let consent: String

  /// A daemon whose only source hangs in opening, and a consent for it.
  init() throws {
    server = try SilentServer()
    daemon = try RunningDaemon(
      configuration: #"{"source":"hung"}"#, environment: server.environment)
    try daemon.addCatalog()
    let done = try daemon.client.grant(GrantRequest(confirmation: .terminal))
    consent = try #require(done.id)
  }

  /// The open use, once it is on record and its worker runs.
  private func waitForUse() -> UseMessage? {
    var use: UseMessage?
    _ = eventually {
      use = (try? daemon.client.uses())?.first { $0.closed == nil }
      return use != nil
    }
    return use
  }

  @Test("W8: a worker that hangs in opening is ended, and the use is closed with the reason")
  func hung() throws {
    let listening = RunningListening(daemon.client)
    let use = try #require(waitForUse())
    #expect(RunningDaemon.isRunning(use.process))
    #expect(eventually(seconds: 15) { listening.result != nil })
    #expect(listening.result?.outcome == .error)
    #expect(!RunningDaemon.isRunning(use.process))
    let closed = try #require(try daemon.client.uses().first)
    #expect(closed.closed != nil && closed.outcome == "error")
    #expect(daemon.children.isEmpty)
  }

  @Test("L7: revoking while a worker hangs ends it at once and drops what was heard")
  func revoked() throws {
    let listening = RunningListening(daemon.client)
    let use = try #require(waitForUse())
    _ = try daemon.client.decide(
      DecisionRequest(decision: "revoke", confirmation: .terminal), about: consent)
    #expect(eventually(seconds: 2) { !RunningDaemon.isRunning(use.process) })
    #expect(eventually { listening.result != nil })
    #expect(listening.result?.outcome == .denied)
    #expect(listening.result?.explanation?.reason == "revoked")
    #expect(listening.result?.matches.isEmpty == true)
    #expect(try daemon.client.uses().first?.reason == "revoked")
    #expect(try daemon.client.status().microphone == "undetermined")
  }

  @Test("L7: denying the requester ends its listening too")
  func deniedMeanwhile() throws {
    let listening = RunningListening(daemon.client)
    let use = try #require(waitForUse())
    _ = try daemon.client.grant(GrantRequest(decision: "deny", confirmation: .command))
    #expect(eventually(seconds: 2) { !RunningDaemon.isRunning(use.process) })
    #expect(eventually { listening.result?.outcome == .denied })
  }

  @Test("L2: a client that goes away ends its listening, and the record says why")
  func clientGone() throws {
    let listening = RunningListening(daemon.client)
    let use = try #require(waitForUse())
    listening.cancel()
    #expect(eventually(seconds: 2) { !RunningDaemon.isRunning(use.process) })
    #expect(
      eventually { (try? daemon.client.uses().first?.reason) == "requester-gone" })
    #expect(try daemon.client.uses().first?.outcome == "cancelled")
  }

  @Test("L2: stopping the daemon ends listenings first and completes their records")
  func stopped() throws {
    let listening = RunningListening(daemon.client)
    let use = try #require(waitForUse())
    let end = daemon.end()
    #expect(end.status == 0 && end.seconds < 2, "\(end) \(daemon.log)")
    #expect(!RunningDaemon.isRunning(use.process))
    #expect(eventually { listening.result?.outcome == .cancelled })
    try daemon.start()
    let closed = try #require(try daemon.client.uses().first)
    #expect(closed.id == use.id && closed.reason == "daemon-stopping")
  }

  @Test("L8: a daemon that is killed takes its worker along, and the next one closes the use")
  func killed() throws {
    let listening = RunningListening(daemon.client)
    let use = try #require(waitForUse())
    daemon.end(SIGKILL)
    #expect(eventually(seconds: 2) { !RunningDaemon.isRunning(use.process) })
    #expect(listening.result == nil)
    try daemon.start()
    let closed = try #require(try daemon.client.uses().first)
    #expect(closed.id == use.id && closed.reason == "daemon lost")
    #expect(try daemon.client.verifyLedger().isIntact)
    // The consent was for good and holds on.
    #expect(try daemon.client.status().microphone == "allowed")
  }

  @Test("L8: a worker that is killed leaves a closed use and a clear answer")
  func killedWorker() throws {
    let listening = RunningListening(daemon.client)
    let use = try #require(waitForUse())
    kill(use.process, SIGKILL)
    #expect(eventually { listening.result?.explanation?.reason == "worker-lost" })
    #expect(try daemon.client.uses().first?.reason == "worker-lost")
  }

  @Test("C10, L4: an indicator hears of revocations; a requester alone hears no names")
  func events() throws {
    let seen = Mutex<[DaemonEvent]>([])
    let cancellation = Cancellation()
    defer { cancellation.cancel() }
    let client = daemon.client
    Thread.detachNewThread {
      try? client.follow("/v1/events", as: DaemonEvent.self, cancellation: cancellation) { event in
        seen.withLock { $0.append(event) }
        return true
      }
    }
    #expect(eventually { seen.withLock { $0 == [.hello(isListening: false)] } })
    _ = try daemon.client.decide(
      DecisionRequest(decision: "revoke", confirmation: .terminal), about: consent)
    #expect(eventually { seen.withLock { $0.contains(.revoked(consent: consent)) } })
    daemon.end()
    #expect(eventually { seen.withLock { $0.last == .stopping } })
  }

  @Test("R8: erasing all ends what listens and leaves no record and no requester in the bytes")
  func erased() throws {
    let listening = RunningListening(daemon.client)
    let use = try #require(waitForUse())
    #expect(throws: ClientError.self) { try daemon.client.eraseAll(confirmation: .command) }
    #expect(RunningDaemon.isRunning(use.process))
    _ = try daemon.client.eraseAll(confirmation: .terminal)
    #expect(!RunningDaemon.isRunning(use.process))
    #expect(eventually { listening.result?.outcome == .denied })
    #expect(try daemon.client.ledger().entries.isEmpty)
    #expect(try daemon.client.status().microphone == "undetermined")
    #expect(try daemon.client.verifyLedger().isIntact)
    daemon.end()
    let needle = Array("EarshotPackageTests".utf8)
    for case let name as String in FileManager.default.enumerator(
      atPath: "\(daemon.folder)/state") ?? .init()
    {
      let bytes = FileManager.default.contents(atPath: "\(daemon.folder)/state/\(name)") ?? Data()
      #expect(bytes.range(of: Data(needle)) == nil, "\(name)")
    }
  }

  @Test("W6: sixteen listenings run at once and the seventeenth is told")
  func bounded() throws {
    // Equal questions share one prompt, which nobody answers, so that all of them wait.
    let agent = TestAgent(daemon.client) { _ in nil }
    let request = ListenRequest(limit: 11)
    let running = (0..<ServiceLimits.listenings).map { _ in
      RunningListening(daemon.client, request)
    }
    #expect(eventually { agent.prompts.count == 1 })
    // One more that comes before the last of them would take its place.
    #expect(eventually { running.allSatisfy(\.hasBegun) })
    var refusal: ClientError?
    #expect(
      eventually(seconds: 5) {
        do throws(ClientError) {
          try daemon.client.listen(request) { _ in false }
        } catch {
          refusal = error
        }
        return refusal != nil
      })
    guard case .refused(let problem) = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(problem.status == 503 && problem.reason == "busy")
    #expect(running.allSatisfy { $0.result == nil })
    for listening in running { listening.cancel() }
    #expect(eventually { agent.gone == ["withdrawn"] })
  }
}
