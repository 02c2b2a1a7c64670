import Foundation

/// A private PulseAudio server whose sink's monitor is a microphone, in a folder of its own.
///
/// Any number can run beside one another, as root and as any user. Everything it starts ends with it,
/// and with the process that made it, whatever happens to that: each child waits for the end of a pipe.
/// What is played into the sink is what the "room" sounds like.
final class VirtualMicrophone: @unchecked Sendable {
  // SAFETY: the children's list is guarded by the lock; all else is set once.
  /// A sink and its monitor, and the name of the PCM that leads to it.
  struct Room: Sendable {
    /// The sink that sound is played into.
    var sink: String = "mic0"
    /// In hertz.
    var rate: Int = 48_000
    var channels: Int = 2
    /// A PulseAudio sample format.
    var format: String = "float32le"
  }

  enum Fault: Error {
    case notStarted(log: String)
    case command(String, status: Int32)
  }

  /// The private folder, removed at the end.
  let folder: String
  /// The server's socket.
  let socket: String
  /// PulseAudio's own process.
  let serverProcess: Int32
  /// What children need to hear through it: ALSA's configuration and the server's address.
  let environment: [String: String]

  private let lock = NSLock()
  private var children: [Child] = []

  /// Starts a server with `rooms`; the PCMs `default` and one named like each sink lead to it.
  ///
  /// - Parameters:
  ///   - defaultSource: the server's own choice; `nil` leaves it to the server.
  ///   - modules: further lines of the server's start script.
  ///   - hasClock: whether a silent player keeps each monitor running in real time.
  ///   - definitions: further text for ALSA's configuration.
  init(
    rooms: [Room] = [Room()], defaultSource: String? = nil, modules: [String] = [],
    hasClock: Bool = true, definitions: String = ""
  ) throws {
    folder = try Self.makeFolder()
    socket = "\(folder)/native"
    environment = Self.environment(folder: folder)
    try Self.write(
      rooms: rooms, defaultSource: defaultSource, modules: modules, definitions: definitions,
      folder: folder)
    // `--realtime` and `--high-priority` need rights that a container does not give.
    let server = try Child(
      [
        "pulseaudio", "-n", "-F", "\(folder)/server.pa", "--daemonize=no", "--exit-idle-time=-1",
        "--realtime=no", "--high-priority=no", "--log-target=file:\(folder)/server.log",
      ], environment: environment)
    serverProcess = server.process
    children = [server]
    try waitForServer()
    if hasClock {
      for room in rooms { try startClock(of: room) }
      try waitForMonitors(of: rooms)
    }
  }

  deinit { stop() }

  /// Ends all that was started and removes the folder.
  func stop() {
    lock.lock()
    let ending = children
    children = []
    lock.unlock()
    for child in ending.reversed() { child.end() }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Plays a sound file into a sink, from now on; ends by itself at the file's end.
  @discardableResult
  func play(_ file: String, into sink: String = "mic0") throws -> Child {
    let player = try Child(
      ["paplay", "--device=\(sink)", "--latency-msec=20", file], environment: environment)
    keep(player)
    return player
  }

  /// Runs `pactl`, and returns what it says.
  @discardableResult
  func pactl(_ arguments: String...) throws -> String {
    try run(["pactl"] + arguments)
  }

  /// Runs `pacmd`, and returns what it says.
  @discardableResult
  func pacmd(_ arguments: String...) throws -> String {
    try run(["pacmd"] + arguments)
  }

  /// Runs a program in the server's environment to its end.
  @discardableResult
  func run(_ words: [String]) throws -> String {
    let child = try Child(words, environment: environment, keepsOutput: true)
    let text = child.output()
    let status = child.waitForEnd()
    guard status == 0 else {
      throw Fault.command(words.joined(separator: " ") + ": " + text, status: status)
    }
    return text
  }

  /// Adds a child that ends with the server.
  func keep(_ child: Child) {
    lock.lock()
    children.append(child)
    lock.unlock()
  }
}

extension VirtualMicrophone {
  private static func makeFolder() throws -> String {
    let path = "/tmp/earshot-room-\(UUID().uuidString.prefix(13))"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    return path
  }

  private static func environment(folder: String) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    for name in ["PULSE_SINK", "PULSE_SOURCE", "PULSE_CLIENTCONFIG", "PULSE_COOKIE"] {
      environment[name] = nil
    }
    environment["HOME"] = folder
    environment["XDG_CONFIG_HOME"] = "\(folder)/config"
    environment["XDG_RUNTIME_DIR"] = folder
    environment["PULSE_RUNTIME_PATH"] = folder
    environment["PULSE_SERVER"] = "unix:\(folder)/native"
    environment["ALSA_CONFIG_PATH"] = "\(folder)/asound.conf"
    environment["LC_ALL"] = "C"
    return environment
  }

  private static func write(
    rooms: [Room], defaultSource: String?, modules: [String], definitions: String, folder: String
  ) throws {
    var script = [
      "load-module module-native-protocol-unix socket=\(folder)/native auth-anonymous=1"
    ]
    script += rooms.map { room in
      "load-module module-null-sink sink_name=\(room.sink) rate=\(room.rate)"
        + " channels=\(room.channels) format=\(room.format)"
    }
    script += modules
    if let defaultSource { script.append("set-default-source \(defaultSource)") }
    try (script.joined(separator: "\n") + "\n").write(
      toFile: "\(folder)/server.pa", atomically: true, encoding: .utf8)

    var configuration = ["</usr/share/alsa/alsa.conf>"]
    configuration += rooms.map { room in
      "pcm.\(room.sink) { type pulse server \"unix:\(folder)/native\""
        + " device \"\(room.sink).monitor\" }"
    }
    configuration.append("pcm.!default { type pulse server \"unix:\(folder)/native\" }")
    configuration.append(definitions)
    try (configuration.joined(separator: "\n") + "\n").write(
      toFile: "\(folder)/asound.conf", atomically: true, encoding: .utf8)
  }

  private func waitForServer() throws {
    for _ in 0..<200 {
      if (try? pactl("info")) != nil { return }
      usleep(50_000)
    }
    let log = (try? String(contentsOfFile: "\(folder)/server.log", encoding: .utf8)) ?? ""
    throw Fault.notStarted(log: log)
  }

  /// Without a low-latency player the monitor may sleep for two seconds before its first sample.
  private func startClock(of room: Room) throws {
    keep(
      try Child(
        [
          "pacat", "--device=\(room.sink)", "--latency-msec=20", "--rate=\(room.rate)",
          "--channels=\(room.channels)", "--format=s16le", "/dev/zero",
        ], environment: environment))
  }

  private func waitForMonitors(of rooms: [Room]) throws {
    for _ in 0..<100 {
      let sinks = try pactl("list", "short", "sinks").split(separator: "\n")
      let running = sinks.filter { $0.hasSuffix("RUNNING") }
      if running.count >= rooms.count { break }
      usleep(50_000)
    }
    // The players' first buffers are long; the latency settles within the next seconds.
    usleep(2_000_000)
  }
}
