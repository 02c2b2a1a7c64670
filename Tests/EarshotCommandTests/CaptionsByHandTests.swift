import Foundation
import TestSupport
import Testing

/// Captions that a person places by hand, on a real terminal: nobody is asked, and nothing listens.
@Suite("Captions by hand", .serialized)
struct CaptionsByHandTests {
  private static func film(in person: PersonalFolder) throws -> String {
    let cues = (0..<40).map { second in
      "00:\(second < 10 ? "0" : "")\(second).000 --> 00:\(second < 10 ? "0" : "")\(second).900\n"
        + "line \(second)\n"
    }
    let path = person.path + "/film.vtt"
    try ("WEBVTT\n\n" + cues.joined(separator: "\n")).write(
      toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test("C11: without a microphone cues come from the place on, and shift by 0.1 s each key")
  func shifted() throws {
    let person = try PersonalFolder()
    let captions = try person.earshot("captions", Self.film(in: person), "--at", "0:10")
    #expect(captions.waits(for: "line 10"), "a cue in whose middle it begins is shown at once")
    #expect(captions.waits(for: "line 12"), "\(captions.shown)")
    for (key, shift) in [("\u{1B}[C", "shift -0.1 s"), ("\u{1B}[C", "shift -0.2 s")] {
      try captions.type(key)
      #expect(captions.waits(for: shift), "\(captions.shown)")
    }
    try captions.type("\u{1B}[D\u{1B}[D\u{1B}[D")
    #expect(captions.waits(for: "shift 0.1 s"), "\(captions.shown)")
    try captions.type("q")
    #expect(captions.end() == 0)
    #expect(!FileManager.default.fileExists(atPath: person.path + "/state"), "nothing is recorded")
  }

  @Test("a place after the last cue is told as that, not passed over")
  func beyond() throws {
    let person = try PersonalFolder()
    let ended = try person.run("earshot captions \(Self.film(in: person)) --at 1:00:00 2>&1")
    #expect(
      ended.output.contains("The captions end at 00:00:39.900, before 01:00:00.000."),
      "\(ended.output)")
  }

  @Test("C11: a speed that is named is the clock's, and the events say so")
  func speed() throws {
    let person = try PersonalFolder()
    let film = try Self.film(in: person)
    let ended = try person.run(
      "timeout --signal=INT 4 earshot captions \(film) --at 20.5 --speed 2 --json")
    let events = try ended.output.split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    let texts = events.filter { $0["event"] as? String == "enter" }
      .compactMap { $0["text"] as? String }
    #expect(texts.starts(with: ["line 20", "line 21", "line 22", "line 23"]), "\(texts)")
    let places = events.filter { $0["event"] as? String == "position" }.compactMap { event in
      (event["position"] as? Double).flatMap { place in
        (event["monotonic"] as? Double).map { (place, $0 / 1e9) }
      }
    }
    let (first, last) = try (#require(places.first), #require(places.last))
    #expect(abs((last.0 - first.0) / (last.1 - first.1) - 2) < 0.01)
    #expect(events.allSatisfy { $0["version"] as? Int == 1 })
  }
}
