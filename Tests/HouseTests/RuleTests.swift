import Foundation
import Testing

@Suite("Rules")
struct RuleTests {
  /// The rules of consent that hold so far. A rule joins the list when its test does.
  static let held: [String] = [
    "C1", "C2", "C4", "C7", "C8", "C10", "C13", "L1", "L2", "L3", "L5", "L6", "L7", "L8", "L9",
    "P1", "P2", "P3", "P4", "P5", "P6", "P7", "R1", "R2", "R3", "R4", "R7", "S1", "S2", "S4", "S5",
    "S6", "W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8",
  ]

  @Test("each rule that holds is named by a test", arguments: held)
  func named(rule: String) throws {
    let pattern = try Regex("(@Test|@Suite)\\(\\s*\"([^\"]*[^A-Za-z0-9\"])?\(rule)[^0-9]")
    var found = false
    for file in Tree.swiftFiles(in: "Tests") where try Tree.text(file).contains(pattern) {
      found = true
      break
    }
    #expect(found, "no test names \(rule)")
  }

  @Test("the table of rules and tests in Privacy.md names tests that name the rule")
  func table() throws {
    let page = try Tree.text(Tree.root.appendingPathComponent("Documentation/Privacy.md"))
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }
      .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
      .filter { $0.count == 2 && $0[1].contains("Tests/") }
    #expect(rows.count > 40)
    for row in rows {
      for file in row[1].components(separatedBy: ", ") {
        // The page is tested in a browser, which Python drives.
        let path = file.hasSuffix(".py") ? file : "Tests/\(file).swift"
        let text = try Tree.text(Tree.root.appendingPathComponent(path))
        // A test's name in Swift, what a test says it shows in Python; 'P1 to P7' names those between.
        let named = try Regex(
          file.hasSuffix(".py")
            ? "[^A-Z0-9]\(row[0])[^0-9]"
            : "(@Test|@Suite)\\(\\s*\"([^\"]*[^A-Za-z0-9\"])?\(row[0])[^0-9]")
        #expect(
          text.contains(named) || text.contains("\"P1 to P7"), "\(file) does not name \(row[0])")
      }
    }
    let listed = Set(rows.map { $0[0] })
    for (letter, count) in Self.counts {
      for number in 1...count {
        #expect(listed.contains("\(letter)\(number)"), "no row holds \(letter)\(number)")
      }
    }
  }

  /// How many rules of each kind the page on consent numbers.
  private static let counts = [
    "C": 13, "P": 7, "E": 6, "B": 7, "L": 9, "S": 7, "R": 8, "K": 4, "T": 4, "A": 5,
  ]
}
