import EarshotCatalog
import EarshotClient
import EarshotSignature
import Foundation
import Glibc
import Synchronization
import Testing

@testable import EarshotService

/// Captions that a test follows on a thread of its own.
private final class FollowedCaptions: Sendable {
  private let cancellation = Cancellation()
  private let seen = Mutex<[(event: CaptionsEvent, seconds: Double)]>([])
  private let failure = Mutex<ClientError?>(nil)

  init(_ client: DaemonClient, _ path: String) {
    let cancellation = cancellation
    Thread.detachNewThread { [self] in
      do {
        try client.follow(path, as: CaptionsEvent.self, cancellation: cancellation) { event in
          seen.withLock { $0.append((event, Clock.monotonicSeconds())) }
          return true
        }
      } catch {
        failure.withLock { $0 = error as? ClientError }
      }
    }
  }

  deinit { cancellation.cancel() }

  func leave() { cancellation.cancel() }

  var events: [(event: CaptionsEvent, seconds: Double)] { seen.withLock { $0 } }

  var refusal: Int? {
    if case .refused(let problem) = failure.withLock({ $0 }) { problem.status } else { nil }
  }

  var ready: CaptionsReady? {
    for case (.ready(let ready), _) in events { return ready }
    return nil
  }

  /// What appears and goes away, in order, as `+id` and `-id`; parts by their item.
  var contents: [String] {
    events.compactMap { event, _ in
      switch event {
      case .cue(let cue): "+" + cue.text
      case .cueEnd(let cue): "-" + cue.text
      case .part(let part): "+part " + part.id
      case .partEnd(let part): "-part " + part.id
      default: nil
      }
    }
  }
}

@Suite("Captions over the API", .serialized)
struct CaptionsTests {
  private static let captions = """
    WEBVTT

    00:01.000 --> 00:01.600
    <i>One</i> & <b>two</b>

    00:01.300 --> 00:01.900 line:10%
    Lap

    00:09.000 --> 00:10.000
    Late
    """

