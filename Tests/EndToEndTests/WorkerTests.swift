import EarshotClient
import Foundation
import Testing

/// A room, a ledger, a catalog of four tunes, and what a worker did with them.
final class Listening {
  let room: VirtualMicrophone
  let ledger: TestLedger
  let catalog: String
  let watch: StreamWatch

  init(definitions: String = "") throws {
    room = try VirtualMicrophone(definitions: definitions)
    ledger = try TestLedger()
    catalog = "\(room.folder)/tunes.earshot"
    try TestTune.makeCatalog(seeds: [1, 2, 3, 4], seconds: 30, at: catalog)
    for seed in [1, 2, 99] as [UInt64] {
      try TestTune.write(
        TestTune.samples(seed: seed, seconds: 30), to: "\(room.folder)/tune-\(seed).wav")
    }
    watch = try StreamWatch(room)
  }

  /// Plays a tune from the beginning until the next one is played.
  func play(_ seed: Int) throws -> Child {
    let player = try room.play("\(room.folder)/tune-\(seed).wav")
    usleep(400_000)
    return player
  }

  /// Starts a worker and brings it to `ready`.
  func prepared(source: String = "mic0", limit: Double = 12) throws -> WorkerParent {
    let worker = try WorkerParent(role: "listen", environment: room.environment)
    try worker.send(
      .prepare(
        WorkerPreparation(
          catalogs: [catalog], goal: .identify, expected: nil, limit: limit, source: source,
          ledger: ledger.folder)))
    guard case .ready = worker.next()?.report else {
      throw VirtualMicrophone.Fault.notStarted(log: "the worker did not get ready")
    }
    return worker
  }

  /// Starts a worker and lets it listen.
  func started(source: String = "mic0", limit: Double = 12) throws -> WorkerParent {
    let worker = try prepared(source: source, limit: limit)
    let use = try ledger.openUse(for: worker.process, source: source, limit: limit)
    try worker.send(.listen(use: use))
    return worker
  }

  /// When the last capture stream went, by the server's word.
  func gone(after index: Int) -> UInt64? {
    for _ in 0..<1000 {
      if let event = watch.events.dropFirst(index).last(where: { $0.kind == "remove" }) {
        return event.nanoseconds
      }
      usleep(2000)
    }
    return nil
  }
}

/// The `closed` and the `result` of a worker's reports.
func conclusion(_ reports: [WorkerParent.Timed]) -> (
  reason: String, closedAt: UInt64, samples: Int, result: ListenResult?, resultAt: UInt64
)? {
  var found: (String, UInt64, Int, ListenResult?, UInt64)?
  for timed in reports {
    switch timed.report {
    case .closed(_, let samples, let reason, _):
      found = (reason, timed.nanoseconds, samples, nil, 0)
    case .result(let result):
      found?.3 = result
      found?.4 = timed.nanoseconds
    default: break
    }
  }
  return found
}

func milliseconds(_ later: UInt64, after earlier: UInt64) -> Double {
  Double(Int64(later) - Int64(earlier)) / 1e6
}

