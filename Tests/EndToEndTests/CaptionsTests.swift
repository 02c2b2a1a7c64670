import EarshotCatalog
import EarshotClient
import EarshotSignature
import Foundation
import TestSupport
import Testing

/// An agent that answers every prompt with one choice.
private final class CaptionsAgent: Sendable {
  private let cancellation = Cancellation()

  init(_ client: DaemonClient, choice: String) {
    let cancellation = cancellation
    let isReady = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? client.prompts(cancellation: cancellation) { event in
        switch event {
        case .ready: isReady.signal()
        case .shown(let prompt):
          let offered = prompt.buttons.map(\.choice)
          _ = try? client.answer(
            offered.contains(choice) ? choice : "allow-once", to: prompt.id)
        case .gone: break
        }
        return true
      }
    }
    _ = isReady.wait(timeout: .now() + 10)
  }

  deinit { cancellation.cancel() }
}

/// Captions that are followed over the API, with the times at which their events came.
private final class FollowedCaptions: @unchecked Sendable {
  // SAFETY: the events are guarded by the lock.
  private let lock = NSLock()
  private let cancellation = Cancellation()
  private var seen: [(event: CaptionsEvent, nanoseconds: UInt64)] = []

  init(_ client: DaemonClient, _ path: String) {
    let cancellation = cancellation
    Thread.detachNewThread { [self] in
      try? client.follow(path, as: CaptionsEvent.self, cancellation: cancellation) { event in
        lock.withLock { seen.append((event, monotonicNanoseconds())) }
        return true
      }
    }
  }

  deinit { cancellation.cancel() }

  func leave() { cancellation.cancel() }

  var events: [(event: CaptionsEvent, nanoseconds: UInt64)] { lock.withLock { seen } }

  func wait(seconds: Double, for condition: (CaptionsEvent) -> Bool) -> UInt64? {
    let end = monotonicNanoseconds() + UInt64(seconds * 1e9)
    repeat {
      if let found = events.first(where: { condition($0.event) }) { return found.nanoseconds }
      usleep(5000)
    } while monotonicNanoseconds() < end
    return nil
  }

  var cues: [CaptionsCue] {
    events.compactMap { if case .cue(let cue) = $0.event { cue } else { nil } }
  }

  var checkCount: Int {
    events.count { if case .following = $0.event { true } else { false } }
  }

  var closingCount: Int {
    events.count { if case .closed = $0.event { true } else { false } }
  }

  var lossReason: String? {
    for case (.lost(let lost), _) in events.reversed() { return lost.reason }
    return nil
  }
}

extension VirtualMicrophone {
  /// Plays a file as a loudspeaker does, which no busy machine makes stutter: it reads far ahead, and
  /// the server goes before other programs where the system lets it.
  fileprivate func loudspeaker(_ file: String) throws -> Child {
    for process in [serverProcess] {
      _ = try? run(["chrt", "--all-tasks", "--fifo", "--pid", "20", "\(process)"])
    }
    let player = try Child(
      ["paplay", "--device=mic0", "--latency-msec=1000", file], environment: environment)
    keep(player)
    _ = try? run(["chrt", "--all-tasks", "--fifo", "--pid", "19", "\(player.process)"])
    return player
  }
}

/// A film and another, with captions beside their catalog: a cue at every half second.
private enum Films {
  static let seconds = 40.0

  static func make(in folder: String) throws {
    let catalogs = "\(folder)/data/earshot/catalogs"
    var writer = try CatalogWriter(path: Array("\(catalogs)/films.earshot".utf8))
    for seed in [7, 8] as [UInt64] {
      let sound = TestTune.samples(seed: seed, seconds: seconds)
      var analyzer = ReferenceAnalyzer()
      analyzer.append(sound.span)
      let index = try writer.append(analyzer.finish())
      var item = MediaItem(id: "film-\(seed)", title: "Film \(seed)")
      item.captions = ["en": "film-\(seed).vtt"]
      try writer.append(item, signatureIndex: index)
      try TestTune.write(sound, to: "\(folder)/film-\(seed).wav")
      var text = "WEBVTT\n"
      for number in 0..<Int(seconds * 2) {
        text += "\n\(time(Double(number) / 2)) --> \(time(Double(number) / 2 + 0.4))\n"
        text += "film \(seed) cue \(number)\n"
      }
      try text.write(toFile: "\(catalogs)/film-\(seed).vtt", atomically: true, encoding: .utf8)
    }
    try writer.finish()
  }

  private static func time(_ seconds: Double) -> String { String(format: "00:%06.3f", seconds) }
}

@Suite("Captions heard in a room", .serialized)
struct CaptionsTests {
  /// Seconds by which a cue may be off here, where the player's own start is known no better.
  private static let slack = 0.4

