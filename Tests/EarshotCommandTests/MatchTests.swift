import Foundation
import Synchronization
import Testing

/// `earshot match` from outside, on tunes that the tests make.
@Suite("match", .serialized)
struct MatchTests {
  /// A folder with a catalog of three tunes of 40 s and a few queries.
  private final class Fixture: @unchecked Sendable {
    // SAFETY: nothing of it changes once it is made.
    let person: PersonalFolder
    let tunes: [[Float]]

    init() throws {
      person = try PersonalFolder()
      tunes = (1...4).map { TuneFile.samples(seed: $0, seconds: 40) }
      for (index, tune) in tunes.prefix(3).enumerated() {
        try TuneFile.write(tune, to: person.path + "/tune\(index + 1).wav")
      }
      let made = try person.run("earshot catalog create -o t.earshot tune1.wav tune2.wav tune3.wav")
      try #require(made.status == 0, "\(made.errors)")
    }

    /// Writes a stretch of a tune, counted from 1, as a query.
    func cut(_ tune: Int, from start: Double, seconds: Double, to name: String) throws {
      let first = Int(start * Double(TuneFile.rate))
      let samples = tunes[tune - 1][first..<(first + Int(seconds * Double(TuneFile.rate)))]
      try TuneFile.write(Array(samples), to: person.path + "/" + name)
    }

    /// Runs `earshot match --json` and reads what it printed.
    func match(_ line: String) throws -> (status: Int32, answers: [[String: Any]]) {
      let ended = try person.run("earshot match -c t.earshot --json \(line)")
      let answers = try ended.output.split(separator: "\n").map { line in
        try #require(
          try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      }
      return (ended.status, answers)
    }
  }

  /// Made once for all tests, which run one after the other, and removed at the end.
  private static let fixture = Result {
    let fixture = try Fixture()
    Self.folders.withLock { $0.append(fixture.person.path) }
    atexit {
      MatchTests.folders.withLock {
        for path in $0 { try? FileManager.default.removeItem(atPath: path) }
      }
    }
    return fixture
  }
  private static let folders = Mutex<[String]>([])

  private static func first(_ answer: [String: Any]) -> [String: Any] {
    (answer["matches"] as? [[String: Any]])?.first ?? [:]
  }

  private static func reason(_ answer: [String: Any]) -> String? {
    (answer["explanation"] as? [String: Any])?["reason"] as? String
  }

  @Test("names the tune, the place in it and the speed, with a confidence of at most 1 (O-66)")
  func names() throws {
    let fixture = try Self.fixture.get()
    try fixture.cut(2, from: 12.5, seconds: 6, to: "q.wav")
    let (status, answers) = try fixture.match("q.wav tune1.wav")
    #expect(status == 0)
    try #require(answers.count == 2)
    #expect(answers[0]["version"] as? Int == 1)
    #expect(answers[0]["query"] as? String == "q.wav")
    #expect(answers[0]["outcome"] as? String == "match")
    let match = Self.first(answers[0])
    #expect((match["id"] as? String)?.contains("tune2") == true)
    let offset = try #require(match["offset"] as? Double)
    #expect(abs(offset - 12.5) < 0.1, "\(offset)")
    for answer in answers {
      let confidence = try #require(Self.first(answer)["confidence"] as? Double)
      #expect(confidence > 0.9 && confidence <= 1)
    }
  }

  @Test("--earliest stops at the first certain moment, and --limit bounds what is used")
  func earliest() throws {
    let fixture = try Self.fixture.get()
    let (_, early) = try fixture.match("--earliest tune3.wav")
    let heard = try #require(early.first?["heard"] as? Double)
    #expect(early.first?["outcome"] as? String == "match")
    #expect(heard > 0.2 && heard < 10, "\(heard)")
    let (_, limited) = try fixture.match("--limit 2.5 tune3.wav")
    #expect(limited.first?["heard"] as? Double == 2.5)
  }

