import Foundation
import Testing

@Suite("Link check")
struct LinkTests {
  @Test("W2: earshot does not need the sound library, and earshotd does")
  func soundLibrary() throws {
    #expect(try !needed(by: "earshot").contains { $0.contains("libasound") })
    #expect(try needed(by: "earshotd").contains { $0.contains("libasound") })
  }

  @Test("the client's program needs no database and no web server")
  func smallClient() throws {
    let libraries = try needed(by: "earshot")
    for name in ["libsqlite3", "libmicrohttpd"] {
      #expect(!libraries.contains { $0.contains(name) }, "earshot needs \(name)")
    }
  }

  /// The shared libraries that a built program names as needed.
  private func needed(by program: String) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["readelf", "--dynamic", try Products.path(of: program)]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return text.split(separator: "\n").filter { $0.contains("(NEEDED)") }.map(String.init)
  }
}

/// The programs built beside the tests.
enum Products {
  static func path(of program: String) throws -> String {
    let tests = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let beside = tests.appendingPathComponent(program)
    if FileManager.default.isExecutableFile(atPath: beside.path) { return beside.path }
    let debug = Tree.root.appendingPathComponent(".build/debug").appendingPathComponent(program)
    try #require(
      FileManager.default.isExecutableFile(atPath: debug.path), "\(program) is built first")
    return debug.path
  }
}
