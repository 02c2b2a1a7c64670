import EarshotClient
import EarshotConsent
import Foundation
import Testing

@testable import EarshotService

@Suite("Serving", .serialized)
struct ServingTests {
  private static let json = ["Content-Type: application/json"]

  @Test("R6: whoever is no listed agent gets its own status and nothing else")
  func strangers() throws {
    let daemon = try RunningDaemon(isAgent: false)
    let status = try daemon.client.status()
    #expect(!status.isAgent)
    #expect(status.microphone == "undetermined")
    let targets = [
      "GET /v1/consents", "GET /v1/consents/x", "GET /v1/consents/x/receipt", "GET /v1/uses",
      "GET /v1/ledger", "GET /v1/ledger/verify", "GET /v1/ledger/export", "GET /v1/prompts",
      "GET /v1/library", "GET /v1/library/export", "GET /v1/privacy", "DELETE /v1/library",
      "DELETE /v1/library/1", "POST /v1/consents", "POST /v1/consents/x/decision",
      "POST /v1/prompts/x/answer", "POST /v1/library/consent", "POST /v1/erase",
    ]
    for target in targets {
      let parts = target.split(separator: " ").map(String.init)
      let answer = RawConnection.exchange(
        daemon.socket, parts[0], parts[1], headers: Self.json, body: Array("{}".utf8))
      #expect(EarshotServiceTests.status(of: answer) == 403, "\(target): \(answer.prefix(80))")
      #expect(answer.contains("application/problem+json"))
      #expect(!answer.contains("entries"))
    }
  }

  @Test("C2, C3: a start and a daemon that idles bring up no prompt and start no worker")
  func quiet() throws {
    let daemon = try RunningDaemon()
    try daemon.addCatalog()
    let agent = TestAgent(daemon.client) { _ in "allow-once" }
    for _ in 0..<15 {
      usleep(100_000)
      #expect(agent.prompts.isEmpty)
      #expect(daemon.children.isEmpty)
    }
    #expect(try daemon.client.ledger().entries.isEmpty)
  }

  @Test("A4: whatever goes wrong is told with what it means and the next step")
  func told() {
    let reasons: [ListeningControl.Reason] = [
      .requesterGone, .daemonStopping, .unseen, .stopped, .restricted, .revoked,
    ]
    let workers = ["device-hung", "worker-overdue", "worker-slow", "worker-not-started", "other"]
    let switches = MicrophoneSwitch.Source.allCases.map { Explanation.restricted($0.rawValue) }
    let all: [Explanation] =
      [
        .forbidden, .denied, .nobodyToAsk, .unseen, .promptBusy, .unidentified, .unknownSource,
        .noCatalog, .unnamedCatalog, .tooOften(3), .resting(3), .ledger(.head(errno: ENOSPC)),
        .dismissed("timeout"),
      ] + reasons.map { .cancelled($0) } + workers.map { .worker($0) } + switches
    for one in all {
      for part in [one.happened, one.means, one.next] {
        #expect(part.count > 8, "\(one.reason): \(part)")
        #expect(part.last == "." || one.reason == "restricted", "\(one.reason): \(part)")
      }
      #expect(one.reason.allSatisfy { $0.isLowercase || $0 == "-" }, "\(one.reason)")
    }
  }

  @Test("C4: asking for the status and for lists leaves no record")
  func noTrace() throws {
    let daemon = try RunningDaemon()
    for _ in 0..<3 { _ = try daemon.client.status() }
    _ = try daemon.client.catalogs()
    _ = try daemon.client.consents()
    #expect(try daemon.client.ledger().entries.isEmpty)
    let found = try daemon.client.verifyLedger()
    #expect(found.isIntact && found.records == 0)
  }