  /// A daemon with a catalog of one film: captions in two languages, chapters, and two parts.
  private func daemonWithFilm() throws -> RunningDaemon {
    let daemon = try RunningDaemon(configuration: #"{"source":"default"}"#)
    let folder = "\(daemon.folder)/data/earshot/catalogs"
    var analyzer = ReferenceAnalyzer()
    var state: UInt64 = 7
    for _ in 0..<20 {
      let samples = (0..<16_000).map { _ -> Float in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Float(Int64(bitPattern: state) >> 40) / Float(1 << 24)
      }
      analyzer.append(samples.span)
    }
    var writer = try CatalogWriter(path: Array("\(folder)/films.earshot".utf8))
    let index = try writer.append(analyzer.finish())
    var film = MediaItem(id: "film", title: "A Film")
    film.captions = ["en": "film.en.vtt", "ru": "film.ru.vtt", "en.chapters": "film.chapters.vtt"]
    film.signLanguageVideo = "film.mp4"
    try writer.append(film, signatureIndex: index)
    var part = MediaItem(id: "step", title: "A Step")
    part.timeRanges = [.init(start: 1.1, end: 1.8)]
    part.custom = .object(["number": .integer(3), "names": .array([.string("a"), .null])])
    try writer.append(part, signatureIndex: index)
    try writer.finish()
    try Self.captions.write(
      toFile: "\(folder)/film.en.vtt", atomically: true, encoding: .utf8)
    try "WEBVTT\n\n00:01.000 --> 00:02.000\nРаз\n".write(
      toFile: "\(folder)/film.ru.vtt", atomically: true, encoding: .utf8)
    try "WEBVTT\n\n00:00.500 --> 00:05.000\nBeginning\n".write(
      toFile: "\(folder)/film.chapters.vtt", atomically: true, encoding: .utf8)
    return daemon
  }

  @Test("C11: by hand, cues, chapters and parts come and go in time, and no microphone is needed")
  func byHand() throws {
    let daemon = try daemonWithFilm()
    let began = Clock.monotonicSeconds()
    let shown = FollowedCaptions(
      daemon.client, "/v1/captions/by-hand/en?item=film&at=0.7&catalog=films")
    #expect(eventually { shown.contents.contains("-part step") && shown.contents.count >= 7 })
    let ready = try #require(shown.ready)
    #expect(ready.language == "en" && ready.languages == ["en", "ru"])
    #expect(ready.tracks == ["captions", "chapters"])
    #expect(ready.title == "A Film" && ready.catalog == "films" && ready.duration == 20)
    #expect(ready.signLanguageVideo == "film.mp4" && ready.faults.isEmpty)
    #expect(
      shown.contents == [
        "+Beginning", "+One & two", "+part step", "+Lap", "-One & two", "-part step", "-Lap",
      ])
    for (event, seconds) in shown.events {
      guard case .cue(let cue) = event, cue.track == "captions" else { continue }
      let clock = try #require(cue.clock)
      #expect(clock.position >= cue.start && clock.speed == 1)
      #expect(seconds - began > cue.start - 0.7, "no cue comes early")
      #expect(Double(clock.monotonic) / 1e9 <= seconds, "the clock is the system's")
      #expect(cue.text == "Lap" ? cue.fromTop == 0.1 : cue.fromTop == nil)
    }
    for case (.part(let part), _) in shown.events {
      #expect(
        part.custom == .object(["number": .integer(3), "names": .array([.string("a"), .null])]))
    }
    #expect(try daemon.client.ledger().entries.isEmpty && daemon.children.isEmpty)
  }

  @Test("takes the nearest language, and says which there are", arguments: ["ru", "ru-RU", "fr"])
  func language(tag: String) throws {
    let daemon = try daemonWithFilm()
    let shown = FollowedCaptions(daemon.client, "/v1/captions/by-hand/\(tag)?item=film&at=1.2")
    #expect(eventually { shown.contents.contains(tag == "fr" ? "+One & two" : "+Раз") })
    #expect(shown.ready?.language == (tag == "fr" ? "en" : "ru"))
  }

  @Test("shifts cues by 0.1 s while they run, and goes to a place that a person names")
  func changed() throws {
    let daemon = try daemonWithFilm()
    let shown = FollowedCaptions(daemon.client, "/v1/captions/by-hand/en?item=film&at=15&speed=0")
    #expect(eventually { shown.ready != nil })
    let id = try #require(shown.ready?.listening)
    func change(_ change: CaptionsChange) throws {
      let _: DoneMessage = try daemon.client.post("/v1/captions/\(id)", change)
    }
    try change(CaptionsChange(position: 8.95, speed: 0))
    usleep(200_000)
    #expect(!shown.contents.contains("+Late"), "it is held 0.05 s before the cue")
    try change(CaptionsChange(shift: 0.1))
    #expect(eventually { shown.contents.last == "+Late" })
    try change(CaptionsChange(shift: -0.1))
    #expect(eventually { shown.contents.last == "-Late" })
  }

  @Test("what cannot be is refused")
  func refused() throws {
    let daemon = try daemonWithFilm()
    for (path, status) in [
      ("/v1/captions/none/en", 404), ("/v1/captions/by-hand/en?item=none", 404),
      ("/v1/captions/by-hand/en", 400), ("/v1/captions/by-hand/en?item=film&at=-1", 422),
      ("/v1/captions/by-hand/en?item=film&speed=2.1", 422),
      ("/v1/captions/by-hand/en?item=film&check=9", 422),
      ("/v1/captions/by-hand/en?item=film&catalog=none", 404),
    ] {
      let shown = FollowedCaptions(daemon.client, path)
      #expect(eventually { shown.refusal != nil }, "\(path)")
      #expect(shown.refusal == status, "\(path)")
    }
  }

  @Test("a file that a link leads to elsewhere is not read, and the rest is shown")
  func outside() throws {
    let daemon = try daemonWithFilm()
    let file = "\(daemon.folder)/data/earshot/catalogs/film.en.vtt"
    try FileManager.default.moveItem(atPath: file, toPath: "\(daemon.folder)/elsewhere.vtt")
    try FileManager.default.createSymbolicLink(
      atPath: file, withDestinationPath: "\(daemon.folder)/elsewhere.vtt")
    let shown = FollowedCaptions(daemon.client, "/v1/captions/by-hand/en?item=film&at=0.9")
    #expect(eventually { shown.contents.contains("+part step") })
    #expect(shown.ready?.tracks == ["chapters"] && shown.ready?.language == nil)
    #expect(shown.ready?.faults == ["captions: it does not lie beside the catalog"])
    #expect(!shown.contents.contains("+One & two"))
  }

  @Test("W6: sixteen captions run at once, and one more is refused until one ends")
  func bounded() throws {
    let daemon = try daemonWithFilm()
    let path = "/v1/captions/by-hand/en?item=film&speed=0"
    let all = (0..<ServiceLimits.captions).map { _ in FollowedCaptions(daemon.client, path) }
    #expect(eventually { all.allSatisfy { $0.ready != nil } })
    let more = FollowedCaptions(daemon.client, path)
    #expect(eventually { more.refusal != nil })
    #expect(more.refusal == 503)
    all[0].leave()
    #expect(
      eventually {
        let again = FollowedCaptions(daemon.client, path)
        return eventually(seconds: 1) { again.ready != nil || again.refusal != nil }
          && again.ready != nil
      })
  }

  @Test("B7: a program that shows captions is offered 'Allow While Captions Are On', and it lasts")
  func asked() throws {
    let daemon = try RunningDaemon(
      configuration: #"{"source":"default"}"#,
      environment: ["PULSE_SERVER": "unix:/nonexistent/pulse"])
    try daemon.addCatalog()
    let agent = TestAgent(daemon.client) { _ in "allow-captions" }
    let request = ListenRequest(purpose: "captions", goal: .place, whileCaptions: true)
    for _ in 0..<2 {
      try daemon.client.listen(request) { _ in true }
    }
    #expect(
      agent.prompts.map { $0.buttons.map(\.label) }
        == [["Allow Once", "Allow While Captions Are On", "Don't Allow"]])
    #expect(try daemon.client.uses().count == 2, "each listening is a use")
    let consent = try #require(try daemon.client.consents().first)
    #expect(consent.decision == "allow-captions" && consent.standing == "allowed")
    let path = "/v1/status?goal=place&purpose=captions"
    let with: StatusMessage = try daemon.client.get(path + "&while=captions")
    let without: StatusMessage = try daemon.client.get(path)
    #expect(with.microphone == "allowed" && without.microphone == "undetermined")
    // A daemon that is started anew finds this process alive, and lets the consent stand.
    daemon.end(SIGKILL)
    try daemon.start()
    let again: StatusMessage = try daemon.client.get(path + "&while=captions")
    #expect(again.microphone == "allowed")
  }
}
