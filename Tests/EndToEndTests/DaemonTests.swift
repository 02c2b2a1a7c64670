import EarshotClient
import Foundation
import Testing

/// An agent that answers every prompt by its capability.
private final class AnsweringAgent: Sendable {
  private let cancellation = Cancellation()

  init(_ client: DaemonClient, microphone: String, library: String) {
    let cancellation = cancellation
    let isReady = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? client.prompts(cancellation: cancellation) { event in
        switch event {
        case .ready: isReady.signal()
        case .shown(let prompt):
          let choice = prompt.capability == "library" ? library : microphone
          _ = try? client.answer(choice, to: prompt.id)
        case .gone: break
        }
        return true
      }
    }
    _ = isReady.wait(timeout: .now() + 10)
  }

  deinit { cancellation.cancel() }
}

@Suite("The daemon and a real sound server", .serialized)
struct DaemonTests {
  @Test(
    "S1, S2, S7, L1, L2, L8, R8: asked, heard, closed, recorded, told, saved only on their word, erased"
  )
  func whole() async {
    await #expect(processExitsWith: .success) {
      let daemon = try DaemonInRoom()
      let agent = AnsweringAgent(daemon.client, microphone: "allow-once", library: "save")
      let player = try daemon.play(2)
      defer { player.end() }
      let seen = daemon.watch.events.count
      let listening = ApiListening(daemon.client, ListenRequest(save: .ask))
      check(listening.waitForEnd(), "the listening did not end")
      check(
        listening.names, is: ["prompt", "listening", "closed", "result", "prompt", "saved"])
      let told = try #require(listening.result)
      check(told.result.outcome, is: .match)
      check(told.result.matches.map(\.id), is: ["tune-2"])
      check(!told.result.saved, "the result came before the question to save")
      let gone = try #require(daemon.gone(after: seen))
      note(
        "daemon: result read \(milliseconds(told.nanoseconds, after: gone)) ms after the server"
          + " told that the stream was gone")
      check(try daemon.client.library().map(\.title), is: ["Tune 2"])
      let use = try #require(try daemon.client.uses().first)
      check(use.outcome, is: "match")
      check(use.reason, is: "decided")
      check(use.id, is: told.result.use)
      // What was taken is what was weighed, and a chunk on its way at most.
      let weighed = Int(told.result.heard * 16_000)
      check(
        (weighed...weighed + 8000).contains(use.samples ?? 0),
        "\(use.samples ?? 0) samples were taken and \(weighed) weighed")
      // A request may switch saving off, also where the person has allowed it for good.
      _ = try daemon.client.decideLibrary(
        LibraryConsentRequest(decision: "allow", confirmation: .terminal))
      let saved = try daemon.client.library()
      let again = ApiListening(daemon.client, ListenRequest(save: .never))
      check(again.waitForEnd(), "the second listening did not end")
      check(again.names, is: ["prompt", "listening", "closed", "result"])
      check(again.result?.result.outcome, is: .match)
      check(try daemon.client.library(), is: saved)
      check(try daemon.client.verifyLedger().isIntact, "the ledger is damaged")
      check(!daemon.isOpen, "a capture stream is left")
      _ = agent
      _ = try daemon.client.eraseAll(confirmation: .terminal)
      for file in daemon.keptFiles {
        let bytes = FileManager.default.contents(atPath: file) ?? Data()
        check(bytes.range(of: Data("Tune 2".utf8)) == nil, "the title stands in \(file)")
      }
    }
  }

  @Test("L7: revoking while it listens closes the microphone and drops what was heard")
  func revoked() async {
    await #expect(processExitsWith: .success) {
      let daemon = try DaemonInRoom()
      let consent = try #require(
        try daemon.client.grant(GrantRequest(confirmation: .terminal)).id)
      let player = try daemon.play(99)
      defer { player.end() }
      let seen = daemon.watch.events.count
      let listening = ApiListening(daemon.client, ListenRequest())
      check(
        listening.wait { $0.events.contains { if case .level = $0.event { true } else { false } } },
        "it does not listen")
      let began = monotonicNanoseconds()
      _ = try daemon.client.decide(
        DecisionRequest(decision: "revoke", confirmation: .terminal), about: consent)
      let gone = try #require(daemon.gone(after: seen))
      note("daemon: stream gone \(milliseconds(gone, after: began)) ms after revoking was asked")
      check(listening.waitForEnd(), "the listening did not end")
      let told = try #require(listening.result).result
      check(told.outcome, is: .denied)
      check(told.explanation?.reason, is: "revoked")
      check(told.matches, is: [])
      check(try daemon.client.uses().first?.reason, is: "revoked")
    }
  }

  @Test("L4: an agent of the person stops a listening by its use, and the consent stays")
  func stopped() async {
    await #expect(processExitsWith: .success) {
      let daemon = try DaemonInRoom()
      _ = try daemon.client.grant(GrantRequest(confirmation: .terminal))
      let player = try daemon.play(99)
      defer { player.end() }
      let seen = daemon.watch.events.count
      let listening = ApiListening(daemon.client, ListenRequest())
      check(
        listening.wait { $0.events.contains { if case .level = $0.event { true } else { false } } },
        "it does not listen")
      let use = try #require(try daemon.client.uses().first)
      let began = monotonicNanoseconds()
      _ = try daemon.client.stop(use: use.id)
      let gone = try #require(daemon.gone(after: seen))
      note("daemon: stream gone \(milliseconds(gone, after: began)) ms after a stop was asked")
      check(listening.waitForEnd(), "the listening did not end")
      check(try #require(listening.result).result.explanation?.reason, is: "stopped")
      check(try daemon.client.uses().first?.reason, is: "stopped")
      check(try daemon.client.consents().first?.standing, is: "allowed")
      do {
        _ = try daemon.client.stop(use: use.id)
        check(false, "a use that has ended was stopped once more")
      } catch ClientError.refused(let problem) {
        check(problem.status, is: 404)
      }
    }
  }

  @Test("L2: a client that goes, and a daemon that stops, close the microphone; both are on record")
  func goneAndStopped() async {
    await #expect(processExitsWith: .success) {
      let daemon = try DaemonInRoom()
      _ = try daemon.client.grant(GrantRequest(confirmation: .terminal))
      let player = try daemon.play(99)
      defer { player.end() }
      for reason in ["requester-gone", "daemon-stopping"] {
        let seen = daemon.watch.events.count
        let listening = ApiListening(daemon.client, ListenRequest())
        check(
          listening.wait {
            $0.events.contains { if case .level = $0.event { true } else { false } }
          }, "it does not listen")
        let began = monotonicNanoseconds()
        if reason == "requester-gone" {
          listening.goAway()
        } else {
          check(daemon.end(SIGTERM), is: 0)
          note(
            "daemon: stopped \(milliseconds(monotonicNanoseconds(), after: began)) ms after SIGTERM"
          )
        }
        let gone = try #require(daemon.gone(after: seen))
        note("daemon: stream gone \(milliseconds(gone, after: began)) ms after \(reason)")
        if reason == "daemon-stopping" { try daemon.start() }
        for _ in 0..<400 where try daemon.client.uses().first?.closed == nil { usleep(5000) }
        check(try daemon.client.uses().first?.reason, is: reason)
        check(try daemon.client.uses().first?.outcome, is: "cancelled")
      }
    }
  }

  @Test("L2, L8: killing the daemon closes the microphone, and its next start closes the record")
  func killed() async {
    await #expect(processExitsWith: .success) {
      let daemon = try DaemonInRoom()
      _ = try daemon.client.grant(GrantRequest(confirmation: .terminal))
      let player = try daemon.play(99)
      defer { player.end() }
      let seen = daemon.watch.events.count
      let listening = ApiListening(daemon.client, ListenRequest())
      check(
        listening.wait { $0.events.contains { if case .level = $0.event { true } else { false } } },
        "it does not listen")
      let began = monotonicNanoseconds()
      kill(daemon.process, SIGKILL)
      let gone = try #require(daemon.gone(after: seen))
      note("daemon: stream gone \(milliseconds(gone, after: began)) ms after the daemon was killed")
      check(!daemon.isOpen, "a capture stream is left")
      try daemon.start()
      let use = try #require(try daemon.client.uses().first)
      check(use.reason, is: "daemon lost")
      check(use.closed != nil, "the use is open")
      check(try daemon.client.verifyLedger().isIntact, "the ledger is damaged")
    }
  }
}
