import Foundation
import Testing

@Suite("Tidy")
struct TidyTests {
  @Test(
    "front doors are one call: main files stay under 30 lines", arguments: ["earshot", "earshotd"])
  func mains(name: String) throws {
    let files = Tree.swiftFiles(in: "Sources/\(name)")
    #expect(files.count == 1)
    for file in files {
      #expect(try Tree.text(file).split(separator: "\n").count < 30)
    }
  }

  @Test("source files stay at 400 lines at most, tables apart")
  func sizes() throws {
    for file in Tree.swiftFiles(in: "Sources") where !file.lastPathComponent.contains("Table") {
      let lines = try Tree.text(file).split(separator: "\n", omittingEmptySubsequences: false).count
      #expect(lines <= 401, "\(Tree.name(file)) has \(lines) lines")
    }
  }

  @Test("nothing is left unfinished, and no path of a workplace stands in the tree")
  func leftovers() throws {
    // The words are put together here so that this file does not find itself.
    let patterns: [String] = [
      #"\bTO"# + #"DO\b"#, "FIX" + "ME", #"\bXX"# + #"X\b"#, "\"/wo" + "rk/", "\"/ro" + "ot/",
    ]
    var words: [Regex<AnyRegexOutput>] = []
    for pattern in patterns { words.append(try Regex(pattern)) }
    let folders = ["Sources", "Tests", "Scripts", "Documentation", "Catalogs", "systemd"]
    for file in folders.flatMap(Tree.files) {
      guard let text = try? Tree.text(file) else { continue }
      for word in words {
        #expect(
          text.firstMatch(of: word) == nil, "an unfinished mark or a path: \(Tree.name(file))")
      }
    }
  }

  @Test("every page of documentation has exactly one title")
  func titles() throws {
    let pages = Tree.files(in: "Documentation").filter { $0.pathExtension == "md" }
    #expect(!pages.isEmpty)
    for page in pages {
      var isCode = false
      var titles = 0
      for line in try Tree.text(page).split(separator: "\n") {
        if line.hasPrefix("```") { isCode.toggle() }
        if !isCode && line.hasPrefix("# ") { titles += 1 }
      }
      #expect(titles == 1, "\(Tree.name(page)) has \(titles) titles")
    }
  }

  @Test("scripts can be run")
  func scripts() throws {
    let scripts =
      Tree.files(in: "Scripts").filter { !$0.path.contains("/lib/") } + Tree.files(in: ".ci")
    #expect(!scripts.isEmpty)
    for script in scripts where script.pathExtension.isEmpty {
      #expect(FileManager.default.isExecutableFile(atPath: script.path), "\(Tree.name(script))")
    }
  }

  @Test("W7: errors stay typed: what throws says what it throws")
  func typedErrors() throws {
    let rooms = Walls.mayImport.keys.filter { $0.hasPrefix("Earshot") }
      .flatMap { Tree.swiftFiles(in: "Sources/\($0)") }
    let untyped = try Regex(#"\bthrows\s*(->|\{|$)"#)
    for file in rooms {
      for line in try Tree.text(file).split(separator: "\n")
      where !line.contains("//") && line.firstMatch(of: untyped) != nil {
        // Codable's own requirements are untyped.
        #expect(
          line.contains("Decoder)") || line.contains("Encoder)"), "\(Tree.name(file)): \(line)")
      }
    }
  }

  @Test("W1, W3: what gets round a consent, or lets sound out, has a refusal that is checked")
  func refusals() throws {
    let cases = Tree.swiftFiles(in: "Tests/Refusals/Cases")
    for start in ["forge-a-grant", "copy-a-grant", "open-twice", "copy-samples", "encode-samples"] {
      #expect(cases.contains { $0.lastPathComponent.hasPrefix(start) }, "no case \(start)")
    }
    for file in cases {
      #expect(try Tree.text(file).contains("expected-error"), "\(Tree.name(file)) expects nothing")
    }
    let script = try Tree.text(Tree.root.appendingPathComponent("Scripts/test"))
    #expect(script.contains("Tests/Refusals/run"))
  }
}
