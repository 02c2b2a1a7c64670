import Foundation
import TestSupport
import Testing

/// `earshot erase --all` on a real terminal, with the real daemon that it starts itself.
@Suite("Erasing everything", .serialized)
struct EraseTests {
  /// A person who has answered for the microphone and for saving, and has settings.
  private func person() throws -> PersonalFolder {
    let person = try PersonalFolder()
    let settings = person.path + "/config/earshot"
    try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
    try #"{"source":"default"}"#.write(
      toFile: settings + "/earshot.json", atomically: true, encoding: .utf8)
    for words in [["consent", "grant"], ["library", "allow"]] {
      let terminal = try person.earshot(words[0], words[1])
      try #require(terminal.waits(for: "Cancel"), "\(terminal.shown)")
      terminal.rest(seconds: 0.4)
      try terminal.type("a")
      try #require(terminal.end() == 0, "\(terminal.shown)")
    }
    try #require(try person.decisions().count == 2)
    return person
  }

  /// The files below the state and configuration folders in which a text stands.
  private func files(of person: PersonalFolder, holding text: String) -> [String] {
    ["state", "config"].flatMap { part in
      (FileManager.default.enumerator(atPath: "\(person.path)/\(part)")?
        .compactMap { $0 as? String } ?? [])
        .map { "\(person.path)/\(part)/\($0)" }
    }.filter {
      FileManager.default.contents(atPath: $0)?.range(of: Data(text.utf8)) != nil
    }
  }

  @Test("R8, S3: it names the loss, 'Cancel' is the default, and only 'Erase' erases")
  func asked() throws {
    let person = try person()
    // Return does what has the focus, and Esc backs out: both change nothing.
    for key in ["\r", "\u{1B}"] {
      let terminal = try person.earshot("erase", "--all")
      try #require(terminal.waits(for: "Erase Everything That Is Kept?"), "\(terminal.shown)")
      #expect(terminal.waits(for: "--export"), "\(terminal.shown)")
      terminal.rest(seconds: 0.4)
      try terminal.type(key)
      #expect(terminal.end() == 130)
      #expect(try person.decisions().count == 2)
    }
    let piped = try person.run("earshot erase --all", input: "e\nErase\ny\n")
    #expect(piped.status == 6, "\(piped.errors)")
    #expect(try person.run("earshot erase").status == 64)
    #expect(try person.decisions().count == 2)
  }

  @Test("R8: after it no requester is in the bytes, the settings are gone, and a copy holds all")
  func erased() throws {
    let person = try person()
    let requester = try PersonalFolder.program("earshot")
    #expect(!files(of: person, holding: requester).isEmpty)
    let copy = person.path + "/kept.json"
    let terminal = try person.earshot("erase", "--all", "--export", copy)
    try #require(terminal.waits(for: "Erase Everything That Is Kept?"), "\(terminal.shown)")
    #expect(terminal.waits(for: "The copy"), "\(terminal.shown)")
    terminal.rest(seconds: 0.4)
    try terminal.type("e")
    #expect(terminal.end() == 0, "\(terminal.shown)")
    #expect(files(of: person, holding: requester).isEmpty)
    #expect(
      !FileManager.default.fileExists(atPath: person.path + "/config/earshot/earshot.json"))
    #expect(try person.decisions().isEmpty)
    #expect(try person.run("earshot consent verify").status == 0)
    let kept = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: copy)))
        as? [String: Any])
    #expect(kept["library"] != nil)
    let records = (kept["ledger"] as? [String: Any])?["records"] as? [Any]
    #expect(records?.count == 2, "\(kept)")
    let rights = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
    #expect(rights == 0o600)
  }
}
