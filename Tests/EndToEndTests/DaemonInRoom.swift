import EarshotClient
import Foundation
import TestSupport

/// The real earshotd with a room to listen to; this test's own program is its listed agent.
final class DaemonInRoom: @unchecked Sendable {
  // SAFETY: one test at a time starts and ends a daemon; what threads share is guarded by the lock.
  let room: VirtualMicrophone
  let watch: StreamWatch
  let client: DaemonClient
  private let folder: String
  private let programFolder: String
  private var daemon: Child?
  /// The disk that the daemon's records are on, where it has one of its own.
  let disk: SmallFileSystem?

  init(disk: SmallFileSystem? = nil) throws {
    self.disk = disk
    room = try VirtualMicrophone()
    folder = room.folder
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let built = (own as NSString).deletingLastPathComponent
    programFolder = "\(built)/room-\(UUID().uuidString.prefix(8))"
    let files = FileManager.default
    for path in [programFolder, "\(folder)/config/earshot", "\(folder)/data/earshot/catalogs"] {
      try files.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    try files.linkItem(atPath: "\(built)/earshotd", toPath: "\(programFolder)/earshotd")
    try files.createSymbolicLink(
      atPath: "\(programFolder)/earshot", withDestinationPath: own)
    try #"{"source":"mic0"}"#.write(
      toFile: "\(folder)/config/earshot/earshot.json", atomically: true, encoding: .utf8)
    try TestTune.makeCatalog(
      seeds: [1, 2, 3, 4], seconds: 30, at: "\(folder)/data/earshot/catalogs/tunes.earshot")
    for seed in [1, 2, 99] as [UInt64] {
      try TestTune.write(
        TestTune.samples(seed: seed, seconds: 30), to: "\(folder)/tune-\(seed).wav")
    }
    watch = try StreamWatch(room)
    client = try DaemonClient(socket: "\(folder)/socket")
    try start()
  }

  deinit {
    daemon?.end()
    try? FileManager.default.removeItem(atPath: programFolder)
  }

  /// The daemon's process.
  var process: Int32 { daemon?.process ?? 0 }

  func start() throws {
    var environment = room.environment
    environment["XDG_STATE_HOME"] = disk?.path ?? "\(folder)/state"
    environment["XDG_CONFIG_HOME"] = "\(folder)/config"
    environment["XDG_DATA_HOME"] = "\(folder)/data"
    environment["NOTIFY_SOCKET"] = nil
    daemon = try Child(
      ["\(programFolder)/earshotd", "--socket", "\(folder)/socket"], environment: environment)
    for _ in 0..<1000 {
      if (try? client.status()) != nil { return }
      usleep(10_000)
    }
    throw VirtualMicrophone.Fault.notStarted(log: "the daemon does not answer")
  }

  /// Every file that the daemon keeps: its state, its configuration, and all beside its sockets.
  var keptFiles: [String] {
    ["state", "config"].flatMap { part in
      (FileManager.default.enumerator(atPath: "\(folder)/\(part)")?.compactMap { $0 as? String }
        ?? [])
        .map { "\(folder)/\(part)/\($0)" }
    }
  }

  /// Ends the daemon with a signal and waits for it; its status.
  func end(_ signal: Int32) -> Int32 {
    daemon?.signal(signal)
    return daemon?.waitForEnd() ?? -1
  }

  /// Plays a tune from the beginning until it is ended.
  func play(_ seed: Int) throws -> Child {
    let player = try room.play("\(folder)/tune-\(seed).wav")
    usleep(400_000)
    return player
  }

  /// When the capture stream went that came after the first `index` events, by the server's word.
  func gone(after index: Int) -> UInt64? {
    for _ in 0..<2000 {
      if let event = watch.events.dropFirst(index).last(where: { $0.kind == "remove" }) {
        return event.nanoseconds
      }
      usleep(2000)
    }
    return nil
  }

  /// Whether a capture stream is open.
  var isOpen: Bool { (try? room.sourceOutputs().isEmpty) == false }
}

/// A listening through the API on a thread of its own, with the times at which its events came.
final class ApiListening: Sendable {
  struct Timed: Sendable {
    var event: ListenEvent
    var nanoseconds: UInt64
  }

  private let cancellation = Cancellation()
  private let seen = EventList()

  private final class EventList: @unchecked Sendable {
    // SAFETY: guarded by the lock.
    private let lock = NSLock()
    private var events: [Timed] = []
    private var ended = false

    func add(_ event: ListenEvent) {
      lock.withLock { events.append(Timed(event: event, nanoseconds: monotonicNanoseconds())) }
    }
    func end() { lock.withLock { ended = true } }
    var all: [Timed] { lock.withLock { events } }
    var isEnded: Bool { lock.withLock { ended } }
  }

  init(_ client: DaemonClient, _ request: ListenRequest) {
    let (cancellation, seen) = (cancellation, seen)
    Thread.detachNewThread {
      try? client.listen(request, cancellation: cancellation) { event in
        seen.add(event)
        return true
      }
      seen.end()
    }
  }

  /// Goes away as a killed client does: the connection closes.
  func goAway() { cancellation.cancel() }

  var events: [Timed] { seen.all }

  /// The names of the events so far, levels left out.
  var names: [String] {
    events.compactMap { timed in
      switch timed.event {
      case .prompt: "prompt"
      case .listening: "listening"
      case .level: nil
      case .closed: "closed"
      case .result: "result"
      case .saved: "saved"
      }
    }
  }

  var result: (result: ListenResult, nanoseconds: UInt64)? {
    for timed in events {
      if case .result(let result) = timed.event { return (result, timed.nanoseconds) }
    }
    return nil
  }

  func wait(seconds: Int = 20, for condition: (ApiListening) -> Bool) -> Bool {
    for _ in 0..<(seconds * 200) {
      if condition(self) { return true }
      usleep(5000)
    }
    return condition(self)
  }

  func waitForEnd() -> Bool { wait { _ in seen.isEnded } }
}
