import EarshotClient
import Foundation
import Testing

/// What the process that plays the daemon has to know.
struct DaemonPart: Codable, Sendable {
  var environment: [String: String]
  var catalog: String
  var ledger: String
  var source: String
  /// Where the daemon leaves the worker's process and the time of its own end.
  var notes: String

  /// Starts a worker, waits until it listens (or only until it opens), and dies without a word.
  func play(waitsForSound: Bool) throws {
    let ledger = try TestLedger(folder: ledger)
    let worker = try WorkerParent(role: "listen", environment: environment)
    try worker.send(
      .prepare(
        WorkerPreparation(
          catalogs: [catalog], goal: .identify, expected: nil, limit: 12, source: source,
          ledger: ledger.folder)))
    guard case .ready = worker.next()?.report else { return }
    let use = try ledger.openUse(for: worker.process, source: source, limit: 12)
    try worker.send(.listen(use: use))
    if waitsForSound {
      while let timed = worker.next() { if case .level = timed.report { break } }
    } else {
      usleep(700_000)
    }
    try "\(worker.process) \(monotonicNanoseconds())".write(
      toFile: notes, atomically: true, encoding: .utf8)
    kill(getpid(), SIGKILL)
  }

  /// The worker's process, and when the daemon ended.
  func ended() throws -> (process: Int32, nanoseconds: UInt64) {
    let words = try String(contentsOfFile: notes, encoding: .utf8).split(separator: " ")
    return (try #require(Int32(words[0])), try #require(UInt64(words[1])))
  }
}

@Suite("A worker and the end of its daemon", .serialized)
struct WorkerEndTests {
  @Test(
    "L2, W8: the daemon killed with -9 in mid-listening takes the worker and the stream with it")
  func daemonKilled() async throws {
    let listening = try Listening()
    let player = try listening.play(99)
    let part = DaemonPart(
      environment: listening.room.environment, catalog: listening.catalog,
      ledger: "\(listening.room.folder)/ledger", source: "mic0",
      notes: "\(listening.room.folder)/notes")
    await #expect(processExitsWith: .signal(SIGKILL)) { [part = part as DaemonPart] in
      try part.play(waitsForSound: true)
    }
    let gone = try #require(listening.gone(after: 0))
    let (process, ended) = try part.ended()
    note("daemon killed: gone \(milliseconds(gone, after: ended)) ms after")
    #expect(milliseconds(gone, after: ended) < 100)
    #expect(kill(process, 0) != 0 || Self.isZombie(process))
    player.end()
    listening.room.stop()
  }

  @Test("W8: the daemon killed while its worker hangs in opening takes the worker with it")
  func daemonKilledWhileOpening() async throws {
    let server = try HungServer()
    let catalog = "\(server.folder)/tunes.earshot"
    try TestTune.makeCatalog(seeds: [1], seconds: 10, at: catalog)
    let part = DaemonPart(
      environment: server.environment, catalog: catalog, ledger: "\(server.folder)/ledger",
      source: "hung", notes: "\(server.folder)/notes")
    await #expect(processExitsWith: .signal(SIGKILL)) { [part = part as DaemonPart] in
      try part.play(waitsForSound: false)
    }
    let (process, ended) = try part.ended()
    while kill(process, 0) == 0 && !Self.isZombie(process)
      && monotonicNanoseconds() < ended + 2_000_000_000
    {
      usleep(1000)
    }
    let after = milliseconds(monotonicNanoseconds(), after: ended)
    note("daemon killed while opening: worker gone \(after) ms after, at most")
    #expect(kill(process, 0) != 0 || Self.isZombie(process))
    #expect(after < 1000)
  }

  /// Whether a process has ended and only its record is left.
  private static func isZombie(_ process: Int32) -> Bool {
    let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    return stat.split(separator: ")").last?.contains(" Z ") ?? false
  }
}