  @Test(
    "names what is wrong with a request and lives on",
    arguments: [
      ("POST", "/v1/listen", "{", 400), ("POST", "/v1/listen", "", 400),
      ("POST", "/v1/listen", #"{"limit":"x"}"#, 400), ("POST", "/v1/listen", #"{"limit":0}"#, 422),
      ("POST", "/v1/listen", #"{"limit":30.01}"#, 422), ("POST", "/v1/listen", "[]", 400),
      ("POST", "/v1/listen", #"{"purpose":"none"}"#, 422),
      ("POST", "/v1/listen", #"{"purpose":"save"}"#, 422),
      ("POST", "/v1/listen", #"{"goal":"other"}"#, 400),
      ("POST", "/v1/consents", "{}", 400), ("POST", "/v1/prompts/x/answer", "{}", 400),
      ("POST", "/v1/prompts/x/answer", #"{"choice":"deny"}"#, 404),
      ("GET", "/v1/consents/none", "", 404), ("GET", "/v1/nothing", "", 404), ("GET", "/", "", 404),
      ("GET", "/v1/catalogs/none/items", "", 404), ("PUT", "/v1/status", "", 405),
      ("GET", "/v1/listen", "", 405), ("GET", "/v1/ledger?after=x", "", 400),
      ("GET", "/v1/ledger?after=-1", "", 400), ("DELETE", "/v1/library/7", "", 403),
      ("DELETE", "/v1/library/7?confirmation=terminal", "", 404),
    ])
  func wrong(method: String, target: String, body: String, expected: Int) throws {
    let daemon = Self.shared
    let answer = RawConnection.exchange(
      daemon.socket, method, target, headers: Self.json, body: Array(body.utf8))
    #expect(EarshotServiceTests.status(of: answer) == expected, "\(answer)")
    #expect(answer.contains("urn:earshot:problem:"))
    #expect(try daemon.client.status().process == daemon.processIdentifier)
  }

  /// One daemon for the requests that change nothing; a private one, so that it ends with this
  /// process.
  private static let shared: RunningDaemon = {
    // A static is never let go, so its folders are removed when this process ends.
    atexit { ServingTests.shared.removeFolders() }
    do { return try RunningDaemon(arguments: ["--private"]) } catch {
      fatalError("the daemon does not start: \(error)")
    }
  }()

  @Test("W6: takes a body of the largest size and refuses one byte more, told or untold")
  func bodies() throws {
    let daemon = Self.shared
    let exchange = { (count: Int) in
      RawConnection.exchange(
        daemon.socket, "POST", "/v1/listen", headers: Self.json,
        body: Array(#"{"purpose":"none"}"#.utf8) + [UInt8](repeating: 0x20, count: count - 18))
    }
    #expect(status(of: exchange(ServiceLimits.bodyBytes)) == 422)
    #expect(status(of: exchange(ServiceLimits.bodyBytes + 1)) == 413)
    let connection = RawConnection(daemon.socket)
    connection.send("POST /v1/listen HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999\r\n\r\n")
    #expect(status(of: connection.read(until: "\r\n\r\n")) == 413)
    let chunked = RawConnection(daemon.socket)
    chunked.send(
      "POST /v1/listen HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = String(repeating: " ", count: 0x8000)
    for _ in 0..<3 { chunked.send("8000\r\n\(chunk)\r\n") }
    chunked.send("0\r\n\r\n")
    #expect(status(of: chunked.read()) == 413)
  }

  @Test("refuses a body that is not JSON by its type")
  func contentType() {
    let answer = RawConnection.exchange(
      Self.shared.socket, "POST", "/v1/listen", headers: ["Content-Type: text/plain"],
      body: Array("{}".utf8))
    #expect(status(of: answer) == 415)
  }

  @Test("W6: refuses an address over its limit, and a header that is too large")
  func addresses() {
    let long = String(repeating: "a", count: ServiceLimits.targetBytes)
    #expect(status(of: RawConnection.exchange(Self.shared.socket, "GET", "/" + long)) == 414)
    let huge = String(repeating: "a", count: ServiceLimits.connectionMemory)
    let answer = RawConnection.exchange(
      Self.shared.socket, "GET", "/v1/status", headers: ["X: \(huge)"])
    #expect((400..<500).contains(status(of: answer)))
  }

  @Test("garbage and half requests harm nobody else")
  func garbage() throws {
    let daemon = Self.shared
    let half = RawConnection(daemon.socket)
    half.send("POST /v1/listen HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
    let noise = RawConnection(daemon.socket)
    noise.send((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) })
    _ = noise.read()
    #expect(try daemon.client.status().process == daemon.processIdentifier)
  }

  @Test("slow followers and dead ones never hold the daemon up")
  func slowFollowers() throws {
    let daemon = try RunningDaemon()
    var slow: [RawConnection] = []
    for index in 0..<ServiceLimits.streams {
      let connection = RawConnection(daemon.socket)
      connection.send("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
      if index % 2 == 0 { _ = connection.read(until: "hello") }
      slow.append(connection)
    }
    #expect(eventually { slow.count == ServiceLimits.streams })
    // One past the limit is told so.
    usleep(200_000)
    let answer = RawConnection.exchange(daemon.socket, "GET", "/v1/events")
    #expect(status(of: answer) == 503)
    let began = ProcessInfo.processInfo.systemUptime
    for _ in 0..<50 { _ = try daemon.client.status() }
    #expect(ProcessInfo.processInfo.systemUptime - began < 10)
    // Their ends are noticed, so that others find room.
    slow.removeAll()
    #expect(
      eventually {
        let connection = RawConnection(daemon.socket)
        connection.send("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
        return status(of: connection.read(until: "\r\n\r\n")) == 200
      })
  }

  @Test("stops within 2 s with streams, a prompt and a half request open")
  func stops() throws {
    let daemon = try RunningDaemon()
    try daemon.addCatalog()
    let events = RawConnection(daemon.socket)
    events.send("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
    _ = events.read(until: "hello")
    let agent = RawConnection(daemon.socket)
    agent.send("GET /v1/prompts HTTP/1.1\r\nHost: x\r\n\r\n")
    _ = agent.read(until: "ready")
    let half = RawConnection(daemon.socket)
    half.send("POST /v1/listen HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
    let listening = RawConnection(daemon.socket)
    listening.send(
      "POST /v1/listen HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        + "Accept: text/event-stream\r\nContent-Length: 2\r\n\r\n{}")
    _ = listening.read(until: "event: prompt")
    let end = daemon.end()
    #expect(end.status == 0, "\(daemon.log)")
    #expect(end.seconds < 2)
    #expect(listening.read().contains("daemon-stopping"))
    #expect(!FileManager.default.fileExists(atPath: daemon.socket))
  }
}
