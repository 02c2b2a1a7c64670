import Foundation
import Testing

@Suite("Package")
struct PackageTests {
  private static func lines(_ path: String) throws -> [String] {
    try Tree.text(Tree.root.appendingPathComponent(path)).split(separator: "\n").map(String.init)
  }

  @Test("what the Debian package installs is in the tree")
  func installed() throws {
    let listed =
      try Self.lines("debian/earshot.install").compactMap { $0.split(separator: " ").first }
      + Self.lines("debian/earshot.manpages").map { $0[...] }
      + Self.lines("debian/earshot.docs").map { $0[...] }
    for path in listed where !path.hasPrefix(".build/") {
      #expect(
        FileManager.default.fileExists(atPath: Tree.root.path + "/" + path), "\(path) is missing")
    }
    let units = Tree.files(in: "systemd").map(Tree.name).filter {
      $0.hasSuffix(".service") || $0.hasSuffix(".socket")
    }
    #expect(!units.isEmpty)
    for unit in units { #expect(listed.contains(unit[...]), "\(unit) is not installed") }
  }

  @Test("the manual of the daemon and its help name the same options")
  func manual() throws {
    let manual = try Tree.text(
      Tree.root.appendingPathComponent("Documentation/man/earshotd.8")
    ).replacingOccurrences(of: "\\-", with: "-")
    let help = try Tree.text(
      Tree.root.appendingPathComponent("Sources/EarshotService/ServiceOptions.swift"))
    let option = try Regex("--[a-z-]+")
    let told = Set(manual.matches(of: option).map { String(manual[$0.range]) })
    let known = Set(help.matches(of: option).map { String(help[$0.range]) })
    #expect(known.count > 5)
    #expect(
      told.subtracting(["--user", "--now"]).isSuperset(of: known),
      "not told: \(known.subtracting(told))")
  }

  @Test("every setting that is read is in Settings.md or Kiosk.md")
  func settings() throws {
    let pages = try ["Settings.md", "Kiosk.md"].map {
      try Tree.text(Tree.root.appendingPathComponent("Documentation/\($0)"))
    }.joined()
    let name = try Regex(#"reading\.(text|texts|number|flag|object)\("([A-Za-z]+)""#)
    var count = 0
    for file in ["Configuration.swift", "KioskSettings.swift", "KioskTheme.swift"] {
      let source = try Tree.text(
        Tree.root.appendingPathComponent("Sources/EarshotService/\(file)"))
      for match in source.matches(of: name) {
        let setting = String(try #require(match.output[2].substring))
        count += 1
        #expect(
          pages.contains("`\(setting)`") || pages.contains("\"\(setting)\""),
          "\(setting) is not described")
      }
    }
    #expect(count > 15)
  }

  @Test("T1: the package says what the privacy label says")
  func label() throws {
    let description = try Self.lines("debian/control")
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
    for line in try Self.lines("README.md") where line.hasPrefix("| ") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 2,
        ["Taken", "Kept", "Leaves this machine", "Tracking"].contains(cells[0])
      else { continue }
      for fact in cells[1].split(separator: ";") {
        let words = fact.trimmingCharacters(in: .whitespaces)
          .replacingOccurrences(of: " (for 90 days)", with: ", for 90 days")
        #expect(description.contains(words), "the description does not say: \(words)")
      }
    }
  }
}
