import Foundation
import Testing

@testable import EarshotClient

@Suite("Daemon client")
struct DaemonClientTests {
  private func client(_ server: SocketServer, seconds: Double = 5) throws -> DaemonClient {
    try DaemonClient(socket: server.path, timeoutSeconds: seconds)
  }

  @Test("says that no daemon runs, by a missing and by a stale socket")
  func nobody() throws {
    let missing = try DaemonClient(socket: "/tmp/earshot-none-\(UUID().uuidString.prefix(8))")
    #expect(throws: ClientError.noDaemon(code: ENOENT)) { try missing.status() }
    let server = try SocketServer([])
    let stale = server.path + "-stale"
    try FileManager.default.moveItem(atPath: server.path, toPath: stale)
    defer { try? FileManager.default.removeItem(atPath: stale) }
    withExtendedLifetime(server) {}
    let file = "/tmp/earshot-file-\(UUID().uuidString.prefix(8))"
    try Data().write(to: URL(fileURLWithPath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    #expect(throws: ClientError.noDaemon(code: ECONNREFUSED)) {
      try DaemonClient(socket: file).status()
    }
  }

  @Test("a socket's path of 107 bytes is taken and one of 108 is not")
  func longPath() throws {
    _ = try DaemonClient(socket: String(repeating: "a", count: 107))
    #expect(throws: ClientError.socketPathTooLong(length: 108, limit: 107)) {
      try DaemonClient(socket: String(repeating: "a", count: 108))
    }
  }

  @Test("a proxy from the environment is never asked")
  func proxy() throws {
    setenv("http_proxy", "http://127.0.0.1:9", 1)
    defer { unsetenv("http_proxy") }
    let server = try SocketServer([SocketServer.answer(200, #"{"version":1,"count":3}"#)])
    #expect(try client(server).get("/x", as: DoneMessage.self).count == 3)
  }

  @Test("reads an answer that comes in pieces")
  func pieces() throws {
    let whole = SocketServer.answer(200, #"{"version":1,"count":3}"#)
    let server = try SocketServer(whole.map { String($0) })
    #expect(try client(server).get("/x", as: DoneMessage.self).count == 3)
  }

  @Test("a refusal is told with its problem details, a strange one by its status")
  func refusals() throws {
    let problem = ProblemDetails(type: "t", title: "T", status: 403, detail: "d", reason: "r")
    let text = String(decoding: try JSONEncoder().encode(problem), as: UTF8.self)
    let server = try SocketServer([SocketServer.answer(403, text)])
    #expect(throws: ClientError.refused(problem)) { try client(server).status() }
    #expect(throws: ClientError.refused(problem)) { try client(server).prompts { _ in true } }
    let strange = try SocketServer([SocketServer.answer(500, "<html>", type: "text/html")])
    #expect(throws: ClientError.unreadableAnswer(status: 500)) { try client(strange).status() }
    let wrong = try SocketServer([SocketServer.answer(200, "[]")])
    #expect(throws: ClientError.unreadableAnswer(status: 200)) { try client(wrong).status() }
  }

  @Test("a daemon that never answers is given up after the time that was set")
  func silent() throws {
    let server = try SocketServer([])
    #expect(throws: ClientError.timedOut(seconds: 0.4)) {
      try client(server, seconds: 0.4).status()
    }
  }

  @Test("a daemon that ends in mid-answer is told as such")
  func cut() throws {
    let server = try SocketServer([String(SocketServer.answer(200, "{\"version\":1}").dropLast(4))])
    #expect(throws: ClientError.connectionLost) { try client(server).status() }
    let nothing = try SocketServer([""])
    #expect(throws: ClientError.connectionLost) { try client(nothing).status() }
  }

  @Test("cancelling from another thread ends a request at once")
  func cancelled() throws {
    let server = try SocketServer([])
    let cancellation = Cancellation()
    Thread.detachNewThread {
      usleep(100_000)
      cancellation.cancel()
      cancellation.cancel()
    }
    let began = ProcessInfo.processInfo.systemUptime
    #expect(throws: ClientError.cancelled) {
      try client(server).get("/x", as: DoneMessage.self, cancellation: cancellation)
    }
    #expect(ProcessInfo.processInfo.systemUptime - began < 3)
    // What is cancelled stays so.
    #expect(throws: ClientError.cancelled) {
      try client(server).get("/x", as: DoneMessage.self, cancellation: cancellation)
    }
  }

  @Test("hands events on as they come, skips unknown ones, and stops when told")
  func stream() throws {
    let head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    let chunk = { (text: String) in
      String(text.utf8.count, radix: 16) + "\r\n" + text + "\r\n"
    }
    let server = try SocketServer(
      [
        head, chunk("event: prompt\nda"), chunk("ta: {\"id\":\"1\"}\n\n"), chunk(":\n\n"),
        chunk("event: future\ndata: {}\n\n"), chunk("event: saved\ndata: {\"id\":\"2\"}\n\n"),
        chunk("event: saved\ndata: {\"id\":\"3\"}\n\n"),
      ], holds: true)
    var events: [ListenEvent] = []
    try client(server).listen(ListenRequest()) { event in
      events.append(event)
      return event != .saved(id: "2")
    }
    #expect(events == [.prompt(id: "1"), .saved(id: "2")])
  }

  @Test("escapes every part of a path")
  func escapes() {
    #expect(DaemonClient.escaped("a/b c?d#é.%") == "a%2Fb%20c%3Fd%23%C3%A9%2E%25")
    #expect(DaemonClient.escaped("../x") == "%2E%2E%2Fx")
    #expect(DaemonClient.escaped("Az09-_~") == "Az09-_~")
  }

  @Test(
    "looks for a daemon in the person's runtime folder, then the state folder, then the system's")
  func places() {
    #expect(
      DaemonClient.usualSockets(environment: ["XDG_RUNTIME_DIR": "/r", "HOME": "/h"]) == [
        "/r/earshot/socket", "/h/.local/state/earshot/socket", "/run/earshot/socket",
      ])
    #expect(DaemonClient.usualSockets(environment: [:]) == ["/run/earshot/socket"])
  }
}
