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
    let words = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "/wo" + "rk/", "/ro" + "ot/"]
    let folders = ["Sources", "Tests", "Scripts", "Documentation", "Catalogs", "systemd"]
    for file in folders.flatMap(Tree.files) {
      guard let text = try? Tree.text(file) else { continue }
      for word in words {
        #expect(!text.contains(word), "\(Tree.name(file)) contains \(word)")
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
}
