import EarshotCatalog
import EarshotClient
import EarshotSignature
import Foundation
import Glibc

/// The real earshotd in private folders, ended with the test.
final class RunningDaemon: @unchecked Sendable {
  // SAFETY: one test at a time starts and ends a daemon; all else is set once.
  enum Fault: Error {
    case notReady(log: String)
  }

  /// Holds state, runtime folder, settings and catalogs.
  let folder: String
  let socket: String
  let client: DaemonClient
  private let program: String
  private let programFolder: String
  private var process: Process?
  /// The daemon's standard input; closing it ends a private daemon.
  private var input = Pipe()

  /// - Parameters:
  ///   - isAgent: whether this test's own program is the listed agent.
  ///   - configuration: `earshot.json`.
  ///   - environment: what the daemon gets besides its folders.
  init(
    isAgent: Bool = true, configuration: String? = nil, arguments: [String] = [],
    environment: [String: String] = [:], starts: Bool = true
  ) throws {
    folder = "/tmp/earshot-daemon-\(UUID().uuidString.prefix(13))"
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let built = (own as NSString).deletingLastPathComponent
    // A hard link has a folder of its own, and the agent is the `earshot` that stands beside it.
    programFolder = "\(built)/daemon-\(UUID().uuidString.prefix(8))"
    program = "\(programFolder)/earshotd"
    let files = FileManager.default
    for path in [folder, programFolder] {
      try files.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    for path in ["run", "state", "config/earshot", "data/earshot/catalogs"] {
      try files.createDirectory(
        atPath: "\(folder)/\(path)", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    try files.linkItem(atPath: "\(built)/earshotd", toPath: program)
    if isAgent {
      try files.createSymbolicLink(
        atPath: "\(programFolder)/earshot", withDestinationPath: own)
    }
    try configuration?.write(
      toFile: "\(folder)/config/earshot/earshot.json", atomically: true, encoding: .utf8)
    socket = "\(folder)/run/earshot/socket"
    client = try DaemonClient(socket: socket)
    self.arguments = arguments
    self.extraEnvironment = environment
    if starts { try start() }
  }

  let arguments: [String]
  /// What the next start gets besides its folders.
  var extraEnvironment: [String: String]

  deinit {
    if let process, process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process?.waitUntilExit()
    removeFolders()
  }

  func removeFolders() {
    try? FileManager.default.removeItem(atPath: folder)
    try? FileManager.default.removeItem(atPath: programFolder)
  }

  /// The daemon's program, which has the listed agent beside it.
  var programPath: String { program }

  var processIdentifier: Int32 { process?.processIdentifier ?? 0 }

  /// What the daemon has written to its log.
  var log: String { (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "" }

  var environment: [String: String] {
    var environment = ProcessInfo.processInfo.environment
    environment["XDG_RUNTIME_DIR"] = "\(folder)/run"
    environment["XDG_STATE_HOME"] = "\(folder)/state"
    environment["XDG_CONFIG_HOME"] = "\(folder)/config"
    environment["XDG_DATA_HOME"] = "\(folder)/data"
    environment["HOME"] = folder
    environment["LC_ALL"] = "C"
    environment["NOTIFY_SOCKET"] = nil
    environment.merge(extraEnvironment) { $1 }
    return environment
  }

  /// Starts it and waits until it answers.
  func start() throws {
    launch()
    for _ in 0..<1500 {
      do {
        _ = try client.status()
        return
      } catch ClientError.noDaemon {
        usleep(10_000)
      }
      if process?.isRunning == false { break }
    }
    throw Fault.notReady(log: log)
  }

  func launch() {
    process = makeProcess(arguments, log: "\(folder)/log")
    try? process?.run()
  }

  private func makeProcess(_ arguments: [String], log: String) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = environment
    input = Pipe()
    process.standardInput = input
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    process.standardError = FileHandle(forWritingAtPath: log)
    return process
  }

  /// Runs the program once more beside the running one, to its end.
  func runAgain(_ arguments: [String]) throws -> (status: Int32, output: String, log: String) {
    let second = makeProcess(arguments, log: "\(folder)/second-log")
    let output = Pipe()
    second.standardOutput = output
    try second.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    second.waitUntilExit()
    let log = try String(contentsOfFile: "\(folder)/second-log", encoding: .utf8)
    return (second.terminationStatus, String(decoding: said, as: UTF8.self), log)
  }

  /// Sends a signal and waits for the end; the status, and the seconds that it took.
  @discardableResult
  func end(_ signal: Int32 = SIGTERM) -> (status: Int32, seconds: Double) {
    guard let process else { return (-1, 0) }
    let began = ProcessInfo.processInfo.systemUptime
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    return (process.terminationStatus, ProcessInfo.processInfo.systemUptime - began)
  }

  /// Closes its standard input and waits for its end.
  func endInput() -> Int32 {
    try? input.fileHandleForWriting.close()
    process?.waitUntilExit()
    return process?.terminationStatus ?? -1
  }

  /// The sound of the catalog's one item, at 16 kHz.
  static func itemSamples(seconds: Int) -> [Float] {
    var state: UInt64 = 7
    return (0..<16_000 * seconds).map { _ -> Float in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(Int64(bitPattern: state) >> 40) / Float(1 << 24)
    }
  }

  /// Puts a catalog of one item into the data folder.
  func addCatalog(_ name: String = "one") throws {
    var analyzer = ReferenceAnalyzer()
    analyzer.append(Self.itemSamples(seconds: 10).span)
    let path = "\(folder)/data/earshot/catalogs/\(name).earshot"
    var writer = try CatalogWriter(path: Array(path.utf8))
    let index = try writer.append(analyzer.finish())
    try writer.append(MediaItem(id: "one", title: "One"), signatureIndex: index)
    try writer.finish()
  }

  /// The processes that this daemon has started.
  var children: [Int32] {
    let path = "/proc/\(processIdentifier)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return threads.flatMap { thread -> [Int32] in
      let text = (try? String(contentsOfFile: "\(path)/\(thread)/children", encoding: .utf8)) ?? ""
      return text.split(separator: " ").compactMap { Int32($0) }
    }
  }

  /// Whether a process runs; one that is dead and not yet collected does not.
  static func isRunning(_ process: Int32) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return false }
    return text[text.index(end, offsetBy: 2)] != "Z"
  }
}

/// Waits until `condition` holds, at most so long.
func eventually(seconds: Double = 10, _ condition: () -> Bool) -> Bool {
  let deadline = ProcessInfo.processInfo.systemUptime + seconds
  while ProcessInfo.processInfo.systemUptime < deadline {
    if condition() { return true }
    usleep(5_000)
  }
  return condition()
}
