import EarshotClient
import Foundation
import Glibc
import TestSupport
import Testing

@testable import EarshotService

@Suite("Ownership", .serialized)
struct OwnershipTests {
  private func mode(_ path: String) -> UInt32 {
    var facts = stat()
    return stat(path, &facts) == 0 ? facts.st_mode & 0o777 : 0
  }

  @Test("a second daemon ends at once and names the first, by socket and by state")
  func second() throws {
    let daemon = try RunningDaemon()
    let began = ProcessInfo.processInfo.systemUptime
    let again = try daemon.runAgain([])
    #expect(again.status == 69)
    #expect(again.log.contains("process \(daemon.processIdentifier)"), "\(again.log)")
    #expect(ProcessInfo.processInfo.systemUptime - began < 5)
    let otherState = try daemon.runAgain(["--state", "\(daemon.folder)/other"])
    #expect(otherState.status == 69)
    #expect(otherState.log.contains("process \(daemon.processIdentifier)"), "\(otherState.log)")
    let otherSocket = try daemon.runAgain(["--socket", "\(daemon.folder)/other-socket"])
    #expect(otherSocket.status == 69)
    #expect(otherSocket.log.contains("process \(daemon.processIdentifier)"))
    #expect(try daemon.client.status().process == daemon.processIdentifier)
  }

  @Test("a state folder that was let go is free, also while another process is being started")
  func letGo() throws {
    let folder = try TemporaryFolder()
    func use(starting: Bool) throws -> ChildBeingStarted? {
      let lock = try StateLock(folder: folder.path)
      let child = starting ? try ChildBeingStarted() : nil
      _ = consume lock
      return child
    }
    let child = try use(starting: true)
    _ = try use(starting: false)
    withExtendedLifetime(child) {}
  }

  @Test("a socket that a killed daemon left behind is taken over, with rights for the owner alone")
  func stale() throws {
    let daemon = try RunningDaemon()
    #expect(mode(daemon.socket) == 0o600)
    #expect(mode((daemon.socket as NSString).deletingLastPathComponent) == 0o700)
    #expect(mode("\(daemon.folder)/state/earshot") == 0o700)
    daemon.end(SIGKILL)
    #expect(FileManager.default.fileExists(atPath: daemon.socket))
    try daemon.start()
    #expect(try daemon.client.status().process == daemon.processIdentifier)
  }

  @Test("a file in the socket's place is left alone")
  func foreignFile() throws {
    let daemon = try RunningDaemon(starts: false)
    let folder = (daemon.socket as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try "mine".write(toFile: daemon.socket, atomically: true, encoding: .utf8)
    let run = try daemon.runAgain([])
    #expect(run.status == 78 || run.status == 71, "\(run)")
    #expect(try String(contentsOfFile: daemon.socket, encoding: .utf8) == "mine")
  }

  @Test("a socket's path of 107 bytes works and one byte more is refused by its length")
  func longPath() throws {
    let daemon = try RunningDaemon(starts: false)
    let base = "\(daemon.folder)/long"
    try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
    let name = { (length: Int) in
      base + "/" + String(repeating: "s", count: length - base.utf8.count - 1)
    }
    let refused = try daemon.runAgain(["--socket", name(108)])
    #expect(refused.status == 71 && refused.log.contains("107"))
    let listening = try ListeningSocket.bound(to: name(107))
    #expect(FileManager.default.fileExists(atPath: name(107)))
    _ = listening.descriptor
  }

  @Test("a private daemon serves the process that started it and ends with its input")
  func privately() throws {
    let daemon = try RunningDaemon(arguments: ["--private"])
    #expect(try daemon.client.status().isPrivate)
    #expect(daemon.endInput() == 0)
    #expect(!FileManager.default.fileExists(atPath: daemon.socket))
  }

  @Test("a private daemon is a stranger to every other process")
  func privateStranger() throws {
    let daemon = try RunningDaemon(starts: false)
    // Its parent is the shell, not this process.
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "\"$0\" --private; true", daemon.programPath]
    shell.environment = daemon.environment
    let input = Pipe()
    shell.standardInput = input
    shell.standardError = FileHandle.nullDevice
    try shell.run()
    defer {
      try? input.fileHandleForWriting.close()
      shell.waitUntilExit()
    }
    var refusal: ClientError?
    _ = eventually {
      do throws(ClientError) { _ = try daemon.client.status() } catch {
        if case .noDaemon = error { return false }
        refusal = error
      }
      return true
    }
    guard case .refused(let problem) = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(problem.status == 403 && problem.reason == "stranger")
  }

  @Test(
    "O-06: a runtime folder that can't be used is named, and the daemon serves all the same",
    arguments: ["unset", "missing", "file"])
  func runtimeFolder(kind: String) throws {
    let daemon = try RunningDaemon(
      arguments: [],
      environment: [
        "XDG_RUNTIME_DIR": kind == "unset" ? "" : kind == "missing" ? "/nonexistent" : "/etc/passwd"
      ], starts: false)
    daemon.launch()
    let fallback = try DaemonClient(socket: "\(daemon.folder)/state/earshot/socket")
    #expect(eventually { (try? fallback.status()) != nil }, "\(daemon.log)")
    let cause = ["unset": "is not set", "missing": "does not exist", "file": "names no folder"]
    #expect(daemon.log.contains(try #require(cause[kind])), "\(daemon.log)")
    #expect(daemon.end().status == 0)
  }

  @Test("--check names file, line and fault, and ends with 78")
  func check() throws {
    let daemon = try RunningDaemon(configuration: "{\n\"limt\": 3,\n\"limit\": 99}", starts: false)
    let run = try daemon.runAgain(["--check"])
    #expect(run.status == 78)
    #expect(run.output.contains("earshot.json:2: \"limt\" is not a setting"), "\(run)")
    #expect(run.output.contains("earshot.json:3:"))
    let started = try daemon.runAgain([])
    #expect(started.status == 78 && started.log.contains("earshot.json:2"))
    try "{}".write(
      toFile: "\(daemon.folder)/config/earshot/earshot.json", atomically: true, encoding: .utf8)
    #expect(try daemon.runAgain(["--check"]).status == 0)
  }

  @Test("an unknown argument ends with 64, and help and version with 0")
  func arguments() throws {
    let daemon = try RunningDaemon(starts: false)
    #expect(try daemon.runAgain(["--socked"]).status == 64)
    #expect(try daemon.runAgain(["--socket"]).status == 64)
    let help = try daemon.runAgain(["--help"])
    #expect(help.status == 0 && help.output.contains("--private"))
    #expect(try daemon.runAgain(["--version"]).output.hasPrefix("earshotd "))
  }

  @Test("an administrator's file that others can write is refused")
  func administrator() throws {
    let daemon = try RunningDaemon(starts: false)
    let path = "\(daemon.folder)/administrator.json"
    try "{}".write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o666)
    let run = try daemon.runAgain(["--administrator-file", path])
    #expect(run.status == 78, "\(run)")
    #expect(try daemon.runAgain(["--administrator-file", "\(path).none"]).status == 78)
  }
}