@Suite("One listening is one process", .serialized)
struct WorkerTests {
  @Test("W8, L1, L2: a match, no match and the limit close the microphone before they are told")
  func decisions() async {
    await #expect(processExitsWith: .success) {
      let listening = try Listening()
      for (seed, limit, outcome) in [
        (2, 12.0, Outcome.match), (99, 3.0, .noMatch), (1, 12.0, .match), (99, 1.0, .tooShort),
      ] {
        let player = try listening.play(seed)
        let seen = listening.watch.events.count
        let worker = try listening.started(limit: limit)
        let reports = worker.all()
        let end = try #require(conclusion(reports))
        let result = try #require(end.result)
        let gone = try #require(listening.gone(after: seen))
        let air = try #require(result.firstSampleMonotonicNanoseconds)
        let heard = UInt64(result.heard * 1e9)
        note(
          "decision \(seed): \(result.outcome) \(result.matches.map(\.id)) heard \(result.heard)"
            + " closed-by \(end.reason); gone \(milliseconds(gone, after: end.closedAt)) ms after"
            + " 'closed' was read, \(milliseconds(gone, after: air + heard)) ms after the last"
            + " sample weighed was in the air; offset \(result.matches.first?.offset ?? -1)")
        if outcome == .tooShort {
          check([.tooShort, .noMatch].contains(result.outcome), "\(result.outcome)")
        } else {
          check(result.outcome, is: outcome, "tune \(seed)")
        }
        if outcome == .match { check(result.matches.first?.id ?? "", is: "tune-\(seed)") }
        check(end.reason, is: outcome == .match ? "decided" : "limit")
        check(end.samples >= Int(result.heard * 16_000), "\(end.samples) \(result.heard)")
        check(gone < end.closedAt + 50_000_000, "the stream outlived 'closed'")
        // Looks take their time in a build without optimisation; the time is noted above.
        check(gone < air + heard + 4_000_000_000, "the stream outlived the decision")
        check(worker.waitForEnd() ?? -1, is: 0, "status")
        let uses = reports.filter { if case .listening = $0.report { true } else { false } }
        check(uses.count, is: 1, "listening events")
        player.end()
      }
      listening.room.stop()
    }
  }

  @Test("L2, L7: silence, cancel, a killed worker and a gone daemon all close within 100 ms")
  func endings() async {
    await #expect(processExitsWith: .success) {
      let listening = try Listening()
      // Silence: the sink plays zeros only.
      var seen = listening.watch.events.count
      var begin = monotonicNanoseconds()
      var worker = try listening.started()
      var reports = worker.all()
      var end = try #require(conclusion(reports))
      let opened = try #require(reports.first)
      note(
        "silence: told \(milliseconds(end.resultAt, after: opened.nanoseconds)) ms after opening")
      check(end.result?.outcome ?? .error, is: .noSignal)
      check(end.reason, is: "muted")
      check(milliseconds(end.closedAt, after: opened.nanoseconds) < 1300, "told too late")

      let player = try listening.play(99)
      // Cancelled.
      seen = listening.watch.events.count
      worker = try listening.started()
      while let timed = worker.next() { if case .level = timed.report { break } }
      begin = monotonicNanoseconds()
      try worker.send(.cancel(reason: "revoked"))
      reports = worker.all()
      end = try #require(conclusion(reports))
      var gone = try #require(listening.gone(after: seen))
      note("cancel: gone \(milliseconds(gone, after: begin)) ms after it was sent")
      check(end.result?.outcome ?? .error, is: .cancelled)
      check(end.reason, is: "revoked")
      check(milliseconds(gone, after: begin) < 100, "cancel")

      // The worker is killed.
      seen = listening.watch.events.count
      worker = try listening.started()
      while let timed = worker.next() { if case .level = timed.report { break } }
      begin = monotonicNanoseconds()
      worker.signal(SIGKILL)
      gone = try #require(listening.gone(after: seen))
      note("kill: gone \(milliseconds(gone, after: begin)) ms after it was sent")
      check(milliseconds(gone, after: begin) < 100, "kill")

      // The daemon's socket ends.
      seen = listening.watch.events.count
      worker = try listening.started()
      while let timed = worker.next() { if case .level = timed.report { break } }
      begin = monotonicNanoseconds()
      worker.hangUp()
      gone = try #require(listening.gone(after: seen))
      note("hang-up: gone \(milliseconds(gone, after: begin)) ms after")
      check(milliseconds(gone, after: begin) < 100, "hang-up")
      check(worker.waitForEnd() ?? -1, is: 0, "status after hang-up")
      player.end()
      listening.room.stop()
    }
  }

  @Test("C1, W8: without a record that names it, or past its deadline, a worker opens nothing")
  func refusals() async {
    await #expect(processExitsWith: .success) {
      let listening = try Listening()
      let seen = listening.watch.events.count
      func outcome(_ use: (Int32) throws -> String) throws -> String {
        let worker = try listening.prepared()
        try worker.send(.listen(use: try use(worker.process)))
        let end = try #require(conclusion(worker.all(milliseconds: 5000)))
        check(end.result?.outcome ?? .match, is: .error)
        return end.reason
      }
      check(try outcome { _ in "no-such-use" }, is: "grant-refused")
      check(
        try outcome { _ in
          try listening.ledger.openUse(for: getpid(), source: "mic0", limit: 12)
        }, is: "grant-refused", "another process")
      check(
        try outcome { process in
          let use = try listening.ledger.openUse(
            for: process, source: "mic0", limit: 12, deadlineSeconds: 0.2)
          usleep(300_000)
          return use
        }, is: "grant-expired")
      usleep(200_000)
      check(
        listening.watch.events.dropFirst(seen).isEmpty, "a capture stream was made for nothing")
      listening.room.stop()
    }
  }

  @Test("O-11: a missing source, a monitor, a dead server and a bad catalog are told apart")
  func faults() async {
    await #expect(processExitsWith: .success) {
      let listening = try Listening(
        definitions: """
          pcm.nothing { type pulse device "nothing" }
          pcm.down { type pulse server "unix:/tmp/earshot-no-such-socket" device "x" }
          """)
      try listening.room.pactl("set-default-source", "mic0.monitor")
      for (source, reason) in [
        ("nothing", "device-missing"), ("default", "only-a-monitor"), ("down", "server-down"),
        ("unheard of", "device-missing"),
      ] {
        let end = try #require(conclusion(try listening.started(source: source).all()))
        check(end.reason, is: reason, source)
        check(end.result?.outcome ?? .match, is: .error, source)
      }
      let killed = try listening.started()
      while let timed = killed.next() { if case .listening = timed.report { break } }
      listening.room.killServer()
      let end = try #require(conclusion(killed.all()))
      check(end.reason, is: "server-gone")

      let worker = try WorkerParent(role: "listen", environment: listening.room.environment)
      try worker.send(
        .prepare(
          WorkerPreparation(
            catalogs: ["/tmp/no such catalog"], goal: .identify, expected: nil, limit: 12,
            source: "mic0", ledger: listening.ledger.folder)))
      guard case .unprepared(let explanation) = worker.next()?.report else {
        Issue.record("a missing catalog was not told")
        return
      }
      check(explanation.reason, is: "catalog-unreadable")
      listening.room.stop()
    }
  }

  @Test("a worker hung in opening tells so itself, and dies with its daemon's process")
  func hung() async {
    await #expect(processExitsWith: .success) {
      let server = try HungServer()
      let ledger = try TestLedger()
      let catalog = "\(server.folder)/tunes.earshot"
      try TestTune.makeCatalog(seeds: [1], seconds: 10, at: catalog)
      let worker = try WorkerParent(role: "listen", environment: server.environment)
      try worker.send(
        .prepare(
          WorkerPreparation(
            catalogs: [catalog], goal: .identify, expected: nil, limit: 12, source: "hung",
            ledger: ledger.folder)))
      guard case .ready = worker.next()?.report else {
        Issue.record("not ready")
        return
      }
      let use = try ledger.openUse(for: worker.process, source: "hung", limit: 12)
      let begin = monotonicNanoseconds()
      try worker.send(.listen(use: use))
      let end = try #require(conclusion(worker.all()))
      note("hung: told after \(milliseconds(end.resultAt, after: begin)) ms")
      check(end.reason, is: "server-not-answering")
      check(milliseconds(end.resultAt, after: begin) < 6000, "told too late")
    }
  }

  @Test("C4: the role 'devices' tells the sources and opens no stream")
  func devices() async {
    await #expect(processExitsWith: .success) {
      let room = try VirtualMicrophone()
      let watch = try StreamWatch(room)
      let worker = try WorkerParent(role: "devices", environment: room.environment)
      guard case .devices(let devices) = worker.next()?.report else {
        Issue.record("no devices")
        return
      }
      check(devices.contains { $0.name == "pulse:DEVICE=mic0.monitor" }, "\(devices)")
      check(worker.waitForEnd() ?? -1, is: 0, "status")
      check(watch.events.isEmpty, "a stream was opened")
      room.stop()
    }
  }
}