  @Test("a tune that is not there, silence, and next to nothing are three outcomes of their own")
  func nothing() throws {
    let fixture = try Self.fixture.get()
    try fixture.cut(4, from: 3, seconds: 8, to: "other.wav")
    try TuneFile.write([Float](repeating: 0, count: 80_000), to: fixture.person.path + "/still.wav")
    try fixture.cut(1, from: 3, seconds: 0.1, to: "short.wav")
    for (name, outcome, expected) in [
      ("other.wav", "no-match", 1), ("still.wav", "no-signal", 4), ("short.wav", "too-short", 5),
    ] as [(String, String, Int32)] {
      let (status, answers) = try fixture.match(name)
      #expect(answers.first?["outcome"] as? String == outcome, "\(name)")
      #expect(status == expected, "\(name)")
    }
    let (status, _) = try fixture.match("--strict other.wav still.wav short.wav")
    #expect(status == 4)
  }

  @Test("one bad file never stops the batch; each has its own cause; the order is that given")
  func batch() throws {
    let fixture = try Self.fixture.get()
    let path = fixture.person.path
    try Data().write(to: URL(fileURLWithPath: path + "/empty.wav"))
    try Data("This is no sound.\n".utf8).write(to: URL(fileURLWithPath: path + "/text.mp3"))
    try FileManager.default.createDirectory(
      atPath: path + "/folder.wav", withIntermediateDirectories: false)
    try fixture.cut(1, from: 5, seconds: 3, to: "a.wav")
    try fixture.cut(3, from: 5, seconds: 3, to: "b.wav")
    let line = "a.wav empty.wav text.mp3 folder.wav missing.wav b.wav a.wav"
    let (status, answers) = try fixture.match(line)
    #expect(status == 7)
    #expect(answers.map { $0["query"] as? String } == line.split(separator: " ").map(String.init))
    #expect(
      answers.map { $0["outcome"] as? String } == [
        "match", "error", "error", "error", "error", "match", "match",
      ])
    #expect(
      answers.map(Self.reason) == [
        nil, "empty-file", "unrecognised", "not-a-file", "unreadable", nil, nil,
      ])
  }

  @Test("a file that was cut off is answered from what is left; where it says so, with a warning")
  func cutOff() throws {
    let fixture = try Self.fixture.get()
    let made = try fixture.person.run(
      "head -c 300000 tune2.wav > cut.wav && ffmpeg -v error -nostdin -y -i tune2.wav m.mp3 "
        + "&& head -c 60000 m.mp3 > cut.mp3")
    #expect(made.status == 0, "\(made.errors)")
    let (status, answers) = try fixture.match("cut.wav cut.mp3")
    #expect(status == 0)
    #expect(answers.map { $0["outcome"] as? String } == ["match", "match"])
    #expect((answers.last?["warnings"] as? [String])?.isEmpty == false)
  }

  @Test("O-36, O-37, O-38: names of every kind are taken as they are, and JSON stays valid")
  func oddNames() throws {
    let fixture = try Self.fixture.get()
    try fixture.cut(1, from: 5, seconds: 3, to: "a.wav")
    let names = [
      "$'Nue\\xe1.wav'", "$'new\\nline.wav'", "'A & B [live] 100% $(id) ;x.wav'",
      "'concat:x|y.wav'", "'http:x.wav'", "./-n.wav", "./--help.wav",
    ]
    for name in names {
      #expect(try fixture.person.run("cp a.wav \(name)").status == 0)
    }
    let (status, answers) = try fixture.match(
      "\(names.joined(separator: " ")) -- -n.wav --help.wav")
    #expect(status == 0)
    #expect(answers.count == names.count + 2)
    #expect(answers.allSatisfy { $0["outcome"] as? String == "match" })
    #expect(answers[0]["query"] as? String == "Nue\\xe1.wav")
    let raw = try #require(answers[0]["queryRaw"] as? String)
    #expect(Data(base64Encoded: raw) == Data(Array("Nue".utf8) + [0xE1] + Array(".wav".utf8)))
    #expect(answers[1]["query"] as? String == "new\nline.wav")
  }

  @Test("O-09: bare samples with a wrong rate match nothing, and the rate that would is told")
  func wrongRate() throws {
    let fixture = try Self.fixture.get()
    try fixture.cut(2, from: 10, seconds: 6, to: "rate.wav")
    let told = try fixture.person.run(
      "tail -c +45 rate.wav | earshot match -c t.earshot --raw --rate 12000 --channels 1 --format s16 -"
    )
    #expect(told.status == 1)
    #expect(told.output.contains("--rate 16000"), "\(told.output)")
    try TuneFile.write(
      Array(fixture.tunes[3].prefix(6 * TuneFile.rate)), to: fixture.person.path + "/stranger.wav")
    let stranger = try fixture.person.run(
      "tail -c +45 stranger.wav | earshot match -c t.earshot --raw --rate 12000 --channels 1 --format s16 -"
    )
    #expect(stranger.status == 1 && !stranger.output.contains("--rate"), "\(stranger.output)")
  }

  @Test("O-39: standard input is read only where - asks for it")
  func standardInput() throws {
    let fixture = try Self.fixture.get()
    try fixture.cut(1, from: 5, seconds: 3, to: "a.wav")
    let loop = try fixture.person.run(
      "printf '%s\\n' a.wav a.wav a.wav | while IFS= read -r f; do earshot match -c t.earshot \"$f\"; done"
    )
    #expect(loop.output.split(separator: "\n").count == 3)
    let piped = try fixture.person.run("cat a.wav | earshot match -c t.earshot --json -")
    #expect(piped.status == 0)
    #expect(piped.output.contains(#""query":"-""#) && piped.output.contains("tune1"))
    let raw = try fixture.person.run(
      "tail -c +45 a.wav | earshot match -c t.earshot --json --raw --rate 16000 --channels 1 --format s16 -"
    )
    #expect(raw.status == 0 && raw.output.contains("tune1"), "\(raw.output)")
  }

  @Test("a long recording is heard stretch by stretch, and the place counts from its beginning")
  func long() throws {
    let fixture = try Self.fixture.get()
    let silence = [Float](repeating: 0, count: 150 * TuneFile.rate)
    try TuneFile.write(
      silence + fixture.tunes[1], to: fixture.person.path + "/long.wav")
    let (status, answers) = try fixture.match("long.wav")
    #expect(status == 0)
    let answer = try #require(answers.first)
    let offset = try #require(Self.first(answer)["offset"] as? Double)
    #expect(abs(offset + 150) < 0.5, "\(offset)")
    #expect((answer["heard"] as? Double ?? 0) > 150)
  }

  @Test("bare samples may be named as ALSA's tools and ffmpeg name them")
  func rawNames() throws {
    let fixture = try Self.fixture.get()
    try fixture.cut(1, from: 5, seconds: 3, to: "a.wav")
    for name in ["s16", "S16_LE", "s16le"] {
      let ended = try fixture.person.run(
        "tail -c +45 a.wav | earshot match -c t.earshot --raw --rate \(TuneFile.rate) --channels 1 --format \(name) -"
      )
      #expect(ended.status == 0, "\(name): \(ended.errors)")
    }
    let wrong = try fixture.person.run(
      "earshot match -c t.earshot --raw --rate 8000 --channels 1 --format S16_XX a.wav")
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("s16be") && !wrong.errors.contains("S16_LE"))
  }

  @Test("--explain adds the peaks expected and the evidence over time")
  func explain() throws {
    let fixture = try Self.fixture.get()
    try fixture.cut(1, from: 5, seconds: 3, to: "a.wav")
    let (_, answers) = try fixture.match("--explain a.wav")
    let peaks = try #require(answers.first?["peaks"] as? [[String: Any]])
    #expect(peaks.contains { $0["hit"] as? Bool == true })
    #expect(answers.first?["evidence"] is [[String: Any]])
    let shown = try fixture.person.run("earshot match -c t.earshot --explain a.wav")
    let lines = shown.output.split(separator: "\n")
    #expect(lines.contains { $0.contains("best other") && $0.contains("certainty") })
    #expect(lines.allSatisfy { $0.count <= 100 }, "\(shown.output)")
    let counted = lines.flatMap { $0.split(separator: " ") }.filter { $0.contains("/") }
      .compactMap { Int($0.split(separator: "/")[1]) }
    #expect(counted.reduce(0, +) == peaks.count)
  }

  @Test("for people a line says what it is, where in it, and how certain that is")
  func text() throws {
    let fixture = try Self.fixture.get()
    try fixture.cut(1, from: 20, seconds: 4, to: "a.wav")
    let ended = try fixture.person.run("earshot match -c t.earshot a.wav none.wav")
    #expect(ended.status == 7)
    #expect(ended.output.contains("a.wav: ") && ended.output.contains("at 0:20.0"))
    #expect(ended.errors.contains("none.wav"))
  }
}
