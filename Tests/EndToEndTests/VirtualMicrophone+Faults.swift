import Foundation

/// What a test does to the room and to the server, and what can be seen of a microphone from outside.
extension VirtualMicrophone {
  /// One capture stream as the server lists it.
  struct SourceOutput: Sendable, Hashable {
    var index: Int
    /// The source's index.
    var source: Int
    /// The process that holds it, where it says so.
    var process: Int32?
  }

  /// The capture streams that are open now.
  func sourceOutputs() throws -> [SourceOutput] {
    var found: [SourceOutput] = []
    for line in try pactl("list", "source-outputs").split(separator: "\n") {
      let text = line.trimmingCharacters(in: .whitespaces)
      if let index = Self.number(in: text, after: "Source Output #") {
        found.append(SourceOutput(index: index, source: -1, process: nil))
      } else if let source = Self.number(in: text, after: "Source: "), !found.isEmpty {
        found[found.count - 1].source = source
      } else if text.hasPrefix("application.process.id"), !found.isEmpty {
        found[found.count - 1].process = Int32(text.filter(\.isNumber))
      }
    }
    return found
  }

  func mute(_ source: String = "mic0.monitor", _ isMuted: Bool = true) throws {
    try pactl("set-source-mute", source, isMuted ? "1" : "0")
  }

  /// Suspends a sink and its monitor: the stream stays and delivers nothing.
  func suspend(_ sink: String = "mic0", _ isSuspended: Bool = true) throws {
    try pactl("suspend-sink", sink, isSuspended ? "1" : "0")
  }

  /// Takes the sinks and their monitors away.
  func unloadSinks() throws { try pactl("unload-module", "module-null-sink") }

  /// The server stops answering; its socket stays connected.
  func freeze() { kill(serverProcess, SIGSTOP) }

  func thaw() { kill(serverProcess, SIGCONT) }

  /// The server dies without a word.
  func killServer() { kill(serverProcess, SIGKILL) }

  /// Descriptors of `process` that are sockets connected to this server.
  static func openSockets(of process: Int32) -> Int {
    let folder = "/proc/\(process)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
      return target?.hasPrefix("socket:") ?? false
    }.count
  }

  /// Threads of `process`.
  static func threadCount(of process: Int32) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").count) ?? 0
  }

  private static func number(in text: String, after prefix: String) -> Int? {
    text.hasPrefix(prefix) ? Int(text.dropFirst(prefix.count)) : nil
  }
}

/// The monotonic clock, in nanoseconds.
func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The server's own account of capture streams coming and going, stamped as it is read.
final class StreamWatch: @unchecked Sendable {
  // SAFETY: the events are guarded by the lock.
  /// One line of `pactl subscribe` about a capture stream.
  struct Event: Sendable {
    /// `new`, `change` or `remove`.
    var kind: String
    var index: Int
    /// Monotonic nanoseconds when the line was read; later than the event by `pactl`'s own time.
    var nanoseconds: UInt64
  }

  private let child: Child
  private let lock = NSLock()
  private var seen: [Event] = []

  init(_ room: VirtualMicrophone) throws {
    child = try Child(
      ["stdbuf", "-oL", "pactl", "subscribe"], environment: room.environment, keepsOutput: true)
    let descriptor = child.outputDescriptor
    Thread.detachNewThread { [weak self] in
      var pending: [UInt8] = []
      var part = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(descriptor, &part, part.count)
        if count <= 0 { return }
        let now = monotonicNanoseconds()
        pending += part[0..<count]
        while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
          let line = String(decoding: pending[..<end], as: UTF8.self)
          pending.removeSubrange(...end)
          self?.take(line, at: now)
        }
      }
    }
    // The subscription is there once the server lists the client; nothing says so, so wait for it.
    usleep(300_000)
  }

  deinit { child.end() }

  /// All events so far.
  var events: [Event] {
    lock.lock()
    defer { lock.unlock() }
    return seen
  }

  /// Waits up to `milliseconds` for an event of that kind.
  func wait(for kind: String, milliseconds: Int = 3000) -> Event? {
    for _ in 0..<(milliseconds / 2) {
      if let event = events.last(where: { $0.kind == kind }) { return event }
      usleep(2000)
    }
    return nil
  }

  private func take(_ line: String, at now: UInt64) {
    // Event 'remove' on source-output #3
    let parts = line.split(separator: "'")
    guard parts.count == 3, parts[2].contains("source-output #") else { return }
    let index = parts[2].split(separator: "#").last.flatMap { Int($0) } ?? -1
    lock.lock()
    seen.append(Event(kind: String(parts[1]), index: index, nanoseconds: now))
    lock.unlock()
  }
}

/// A sound server that accepts and never answers.
final class HungServer {
  let folder: String
  let socket: String
  private let descriptor: Int32

  init() throws {
    folder = "/tmp/earshot-hung-\(UUID().uuidString.prefix(13))"
    socket = "\(folder)/native"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    descriptor = Glibc.socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(socket.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0, listen(descriptor, 16) == 0 else {
      throw VirtualMicrophone.Fault.command("bind \(socket)", status: errno)
    }
    try """
    </usr/share/alsa/alsa.conf>
    pcm.hung { type pulse server "unix:\(socket)" device "anything" }
    pcm.!default { type pulse server "unix:\(socket)" }

    """.write(toFile: "\(folder)/asound.conf", atomically: true, encoding: .utf8)
  }

  /// What children need to meet it.
  var environment: [String: String] {
    var environment = ProcessInfo.processInfo.environment
    environment["HOME"] = folder
    environment["XDG_RUNTIME_DIR"] = folder
    environment["PULSE_RUNTIME_PATH"] = folder
    environment["PULSE_SERVER"] = "unix:\(socket)"
    environment["ALSA_CONFIG_PATH"] = "\(folder)/asound.conf"
    return environment
  }

  deinit {
    close(descriptor)
    try? FileManager.default.removeItem(atPath: folder)
  }
}
