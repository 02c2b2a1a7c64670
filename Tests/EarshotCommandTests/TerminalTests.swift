import Foundation
import TestSupport
import Testing

/// The real program on a real terminal, with the real daemon that it starts itself.
///
/// There is no microphone in these tests: what comes after an allowed question is the daemon's
/// fault that the source is missing, and tests of the whole way have a room of their own.
@Suite("The terminal agent", .serialized)
struct TerminalTests {
  @Test("C6, C8: Return does nothing at first; a denial is recorded, final, and told at once")
  func denial() throws {
    let person = try PersonalFolder()
    let catalog = try person.catalog()
    let terminal = try person.earshot("listen", "--catalog", catalog)
    let before = terminal.settings
    try #require(terminal.waits(for: "Don't Allow"), "\(terminal.shown)")
    terminal.rest(seconds: 0.5)
    try terminal.type("\r")
    terminal.rest(seconds: 0.5)
    #expect(terminal.settings != before)
    try terminal.type("d")
    #expect(terminal.end() == 6)
    #expect(terminal.settings == before)
    #expect(terminal.shown.contains("\u{1B}[?1049l"))
    #expect(try person.decisions() == ["deny"])
    let again = try person.earshot("listen", "--catalog", catalog)
    #expect(again.end() == 6)
    #expect(!again.shown.contains("\u{1B}[?1049h"))
    #expect(again.shown.contains("earshot consent"), "says where to change it: \(again.shown)")
  }

  @Test(
    "C7: Esc and Ctrl-C leave the question without an answer, and the terminal as it was",
    arguments: ["\u{1B}", "\u{3}"])
  func dismissal(key: String) throws {
    let person = try PersonalFolder()
    let catalog = try person.catalog()
    let terminal = try person.earshot("listen", "--catalog", catalog)
    let before = terminal.settings
    try #require(terminal.waits(for: "Don't Allow"), "\(terminal.shown)")
    terminal.rest(seconds: 0.4)
    try terminal.type(key)
    #expect(terminal.end() == 6)
    #expect(terminal.settings == before)
    #expect(try person.decisions().isEmpty)
  }

  @Test("C6: Tab and Return answer; what is pasted or typed ahead does not")
  func allowance() throws {
    let person = try PersonalFolder()
    let catalog = try person.catalog()
    let terminal = try person.earshot("listen", "--catalog", catalog)
    try terminal.type("a")
    try #require(terminal.waits(for: "Don't Allow"), "\(terminal.shown)")
    terminal.rest(seconds: 0.5)
    try terminal.type("allow\r")
    terminal.rest(seconds: 0.5)
    try terminal.type("\t")
    terminal.rest(seconds: 0.2)
    try terminal.type("\t")
    terminal.rest(seconds: 0.2)
    try terminal.type("\r")
    #expect(terminal.end() == 2, "no microphone is there: \(terminal.shown)")
    #expect(terminal.shown.contains("You chose 'Allow Once'"))
    #expect(try person.decisions() == ["allow-once"])
  }

  @Test("a signal during the question restores the terminal and ends with 130")
  func signalled() throws {
    let person = try PersonalFolder()
    let catalog = try person.catalog()
    let terminal = try person.earshot("listen", "--catalog", catalog)
    let before = terminal.settings
    try #require(terminal.waits(for: "Don't Allow"), "\(terminal.shown)")
    terminal.signal(SIGTERM)
    #expect(terminal.end() == 130)
    #expect(terminal.settings == before)
    #expect(try person.decisions().isEmpty)
  }

  @Test("the result goes to standard output as one line of JSON, and the question to the terminal")
  func json() throws {
    let person = try PersonalFolder()
    let catalog = try person.catalog()
    let file = person.path + "/out"
    let terminal = try person.earshot(
      "listen", "--catalog", catalog, "--json", outputPath: file)
    try #require(terminal.waits(for: "Don't Allow"), "\(terminal.shown)")
    terminal.rest(seconds: 0.4)
    try terminal.type("d")
    #expect(terminal.end() == 6)
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 1)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data((lines.first ?? "").utf8)) as? [String: Any])
    #expect(object["version"] as? Int == 1)
    #expect(object["outcome"] as? String == "denied")
  }

  @Test("C10: a program that pipes an answer is no person, and is told how to go on")
  func nobody() throws {
    let person = try PersonalFolder()
    let catalog = try person.catalog()
    for line in [
      "earshot listen --catalog '\(catalog)'", "earshot consent grant", "earshot library allow",
    ] {
      let ended = try person.run(line, input: "a\ny\nyes\n")
      #expect(ended.status == 6, "\(line): \(ended.errors)")
      #expect(ended.errors.split(separator: "\n").count >= 2, "\(line): \(ended.errors)")
    }
    #expect(try person.decisions().isEmpty)
  }

  @Test("C10: a program in the terminal's background is no person either")
  func background() throws {
    let person = try PersonalFolder()
    let earshot = try PersonalFolder.program("earshot")
    let terminal = try PseudoTerminal(
      "/bin/bash", ["-c", "set -m; \(earshot) consent grant & wait $!; echo status=$?"],
      environment: person.environment)
    #expect(terminal.waits(for: "status=6"), "\(terminal.shown)")
    _ = terminal.end()
    #expect(try person.decisions().isEmpty)
  }

  @Test("C10: consent grant takes the answer at the terminal; R5: one command takes it back")
  func grant() throws {
    let person = try PersonalFolder()
    let cancelled = try person.earshot("consent", "grant")
    try #require(cancelled.waits(for: "Cancel"), "\(cancelled.shown)")
    cancelled.rest(seconds: 0.4)
    try cancelled.type("c")
    #expect(cancelled.end() == 130)
    #expect(try person.decisions().isEmpty)
    let granted = try person.earshot("consent", "grant")
    try #require(granted.waits(for: "Cancel"), "\(granted.shown)")
    granted.rest(seconds: 0.4)
    try granted.type("a")
    #expect(granted.end() == 0, "\(granted.shown)")
    #expect(try person.decisions() == ["allow"])
    #expect(try person.run("earshot consent status").output.contains("May listen   allowed"))
    #expect(try person.run("earshot consent revoke --all").status == 0)
    #expect(try person.run("earshot consent status").output.contains("undetermined"))
    #expect(try person.run("earshot consent verify").status == 0)
  }

  @Test("a daemon that was started for one command is gone after it, with its socket")
  func privateDaemon() throws {
    let person = try PersonalFolder()
    let status = try person.run("earshot status --json")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any])
    #expect(object["isPrivate"] as? Bool == true)
    let process = try #require(object["process"] as? Int)
    #expect(kill(pid_t(process), 0) == -1)
    let left = try FileManager.default.contentsOfDirectory(atPath: person.path + "/run")
    #expect(left.allSatisfy { !$0.hasPrefix("earshot-") }, "\(left)")
  }
}
