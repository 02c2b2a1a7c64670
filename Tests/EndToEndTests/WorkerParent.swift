import EarshotClient
import EarshotConsent
import Foundation

/// A worker process and the test as its daemon: a socket, the ledger, and a thread that stays.
final class WorkerParent: @unchecked Sendable {
  // SAFETY: set once by the spawning thread before anyone else sees it; then used by one test.
  struct Timed: Sendable {
    var report: WorkerReport
    /// Monotonic nanoseconds at which the line was read.
    var nanoseconds: UInt64
  }

  private(set) var process: Int32 = -1
  private var socket: Int32 = -1
  private var pending: [UInt8] = []
  private let release = DispatchSemaphore(value: 0)
  private var status: Int32?

  /// Starts the built `earshotd` in `role`; `sound` becomes its descriptor 4.
  init(role: String, environment: [String: String], sound: Int32 = -1) throws {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw POSIXError(.EIO) }
    let there = ends[1]
    socket = ends[0]
    let started = DispatchSemaphore(value: 0)
    // A worker dies with the thread that spawned it, so that thread has to stay.
    Thread.detachNewThread { [self, release] in
      process = Self.spawn(role: role, environment: environment, socket: there, sound: sound)
      close(there)
      started.signal()
      release.wait()
    }
    started.wait()
    guard process > 0 else { throw POSIXError(.ECHILD) }
  }

  deinit {
    end()
    release.signal()
  }

  func send(_ command: WorkerCommand) throws {
    let line = try Array(JSONEncoder().encode(command)) + [UInt8(ascii: "\n")]
    _ = Glibc.send(socket, line, line.count, Int32(MSG_NOSIGNAL))
  }

  /// The next report; `nil` at the worker's end or after the time.
  func next(milliseconds: Int = 10_000) -> Timed? {
    let end = monotonicNanoseconds() + UInt64(milliseconds) * 1_000_000
    while true {
      if let line = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let now = monotonicNanoseconds()
        let content = Data(pending[..<line])
        pending.removeSubrange(...line)
        return (try? JSONDecoder().decode(WorkerReport.self, from: content)).map {
          Timed(report: $0, nanoseconds: now)
        }
      }
      let now = monotonicNanoseconds()
      guard now < end else { return nil }
      var waited = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      guard poll(&waited, 1, Int32((end - now) / 1_000_000 + 1)) > 0 else { continue }
      var part = [UInt8](repeating: 0, count: 65_536)
      let count = read(socket, &part, part.count)
      if count <= 0 { return nil }
      pending += part[..<count]
    }
  }

  /// All reports until the result, or until the worker says nothing more.
  func all(milliseconds: Int = 40_000) -> [Timed] {
    var found: [Timed] = []
    while let timed = next(milliseconds: milliseconds) {
      found.append(timed)
      if case .result = timed.report { break }
    }
    return found
  }

  /// Lets go of the worker's socket, as a daemon that ends does.
  func hangUp() {
    if socket >= 0 { close(socket) }
    socket = -1
  }

  func signal(_ number: Int32) { kill(process, number) }

  /// The worker's status: its own, or 128 and the signal that ended it; `nil` while it runs.
  func waitForEnd(milliseconds: Int = 3000) -> Int32? {
    for _ in 0..<max(1, milliseconds / 2) {
      if let status { return status }
      var raw: Int32 = 0
      if waitpid(process, &raw, WNOHANG) == process {
        status = raw & 0x7f == 0 ? (raw >> 8) & 0xff : 128 + (raw & 0x7f)
        return status
      }
      usleep(2000)
    }
    return nil
  }

  private func end() {
    hangUp()
    if process > 0, waitForEnd(milliseconds: 500) == nil {
      signal(SIGKILL)
      _ = waitForEnd()
    }
  }

  private static func spawn(
    role: String, environment: [String: String], socket: Int32, sound: Int32
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, socket, 3)
    if sound >= 0 { posix_spawn_file_actions_adddup2(&actions, sound, 4) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let program = builtProgram("earshotd")
    let words: [String] = [program, "--worker", role]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var made: pid_t = 0
    let status = posix_spawn(&made, program, &actions, &attributes, &arguments, &variables)
    return status == 0 ? made : -1
  }
}

/// A program built beside the tests.
func builtProgram(_ name: String) -> String {
  let tests = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  return tests.appendingPathComponent(name).path
}

/// A real ledger in a folder of its own, with consents that the test gives.
final class TestLedger {
  let folder: String
  let ledger: Ledger

  init(folder: String = "/tmp/earshot-ledger-\(UUID().uuidString.prefix(13))") throws {
    self.folder = folder
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    ledger = try Ledger(
      folder: folder, controller: Controller(name: "A Test", contact: "test@museum.example"))
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Gives a consent for one listening and writes the opening record that names the worker.
  func openUse(
    for process: Int32, source: String, limit: Double, deadlineSeconds: Double = 20
  ) throws -> String {
    let requester = Requester(
      person: .user(getuid()), identification: .executable, name: "/usr/bin/earshot",
      executable: "/usr/bin/earshot", executableSHA256: String(repeating: "a", count: 64))
    let purpose =
      PurposeList.shipped.purpose("identify")
      ?? Purpose(code: "identify", version: 1, use: .identify, sentences: [:])
    let question = ConsentQuestion.microphone(
      requester: requester, purpose: purpose, language: .english, source: source, goal: .identify,
      limitMilliseconds: Int(limit * 1000))
    let decision = ConsentDecision(
      choice: .allow(.once), means: .prompt, agent: "terminal", answeredBy: .user(getuid()))
    let consent = try ledger.record(decision, for: question, title: "Allow 'earshot' to Listen?")
    let worker = ProcessIdentity.of(process) ?? ProcessIdentity(process: process, startTime: 0)
    let now = LedgerClock.system().now().monotonicNanoseconds
    return try ledger.openUse(
      of: consent.id, for: question, by: worker,
      deadlineNanoseconds: now + UInt64(deadlineSeconds * 1e9)
    ).id
  }
}