  @Test(
    "B7, L8: cues in time with what is heard; each check a use; ended with the captions on record")
  func heard() async {
    await #expect(processExitsWith: .success) {
      let daemon = try DaemonInRoom()
      try Films.make(in: daemon.room.folder)
      let agent = CaptionsAgent(daemon.client, choice: "allow-captions")
      let film = try daemon.room.loudspeaker("\(daemon.room.folder)/film-7.wav")
      let began = monotonicNanoseconds()
      usleep(500_000)
      let first = ApiListening(
        daemon.client, ListenRequest(catalogs: ["films"], purpose: "guide", goal: .place))
      check(first.waitForEnd(), "the listening did not end")
      let found = try #require(first.result).result
      check(found.outcome, is: .match)
      check(found.matches.map(\.id), is: ["film-7"])
      let use = try #require(found.use)
      let shown = FollowedCaptions(daemon.client, "/v1/captions/\(use)/en?check=10")

      // Checks go on by themselves, as the person allowed, and each is a use.
      check(
        shown.wait(seconds: 25) { _ in shown.closingCount >= 2 && shown.checkCount >= 3 } != nil,
        "no checks: \(shown.events)")
      var offs: [Double] = []
      // The first cue may have begun before the place was found.
      for case (.cue(let cue), let time) in shown.events.drop(while: {
        if case .cueEnd = $0.event { false } else { true }
      }) {
        offs.append(Double(time - began) / 1e9 - cue.start)
      }
      check(offs.count > 5, "few cues: \(offs)")
      let middle = offs.sorted()[offs.count / 2]
      note("captions: cues against the player's start: median \(middle) s of \(offs.count)")
      check(abs(middle) < CaptionsTests.slack, "cues are off by \(middle) s")
      check(offs.sorted()[offs.count * 9 / 10] - middle < 0.2, "cues wander: \(offs)")
      check(shown.cues.allSatisfy { $0.text.hasPrefix("film 7 ") }, "cues of another film")
      let uses = try daemon.client.uses()
      check(uses.count >= 3, "\(uses.count) uses")
      // What is expected is told from 0.8 s on; a place that nobody expects takes two.
      let heard = uses.compactMap(\.samples)
      note("captions: samples of each listening, newest first: \(heard)")
      check(heard.last ?? 0 >= 32_000, "the first place was told too soon")
      check(heard.min() ?? .max < 28_000, "no check was shorter than a search: \(heard)")
      check(uses.allSatisfy { !$0.requester.isEmpty }, "a use without its requester")
      let opened = shown.events.count { if case .listening = $0.event { true } else { false } }
      check(opened >= 2 && opened <= uses.count, "\(opened) listenings were shown")

      // A pause is noticed within the check interval and two seconds, and no cue stays.
      film.end()
      let paused = monotonicNanoseconds()
      let lost = shown.wait(seconds: 14) { if case .lost = $0 { true } else { false } }
      let noticed = try #require(lost, "the pause was not noticed")
      note("captions: pause noticed after \(milliseconds(noticed, after: paused)) ms")
      check(noticed - paused < 12_500_000_000, "noticed too late")
      check(shown.lossReason, is: "silence")
      let standing = shown.events.reduce(into: Set<String>()) { standing, entry in
        if case .cue(let cue) = entry.event { standing.insert(cue.id) }
        if case .cueEnd(let cue) = entry.event { standing.remove(cue.id) }
      }
      check(standing, is: [])

      // The other film is found, and its cues are shown.
      let other = try daemon.room.loudspeaker("\(daemon.room.folder)/film-8.wav")
      defer { other.end() }
      let changed = shown.wait(seconds: 25) {
        if case .ready(let ready) = $0 { ready.item == "film-8" } else { false }
      }
      check(changed != nil, "the other film was not found: \(shown.events.suffix(8))")
      check(
        shown.wait(seconds: 5) { _ in shown.cues.last?.text.hasPrefix("film 8 ") ?? false } != nil,
        "no cue of the other film")

      // Closing the connection ends captions, listening and consent.
      shown.leave()
      var consent = try daemon.client.consents().first { $0.decision == "allow-captions" }
      for _ in 0..<400 where consent?.standing != "withdrawn" {
        usleep(10_000)
        consent = try daemon.client.consents().first { $0.decision == "allow-captions" }
      }
      check(consent?.standing, is: "withdrawn")
      let count = try daemon.client.uses().count
      usleep(1_500_000)
      check(!daemon.isOpen, "a capture stream is left")
      check(try daemon.client.uses().count, is: count)
      check(try daemon.client.verifyLedger().isIntact, "the ledger is damaged")
      _ = agent
    }
  }

  @Test(
    "B7: denied, captions run once found and nothing is heard by itself; a press finds the place")
  func denied() async {
    await #expect(processExitsWith: .success) {
      let daemon = try DaemonInRoom()
      try Films.make(in: daemon.room.folder)
      let agent = CaptionsAgent(daemon.client, choice: "deny")
      let allowed = try daemon.client.grant(
        GrantRequest(
          purpose: "guide", decision: "allow", goal: .place, confirmation: .terminal))
      check(allowed.id != nil, "not granted")
      let film = try daemon.room.loudspeaker("\(daemon.room.folder)/film-7.wav")
      defer { film.end() }
      usleep(500_000)
      var request = ListenRequest(catalogs: ["films"], purpose: "guide", goal: .place)
      let first = ApiListening(daemon.client, request)
      check(first.waitForEnd(), "the listening did not end")
      let found = try #require(first.result).result
      let use = try #require(found.use)
      let shown = FollowedCaptions(daemon.client, "/v1/captions/\(use)/en?check=10")
      check(
        shown.wait(seconds: 5) { if case .prompt = $0 { true } else { false } } != nil,
        "the person was not asked")
      check(shown.wait(seconds: 5) { _ in shown.cues.count > 3 } != nil, "no cues")
      usleep(8_000_000)
      check(try daemon.client.uses().count, is: 1, "heard by itself after 'Don't Allow'")
      request.captions = use
      let again = ApiListening(daemon.client, request)
      check(again.waitForEnd(), "the second listening did not end")
      check(again.result?.result.outcome, is: .match)
      check(
        shown.wait(seconds: 2) { _ in shown.checkCount >= 3 } != nil, "the press changed nothing")
      // A place is for whoever found it, and only once.
      let late = FollowedCaptions(daemon.client, "/v1/captions/\(use)/en")
      usleep(500_000)
      check(late.events.count, is: 0)
      _ = agent
    }
  }

  @Test(
    "B7: at a terminal, 'Allow While Captions Are On' shows cues, or that the place is lost, until q"
  )
  func terminal() async {
    await #expect(processExitsWith: .success) {
      let room = try VirtualMicrophone()
      let folder = room.folder
      for path in ["run", "run/earshot", "config/earshot", "data/earshot/catalogs"] {
        try FileManager.default.createDirectory(
          atPath: "\(folder)/\(path)", withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
      }
      try #"{"source":"mic0"}"#.write(
        toFile: "\(folder)/config/earshot/earshot.json", atomically: true, encoding: .utf8)
      try Films.make(in: folder)
      let environment = room.environment.merging([
        "HOME": folder, "XDG_RUNTIME_DIR": "\(folder)/run", "XDG_STATE_HOME": "\(folder)/state",
        "XDG_CONFIG_HOME": "\(folder)/config", "XDG_DATA_HOME": "\(folder)/data",
        "LANG": "en_US.UTF-8", "TERM": "xterm",
      ]) { _, ours in ours }
      let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let built = (own as NSString).deletingLastPathComponent
      let daemon = try Child(["\(built)/earshotd"], environment: environment)
      defer { daemon.end() }
      let socket = "\(folder)/run/earshot/socket"
      for _ in 0..<1000 where !FileManager.default.fileExists(atPath: socket) { usleep(10_000) }
      let film = try room.loudspeaker("\(folder)/film-7.wav")
      defer { film.end() }
      let captions = try PseudoTerminal(
        "\(built)/earshot", ["captions", "--check", "10"], environment: environment)
      check(
        captions.waits(for: "Allow While Captions Are On"), "no question: \(captions.shown)")
      captions.rest(seconds: 0.5)
      try captions.type("w")
      check(captions.waits(for: "film 7 cue"), "no cue: \(captions.shown)")
      check(captions.waits(for: "Microphone closed"), "the closing is not shown")
      captions.rest(seconds: 4)
      try captions.type("\u{1B}[C")
      check(captions.waits(for: "shift -0.1 s"), "the shift is not shown")
      film.end()
      check(
        captions.waits(for: "Lost the place", seconds: 30),
        "a pause is not shown: \(captions.shown)")
      check(captions.waits(for: "Nothing is heard; is it paused?"), "no reason is shown")
      try captions.type("f")
      check(captions.waits(for: "Finding the place again"), "the search is not shown")
      try captions.type("q")
      check(captions.end(), is: 0)
      check((try? room.sourceOutputs().isEmpty) == true, "a capture stream is left")
      var log = ""
      for _ in 0..<40 where !log.contains("withdrawn") {
        let list = try PseudoTerminal(
          "\(built)/earshot", ["consent", "list"], environment: environment)
        _ = list.end()
        log = list.shown
        usleep(100_000)
      }
      check(log.contains("withdrawn"), "the consent did not end with the captions: \(log)")
    }
  }
}
