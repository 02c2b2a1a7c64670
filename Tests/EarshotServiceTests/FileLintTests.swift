import EarshotConsent
import Foundation
import Testing

@testable import EarshotService

@Suite("Checking files of purposes and explanations")
struct FileLintTests {
  private func purposes(_ english: String, code: String = "quiz", other: String = "") -> [UInt8] {
    Array(
      """
      {"version":1,"purposes":[{"code":"\(code)","version":1,"use":"identify",
       "sentences":{"en":"\(english)"\(other)}}]}
      """.utf8)
  }

  @Test(
    "P1 to P7: names the file, the rule and the word",
    arguments: [
      ("your device listens to tell you what is playing.", "P1"),
      ("Your device listens, Earshot tells you what is playing.", "P4"),
      ("Please let your device listen at once!!! It tells you what is playing.", "P5"),
      ("Your device listens for a few seconds.", "P3"),
    ])
  func rules(sentence: String, rule: String) {
    let report = FileLint.report(purposes(sentence), name: "p.json")
    #expect(report.isRefused)
    #expect(report.lines.contains { $0.hasPrefix("p.json: ") && $0.contains(rule) }, "\(report)")
  }

  @Test("C12: a missing translation is told and is no reason to refuse")
  func translations() {
    let sentence = PurposeList.shipped.purpose("identify")?.sentences[.english] ?? ""
    let report = FileLint.report(purposes(sentence), name: "p.json")
    #expect(!report.isRefused, "\(report)")
    #expect(report.lines.count { $0.contains("English is shown") } == 3)
  }

  @Test("E1, E4, E5: an explanation is told by its words, and a button in it is refused")
  func explanations() {
    let text =
      #"{"version":1,"texts":{"en":{"title":"Hi","sentences":["Win a prize."]}},"action":"next"}"#
    let report = FileLint.report(Array(text.utf8), name: "e.json")
    #expect(report.isRefused)
    #expect(report.lines.contains { $0.contains("E1") })
    let other = FileLint.report(
      Array(text.replacing("\"action\"", with: "\"button\":1,\"action\"").utf8), name: "e.json")
    #expect(other.lines.contains { $0.contains("E4") })
  }

  @Test("a file that is none says so, and the status is that of wrong settings")
  func broken() {
    var said: [String] = []
    #expect(FileLint.run(["/nonexistent/x.json"]) { said.append($0) } == 78)
    #expect(said.count == 1)
    #expect(FileLint.report(Array("{".utf8), name: "x").isRefused)
    #expect(FileLint.run([]) { said.append($0) } == 0)
  }
}

@Suite("The privacy label")
struct PrivacyLabelTests {
  private func label(_ language: PromptLanguage) throws -> PrivacyLabel {
    let options = try ServiceOptions(arguments: [])
    return PrivacyLabel(
      configuration: Configuration(),
      paths: ServicePaths(options: options, environment: ["HOME": "/h"], user: 0),
      language: language)
  }

  @Test(
    "T1: four languages, each with every part, version and date", arguments: PromptLanguage.allCases
  )
  func languages(language: PromptLanguage) throws {
    let label = try label(language)
    let english = try self.label(.english)
    #expect(label.sections.map { $0.entries.count } == english.sections.map { $0.entries.count })
    #expect(
      label.sections.allSatisfy { $0.entries.allSatisfy { !$0.isEmpty } && !$0.title.isEmpty })
    #expect(language == .english || label.sections != english.sections)
    #expect(label.kept == english.kept)
    #expect(label.product.contains(DaemonVersion.text))
    #expect(label.date.count == 10)
    #expect(label.leavesTheMachine.isEmpty && label.tracking.isEmpty)
  }

  @Test(
    "T1: README and Privacy.md hold the same label",
    arguments: ["README.md", "Documentation/Privacy.md"])
  func copies(file: String) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
    let table = try label(.english).table
    #expect(page.contains(table), "\(file) differs:\n\(table)")
  }

  @Test("T1: what the kiosk's page adds is in the label")
  func page() throws {
    var configuration = Configuration()
    configuration = try Configuration(
      parsing: Array(
        #"{"controller":{"name":"M","contact":"c"},"kiosk":{"port":8585}}"#.utf8))
    let options = try ServiceOptions(arguments: [])
    let label = PrivacyLabel(
      configuration: configuration,
      paths: ServicePaths(options: options, environment: ["HOME": "/h"], user: 0))
    #expect(label.sockets.contains("127.0.0.1:8585"))
    #expect(label.network.count == 2)
  }
}
