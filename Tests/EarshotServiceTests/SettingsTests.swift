import Testing

@testable import EarshotService

@Suite("Settings")
struct SettingsTests {
  private func faults(_ text: String) -> [ConfigurationFault] {
    do throws(ServiceError) {
      _ = try Configuration(parsing: Array(text.utf8))
      return []
    } catch {
      if case .configuration(let faults) = error { return faults }
      return [ConfigurationFault(file: "?", line: 0, text: "\(error)")]
    }
  }

  @Test("an empty object means the defaults")
  func defaults() throws {
    #expect(try Configuration(parsing: Array("{}".utf8)) == Configuration())
    #expect(Configuration().source == "default")
    #expect(Configuration().sources == ["default"])
  }

  @Test("reads every setting")
  func all() throws {
    let text = """
      {"source": "hw:1", "sources": ["hw:1", "default"], "limit": 10.5, "catalogs": ["/a.earshot"],
       "controller": {"name": "Museum \\u00e9\\ud83c\\udfb5", "contact": "a@b"},
       "purposes": "/p.json", "keepUsesDays": 30}
      """
    let configuration = try Configuration(parsing: Array(text.utf8))
    #expect(configuration.source == "hw:1")
    #expect(configuration.sources == ["hw:1", "default"])
    #expect(configuration.limit == 10.5)
    #expect(configuration.controller?.name == "Museum é🎵")
    #expect(configuration.purposes == "/p.json")
    #expect(configuration.keepUsesDays == 30)
  }

  @Test("a source by itself is the only one that may be named")
  func onlySource() throws {
    let configuration = try Configuration(parsing: Array(#"{"source":"x"}"#.utf8))
    #expect(configuration.sources == ["x"])
  }

  @Test(
    "each fault names its line",
    arguments: [
      ("{\n\"limit\": 31\n}", 2), ("{\n\n\"limit\": 0.4}", 3), ("{\"limt\":\n3}", 1),
      ("{\n\"source\": 3}", 2), ("{\n\"source\": \"a\",\n\"sources\": [\"b\"]}", 3),
      ("{\n\"catalogs\": \"x\"}", 2), ("{\n\"controller\": {\"name\": \"x\"}}", 2),
      ("{\n\"controller\":\n{\"nam\": \"x\", \"name\": \"y\", \"contact\": \"z\"}}", 3),
      ("{\n\"a\": 1,\n\"a\": 2}", 3), ("{\n\"a\" 1}", 2), ("{\n\"a\": 1", 2), ("[\n]", 1),
      ("{\n\"source\": \"un\nclosed\"}", 2), ("{}\n}", 2), ("", 1), ("{\n\"source\": tru}", 2),
      ("{\"source\": \"\\x\"}", 1), ("{\"source\": \"\\ud800\"}", 1), ("{\"limit\": +3}", 1),
    ])
  func faultLines(text: String, line: Int) {
    let found = faults(text)
    #expect(!found.isEmpty, "\(text)")
    #expect(found.contains { $0.line == line }, "\(text): \(found)")
  }

  @Test("L9: a limit of 30 s is taken and one past it is not")
  func limit() {
    #expect(faults(#"{"limit": 30}"#).isEmpty)
    #expect(!faults(#"{"limit": 30.001}"#).isEmpty)
  }

  @Test("W6: nesting is bounded at 16 and one past it is refused")
  func nesting() throws {
    let deep = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
    _ = try SettingsValue(parsing: Array(deep(16).utf8))
    #expect(throws: SettingsValue.Fault.self) {
      try SettingsValue(parsing: Array(deep(17).utf8))
    }
  }

  @Test("never crashes on settings cut anywhere")
  func cut() {
    let text = Array(#"{"source": "hw:1\n", "sources": ["a"], "limit": 1e1, "x": null}"#.utf8)
    for length in 0..<text.count {
      #expect(throws: SettingsValue.Fault.self) {
        try SettingsValue(parsing: Array(text.prefix(length)))
      }
    }
  }

  @Test("the administrator lists agents by path and by unit, and what is neither is refused")
  func agents() throws {
    let text = #"{"agents":["/opt/a"],"agentUnits":["museum.service"]}"#
    let file = try AdministratorFile(parsing: Array(text.utf8))
    #expect(file.agents == ["/opt/a"] && file.agentUnits == ["museum.service"])
    for wrong in [#""agents":["a"]"#, #""agentUnits":["a"]"#, #""agentUnits":["a/b.service"]"#] {
      #expect(throws: ServiceError.self, "\(wrong)") {
        try AdministratorFile(parsing: Array("{\(wrong)}".utf8))
      }
    }
  }
}
