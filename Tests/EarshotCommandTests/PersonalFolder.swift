import Foundation
import TestSupport
import Testing

/// A person's folders in a place of their own, and the programs that were built beside the tests.
final class PersonalFolder {
  let path: String
  let environment: [String: String]

  init() throws {
    path = NSTemporaryDirectory() + "earshot-test-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(
      atPath: path + "/run", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    environment = [
      "HOME": path, "XDG_RUNTIME_DIR": path + "/run", "XDG_STATE_HOME": path + "/state",
      "XDG_CONFIG_HOME": path + "/config", "XDG_DATA_HOME": path + "/data",
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "LANG": "en_US.UTF-8", "TERM": "xterm",
    ]
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A program built beside the tests.
  static func program(_ name: String) throws -> String {
    let tests = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let places = [tests, top.appendingPathComponent(".build/debug")]
    return try #require(
      places.map { $0.appendingPathComponent(name).path }
        .first { FileManager.default.isExecutableFile(atPath: $0) }, "\(name) is built first")
  }

  /// `earshot` on a terminal of its own.
  func earshot(_ arguments: String..., outputPath: String? = nil) throws -> PseudoTerminal {
    try PseudoTerminal(
      Self.program("earshot"), arguments, environment: environment, outputPath: outputPath)
  }

  /// What a program without a terminal did.
  struct Ended {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Runs a shell line in a session without a terminal; `earshot` is on its PATH.
  func run(_ line: String, input: String = "") throws -> Ended {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
    process.arguments = ["--wait", "/bin/bash", "-c", line]
    var variables = environment
    let folder = (try Self.program("earshot") as NSString).deletingLastPathComponent
    variables["PATH"] = folder + ":" + (variables["PATH"] ?? "")
    process.environment = variables
    process.currentDirectoryURL = URL(fileURLWithPath: path)
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    (process.standardInput, process.standardOutput, process.standardError) = (stdin, stdout, stderr)
    try process.run()
    stdin.fileHandleForWriting.write(Data(input.utf8))
    try stdin.fileHandleForWriting.close()
    let output = stdout.fileHandleForReading.readDataToEndOfFile()
    let errors = stderr.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Ended(
      status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: errors, as: UTF8.self))
  }

  /// A catalog of one short tune, so that a request to listen is not bound to fail.
  func catalog() throws -> String {
    let made = try run(
      "sox -n -r 16000 tune.wav synth 4 pluck C4 && earshot catalog create -o tunes.earshot tune.wav"
    )
    try #require(made.status == 0, "\(made.errors)")
    return path + "/tunes.earshot"
  }

  /// The decisions that are recorded, newest first.
  func decisions() throws -> [String] {
    let list = try run("earshot consent list --json")
    try #require(list.status == 0, "\(list.errors)")
    return try list.output.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["decision"] as? String ?? "?"
    }
  }
}
