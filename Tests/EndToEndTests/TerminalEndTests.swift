import Foundation
import TestSupport
import Testing

/// A person's folders, a terminal, and a room with a microphone in which an unknown tune plays.
private final class TerminalInRoom {
  let room: VirtualMicrophone
  let watch: StreamWatch
  private let environment: [String: String]
  private let built: String
  private var daemon: Child?

  /// - Parameter hasDaemon: whether a daemon runs already, or the command brings its own.
  init(hasDaemon: Bool) throws {
    room = try VirtualMicrophone()
    let folder = room.folder
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    built = (own as NSString).deletingLastPathComponent
    for path in ["run", "run/earshot", "config/earshot", "data/earshot/catalogs"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/\(path)", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    try #"{"source":"mic0"}"#.write(
      toFile: "\(folder)/config/earshot/earshot.json", atomically: true, encoding: .utf8)
    try TestTune.makeCatalog(
      seeds: [1, 2], seconds: 30, at: "\(folder)/data/earshot/catalogs/tunes.earshot")
    try TestTune.write(TestTune.samples(seed: 99, seconds: 30), to: "\(folder)/tune.wav")
    environment = room.environment.merging([
      "HOME": folder, "XDG_RUNTIME_DIR": "\(folder)/run", "XDG_STATE_HOME": "\(folder)/state",
      "XDG_CONFIG_HOME": "\(folder)/config", "XDG_DATA_HOME": "\(folder)/data",
      "LANG": "en_US.UTF-8", "TERM": "xterm",
    ]) { _, ours in ours }
    watch = try StreamWatch(room)
    if hasDaemon {
      daemon = try Child(["\(built)/earshotd"], environment: environment)
      let socket = "\(folder)/run/earshot/socket"
      for _ in 0..<1000 where !FileManager.default.fileExists(atPath: socket) { usleep(10_000) }
    }
  }

  deinit { daemon?.end() }

  /// `earshot` with these arguments on a terminal of its own.
  func earshot(_ arguments: String...) throws -> PseudoTerminal {
    try PseudoTerminal("\(built)/earshot", arguments, environment: environment)
  }

  /// Allows one listening, and returns the terminal once the microphone is open.
  func listening() throws -> PseudoTerminal {
    let player = try room.play("\(room.folder)/tune.wav")
    _ = player
    let terminal = try earshot("listen")
    check(terminal.waits(for: "Allow Once"), "no question: \(terminal.shown)")
    // What is typed ahead of the question is no answer to it.
    terminal.rest(seconds: 0.5)
    try terminal.type("a")
    check(terminal.waits(for: "Listening"), "it does not listen: \(terminal.shown)")
    check(isOpen, "no capture stream is there")
    return terminal
  }

  /// Whether a capture stream is open.
  var isOpen: Bool { (try? room.sourceOutputs().isEmpty) == false }

  /// When the last capture stream went, by the server's word.
  func gone(after index: Int) -> UInt64? {
    for _ in 0..<2000 {
      if let event = watch.events.dropFirst(index).last(where: { $0.kind == "remove" }) {
        return event.nanoseconds
      }
      usleep(2000)
    }
    return nil
  }

  /// Waits until `earshot consent log` tells of an end, and returns what it shows.
  func log(until reason: String) throws -> String {
    var shown = ""
    for _ in 0..<40 {
      let terminal = try earshot("consent", "log")
      _ = terminal.end()
      shown = terminal.shown
      if shown.contains(reason) { break }
      usleep(100_000)
    }
    return shown
  }
}

@Suite("A terminal that leaves a listening", .serialized)
struct TerminalEndTests {
  @Test("L2: Ctrl-C closes the microphone first, with a daemon that runs and with one of its own")
  func interrupted() async {
    await #expect(processExitsWith: .success) {
      for hasDaemon in [true, false] {
        let place = try TerminalInRoom(hasDaemon: hasDaemon)
        let terminal = try place.listening()
        let seen = place.watch.events.count
        let began = monotonicNanoseconds()
        try terminal.type("\u{3}")
        let gone = try #require(place.gone(after: seen))
        note("terminal: stream gone \(milliseconds(gone, after: began)) ms after Ctrl-C")
        check(terminal.end(), is: 130)
        check(terminal.shown.contains("closed"), "the closing was not told: \(terminal.shown)")
        check(!place.isOpen, "a capture stream is left")
        let log = try place.log(until: "cancelled")
        check(log.contains("cancelled"), "the log does not tell the end: \(log)")
      }
    }
  }

  @Test("L4: Ctrl-Z closes the microphone before the program sleeps")
  func suspended() async {
    await #expect(processExitsWith: .success) {
      let place = try TerminalInRoom(hasDaemon: true)
      let terminal = try place.listening()
      let seen = place.watch.events.count
      let began = monotonicNanoseconds()
      try terminal.type("\u{1A}")
      let gone = try #require(place.gone(after: seen))
      note("terminal: stream gone \(milliseconds(gone, after: began)) ms after Ctrl-Z")
      check(terminal.waits(for: "closed"), "the closing was not told: \(terminal.shown)")
      check(!place.isOpen, "a capture stream is left")
      usleep(300_000)
      terminal.signal(SIGCONT)
      check(terminal.end(), is: 130)
    }
  }

  @Test("L4: a client that is stopped shows nothing, so its microphone is closed")
  func stopped() async {
    await #expect(processExitsWith: .success) {
      let place = try TerminalInRoom(hasDaemon: true)
      let terminal = try place.listening()
      let seen = place.watch.events.count
      let began = monotonicNanoseconds()
      terminal.signal(SIGSTOP)
      let gone = try #require(place.gone(after: seen))
      note("terminal: stream gone \(milliseconds(gone, after: began)) ms after SIGSTOP")
      check(!place.isOpen, "a capture stream is left")
      terminal.signal(SIGCONT)
      _ = terminal.end()
      check(try place.log(until: "unseen").contains("unseen"), "the log does not tell why")
    }
  }

  @Test("L2, L8: a client killed with -9 closes the microphone, and the ledger tells it")
  func killed() async {
    await #expect(processExitsWith: .success) {
      for hasDaemon in [true, false] {
        let place = try TerminalInRoom(hasDaemon: hasDaemon)
        let terminal = try place.listening()
        let seen = place.watch.events.count
        let began = monotonicNanoseconds()
        terminal.signal(SIGKILL)
        let gone = try #require(place.gone(after: seen))
        note("terminal: stream gone \(milliseconds(gone, after: began)) ms after kill -9")
        check(terminal.end(), is: -SIGKILL)
        check(!place.isOpen, "a capture stream is left")
        let log = try place.log(until: "cancelled")
        check(log.contains("cancelled"), "the log does not tell the end: \(log)")
      }
    }
  }
}
