import EarshotClient
import Foundation
import Glibc
import Testing

@testable import EarshotService

/// The socket on which a service manager hears of its services.
private final class NotifySocket {
  let path: String
  private let descriptor: Int32

  init() throws {
    path = "/tmp/earshot-notify-\(UUID().uuidString.prefix(13))"
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else { throw POSIXError(.EADDRINUSE) }
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit {
    close(descriptor)
    unlink(path)
  }

  /// The next message, nil where none comes.
  func next() -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}

@Suite("Service manager", .serialized)
struct ServiceManagerTests {
  @Test("tells when it is ready, that it lives, and when it stops")
  func notify() throws {
    let manager = try NotifySocket()
    let daemon = try RunningDaemon(
      environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "1200000"])
    #expect(try #require(manager.next()).hasPrefix("READY=1"))
    #expect(manager.next() == "WATCHDOG=1")
    #expect(manager.next() == "WATCHDOG=1")
    #expect(daemon.end().status == 0)
    var last: String?
    while let message = manager.next() {
      last = message
      if message == "STOPPING=1" { break }
    }
    #expect(last == "STOPPING=1")
  }

  @Test("serves on the socket that a service manager hands over, and leaves it in its place")
  func activated() throws {
    let daemon = try RunningDaemon(starts: false)
    let path = "\(daemon.folder)/activated"
    let listening = try ListeningSocket.bound(to: path)
    // The shell names its own process, which becomes the daemon's, as the one the socket is for.
    let process = try spawn(
      ["/bin/sh", "-c", "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\"", daemon.programPath],
      environment: daemon.environment, third: listening.descriptor)
    let client = try DaemonClient(socket: path)
    #expect(try client.status().process == process)
    #expect(!FileManager.default.fileExists(atPath: daemon.socket))
    kill(process, SIGTERM)
    var status: Int32 = 0
    #expect(waitpid(process, &status, 0) == process)
    #expect(status == 0)
    #expect(FileManager.default.fileExists(atPath: path))
    _ = listening.descriptor
  }

  /// Starts a program with `third` as its descriptor 3.
  private func spawn(
    _ words: [String], environment: [String: String], third: Int32
  ) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, third, 3)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var arguments = words.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let status = posix_spawn(&process, words[0], &actions, nil, &arguments, &variables)
    guard status == 0 else { throw POSIXError(.ECHILD) }
    return process
  }
}
