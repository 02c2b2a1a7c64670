import EarshotClient
import Foundation
import Glibc
import Testing

@testable import EarshotService

@Suite("Sound over the API", .serialized)
struct MatchingTests {
  private let daemon: RunningDaemon

  init() throws {
    daemon = try RunningDaemon()
    try daemon.addCatalog()
  }

  /// Seconds of the catalog's one item, as a WAV file of 16 bits at 16 kHz.
  private func wav(from begin: Int, to end: Int, repeated: Int = 1) -> [UInt8] {
    var body: [UInt8] = []
    for sample in RunningDaemon.itemSamples(seconds: end).dropFirst(begin * 16_000) {
      withUnsafeBytes(of: Int16(max(-1, min(1, sample)) * 30_000).littleEndian) { body += $0 }
    }
    let once = body
    for _ in 1..<repeated { body += once }
    func bytes(_ number: Int) -> [UInt8] {
      withUnsafeBytes(of: UInt32(number).littleEndian) { Array($0) }
    }
    return Array("RIFF".utf8) + bytes(36 + body.count) + Array("WAVEfmt ".utf8) + bytes(16)
      + [1, 0, 1, 0] + bytes(16_000) + bytes(32_000) + [2, 0, 16, 0] + Array("data".utf8)
      + bytes(body.count) + body
  }

  private func post(
    _ body: [UInt8], _ query: String = "", headers: [String] = []
  ) -> (status: Int, result: ListenResult?, text: String) {
    let answer = RawConnection.exchange(
      daemon.socket, "POST", "/v1/match" + query, headers: headers, body: body)
    let text = answer.components(separatedBy: "\r\n\r\n").dropFirst().joined()
    let result = try? JSONDecoder().decode(ListenResult.self, from: Data(text.utf8))
    return (status(of: answer), result, text)
  }

  @Test("recognises a sound in the body, asks for no consent and records nothing")
  func matched() throws {
    let answer = post(wav(from: 3, to: 9), "?catalog=one&goal=place")
    #expect(answer.status == 200, "\(answer.text)")
    let match = try #require(answer.result?.matches.first, "\(answer.text)")
    #expect(answer.result?.outcome == .match)
    #expect(match.id == "one" && match.catalog == "one")
    #expect(abs(match.offset - 3) < 0.05)
    #expect(answer.result?.use == nil)
    #expect(try daemon.client.uses().isEmpty)
    #expect(try daemon.client.ledger().entries.isEmpty)
    #expect(eventually { daemon.children.isEmpty })
  }

  @Test("takes no more of a long sound than its limit, and reads the rest of the body to its end")
  func limited() throws {
    let answer = post(
      wav(from: 0, to: 10, repeated: 8), "?limit=5&earliest=true")
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer.result?.outcome == .match)
    #expect((answer.result?.heard ?? 99) <= 5.01)
  }

  @Test("the daemon holds one piece of a sound at a time, however long it is")
  func bounded() throws {
    func resident() -> Int {
      let text = try? String(
        contentsOfFile: "/proc/\(daemon.processIdentifier)/status", encoding: .utf8)
      let line = text?.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
      return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
    _ = post(wav(from: 3, to: 9))
    let before = resident()
    #expect(post(wav(from: 0, to: 10, repeated: 60), "?limit=2").status == 200)
    #expect(resident() - before < 8 << 10, "\(before) to \(resident()) KiB")
  }

  @Test("what can't be read is 415 and names who can; what holds no sound says so")
  func unreadable() {
    let other = post(Array("%PDF-1.4 this is no sound at all, whatever its name".utf8))
    #expect(other.status == 415 && other.text.contains("earshot match"), "\(other)")
    let empty = post([])
    #expect(empty.status == 200, "\(empty)")
    #expect(empty.result?.outcome == .error && empty.result?.explanation?.reason == "no-sound")
    let silent = post(Array(wav(from: 0, to: 1).prefix(44)) + [UInt8](repeating: 0, count: 96_000))
    #expect(silent.result?.outcome == .noSignal, "\(silent)")
  }

  @Test(
    "what it can't be asked for is refused before any sound is read",
    arguments: ["?limit=0", "?limit=33", "?limit=nan", "?goal=x", "?earliest=1"])
  func refused(query: String) {
    #expect(post(wav(from: 0, to: 1), query).status == 422)
  }

  @Test("W6: a body over its size is refused by its length, before it is sent")
  func tooLarge() {
    let connection = RawConnection(daemon.socket)
    connection.send(
      "POST /v1/match HTTP/1.1\r\nHost: x\r\nContent-Length: \(ServiceLimits.soundBytes + 1)\r\n\r\n"
    )
    #expect(status(of: connection.read(until: "}")) == 413)
    #expect(eventually { daemon.children.isEmpty })
  }

  @Test(
    "W6: four sounds are matched at once, a fifth is told, and clients that go give their place back"
  )
  func places() throws {
    let head = "POST /v1/match HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
    var open: [RawConnection] = []
    for _ in 0..<ServiceLimits.matches {
      let connection = RawConnection(daemon.socket)
      connection.send(Array(head.utf8) + wav(from: 0, to: 1).prefix(2000))
      open.append(connection)
    }
    #expect(eventually { daemon.children.count == ServiceLimits.matches })
    #expect(post(wav(from: 0, to: 1)).status == 503)
    open.removeAll()
    #expect(eventually { daemon.children.isEmpty })
    #expect(post(wav(from: 3, to: 9)).status == 200)
  }

  @Test("a stop in the middle of a sound ends its worker and leaves nothing")
  func stopped() throws {
    let connection = RawConnection(daemon.socket)
    let head = "POST /v1/match HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    connection.send(Array(head.utf8) + Array("400\r\n".utf8) + wav(from: 0, to: 1).prefix(1024))
    #expect(eventually { daemon.children.count == 1 })
    let children = daemon.children
    let end = daemon.end()
    #expect(end.status == 0 && end.seconds < 2, "\(end) \(daemon.log)")
    #expect(children.allSatisfy { !RunningDaemon.isRunning($0) })
  }
}
