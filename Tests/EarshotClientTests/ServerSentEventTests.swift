import Foundation
import Testing

@testable import EarshotClient

@Suite("Server-sent events")
struct ServerSentEventTests {
  private func decode(_ text: String, pieces: Int = Int.max) throws -> [ServerSentEvent] {
    var decoder = ServerSentEventDecoder()
    var events: [ServerSentEvent] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      events += try decoder.append(Array(rest.prefix(pieces)))
      rest = rest.dropFirst(pieces)
    }
    return events
  }

  @Test("the same events come out of any pieces", arguments: [1, 2, 3, 7, 1000])
  func pieces(size: Int) throws {
    let text =
      "\u{FEFF}event: a\r\ndata: é🎵\r\n\r\n: comment\n\nevent:b\rdata: 1\rdata:2\r\rdata: x\n\n"
    let expected = [
      ServerSentEvent(name: "a", data: "é🎵"), ServerSentEvent(name: "b", data: "1\n2"),
      ServerSentEvent(name: "message", data: "x"),
    ]
    #expect(try decode(text, pieces: size) == expected)
  }

  @Test("an event without data, unknown fields and comments are nothing")
  func nothing() throws {
    #expect(try decode("event: a\n\n:\n\nid: 3\nretry: 5\n\nwhat\n\n").isEmpty)
  }

  @Test("an event that has not ended does not come")
  func open() throws {
    #expect(try decode("event: a\ndata: {}\n").isEmpty)
  }

  @Test("W6: takes an event of the largest size and refuses one byte more")
  func large() throws {
    let field = "data:"
    let largest = field + String(repeating: "x", count: ServerSentEventDecoder.limit - field.count)
    #expect(try decode(largest + "\n\n").count == 1)
    #expect(throws: ClientError.answerTooLarge(limit: ServerSentEventDecoder.limit)) {
      try decode(largest + "x\n\n")
    }
  }

  @Test("comments never fill the measure")
  func comments() throws {
    let comment = ":" + String(repeating: "x", count: 1 << 19) + "\n"
    #expect(try decode(comment + comment + comment + "data: 1\n\n").count == 1)
  }

  static let events: [ListenEvent] = [
    .prompt(id: "1"), .listening(use: "u", source: "s", limit: 12),
    .level(seconds: 0.128, peakDecibels: -23.5, secondsLeft: 11.9),
    .closed(milliseconds: 1532.25, reason: "decided"),
    .result(
      ListenResult(
        outcome: .match, heard: 1.5,
        matches: [
          MatchedItem(
            id: "a/b", title: "\"}{\n", offset: 3.25, speed: nil, confidence: 0.999, coverage: 0.5)
        ])),
    .saved(id: "7"),
  ]

  @Test("every event of a listening survives the wire as flat JSON", arguments: events)
  func roundTrip(event: ListenEvent) throws {
    let wire = try event.serverSentEvent()
    #expect(!wire.data.contains("\n") && !wire.data.contains("_0"))
    #expect(!wire.data.hasPrefix("{\"\(wire.name)\""))
    #expect(try ListenEvent(wire) == event)
  }

  @Test("prompts and the daemon's events survive the wire")
  func others() throws {
    let prompt = PromptMessage(
      id: "1", capability: "microphone", title: "t", message: nil, language: "en",
      buttons: [.init(choice: "deny", label: "Don't Allow")], secondsLeft: 60)
    for event in [PromptEvent.ready(agents: 2), .shown(prompt), .gone(id: "1", reason: "answered")]
    {
      #expect(try PromptEvent(event.serverSentEvent()) == event)
    }
    for event in [DaemonEvent.hello(isListening: true), .stopping, .revoked(consent: "c")] {
      #expect(try DaemonEvent(event.serverSentEvent()) == event)
    }
  }

  @Test("an event of a newer daemon is skipped, a broken one of ours is not")
  func unknown() throws {
    #expect(try ListenEvent(ServerSentEvent(name: "future", data: "{\"a\":1}")) == nil)
    #expect(throws: ClientError.unreadableAnswer(status: 200)) {
      try ListenEvent(ServerSentEvent(name: "prompt", data: "{}"))
    }
    #expect(throws: ClientError.unreadableAnswer(status: 200)) {
      try ListenEvent(ServerSentEvent(name: "prompt", data: "{"))
    }
    #expect(throws: ClientError.unreadableAnswer(status: 200)) {
      try ListenEvent(ServerSentEvent(name: "level", data: "{\"seconds\":\"x\"}"))
    }
  }
}
