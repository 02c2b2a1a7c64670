import Foundation
import Testing

@testable import EarshotCommand

@Suite("Shipped files")
struct ShippedFilesTests {
  private static let places: [GeneratedFile: String] = [
    .man: "Documentation/man/earshot.1", .bash: "Documentation/completions/earshot.bash",
    .zsh: "Documentation/completions/_earshot", .fish: "Documentation/completions/earshot.fish",
  ]

  @Test(
    "the manual page and completions are what the table makes", arguments: GeneratedFile.allCases)
  func same(file: GeneratedFile) throws {
    let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let place = try #require(Self.places[file])
    let shipped = try String(contentsOf: top.appendingPathComponent(place), encoding: .utf8)
    #expect(
      shipped == file.text(table: CommandTable.all),
      "run: earshot --generate \(file.rawValue) > \(place)")
  }

  @Test("bash accepts its completion, and it offers commands, options and choices")
  func bash() throws {
    let script = BashCompletion(table: CommandTable.all).text()
    let probe = """
      \(script)
      ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _earshot 2>/dev/null
        printf '%s ' "${COMPREPLY[@]}"; echo; }
      ask earshot lis
      ask earshot consent rev
      ask earshot match --ear
      ask earshot match --speeds a
      """
    let output = try run("/bin/bash", ["--norc", "-c", probe])
    #expect(
      output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        == ["listen", "revoke", "--earliest", "all"])
  }

  @Test("the manual page is roff without complaints")
  func manual() throws {
    let page = FileManager.default.temporaryDirectory
      .appendingPathComponent("earshot-\(UUID().uuidString).1")
    try ManualPage(table: CommandTable.all).text().write(
      to: page, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: page) }
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/groff") else { return }
    let complaints = try run("/usr/bin/groff", ["-man", "-Tutf8", "-ww", "-z", page.path])
    #expect(complaints.isEmpty, "\(complaints.suffix(500))")
  }

  /// What a program writes to standard output and standard error.
  private func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
