import EarshotClient
import Foundation
import Glibc
import Testing

@testable import EarshotService

/// The system calls of the daemon and its workers, as strace sees them from outside.
private final class CallWatch {
  private let process = Process()
  private let file: String

  /// Watches a running daemon; returns once it is attached.
  init?(_ daemon: RunningDaemon) throws {
    file = "\(daemon.folder)/calls"
    process.executableURL = URL(fileURLWithPath: "/usr/bin/strace")
    process.arguments = [
      "-f", "-qq", "-o", file, "-e", "trace=connect,openat,open,fsync,fdatasync", "-p",
      "\(daemon.processIdentifier)",
    ]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let status = "/proc/\(daemon.processIdentifier)/status"
    let isAttached = eventually {
      let text = (try? String(contentsOfFile: status, encoding: .utf8)) ?? ""
      return text.contains("TracerPid:\t") && !text.contains("TracerPid:\t0\n")
    }
    guard isAttached else { return nil }
  }

  /// The calls in their order, once the daemon has ended and strace with it.
  ///
  /// It inherits the blocked signals of a test's thread, so it can't be interrupted.
  func calls() -> [String] {
    if !eventually({ !process.isRunning }) { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }
}

@Suite("Order", .serialized)
struct OrderTests {
  /// A call that reaches for a sound device or a sound server.
  private func isForSound(_ call: String) -> Bool {
    call.contains("/dev/snd") || (call.contains("connect(") && call.contains("/native\""))
  }

  /// A call that makes the ledger durable.
  private func isSync(_ call: String) -> Bool {
    call.contains("fsync(") || call.contains("fdatasync(")
  }

  private func listen(
    _ answer: String
  ) throws -> (calls: [String], result: ListenResult?, uses: Int)? {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"), geteuid() == 0 else {
      return nil
    }
    let server = try SilentServer()
    let daemon = try RunningDaemon(
      configuration: #"{"source":"hung"}"#, environment: server.environment)
    try daemon.addCatalog()
    let agent = TestAgent(daemon.client) { _ in answer }
    guard let watch = try CallWatch(daemon) else { return nil }
    var result: ListenResult?
    try daemon.client.listen(ListenRequest()) { event in
      if case .result(let found) = event { result = found }
      return true
    }
    agent.leave()
    let uses = try daemon.client.uses().count
    daemon.end()
    return (watch.calls(), result, uses)
  }

  @Test("C1, L8: the opening record is synced before anything reaches for the sound server")
  func synced() throws {
    guard let seen = try listen("allow-once") else { return }
    #expect(seen.uses == 1)
    let first = try #require(seen.calls.firstIndex(where: isForSound), "nothing reached for sound")
    // The consent and the opening, each with at least one sync of its own, and both before.
    #expect(seen.calls[..<first].count(where: isSync) >= 2)
    // The daemon itself never reaches for it: the line begins with the worker's number.
    let worker = seen.calls[first].split(separator: " ").first
    let daemons = seen.calls.first(where: isSync)?.split(separator: " ").first
    #expect(worker != daemons)
  }

  @Test(
    "C1, C2: where consent is denied nothing reaches for a sound device or server",
    arguments: ["deny", "dismiss"])
  func denied(answer: String) throws {
    guard let seen = try listen(answer) else { return }
    #expect(seen.result?.outcome == .denied)
    #expect(seen.uses == 0)
    #expect(!seen.calls.contains(where: isForSound))
  }
}
