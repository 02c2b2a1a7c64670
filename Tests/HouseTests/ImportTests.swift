import Foundation
import Testing

/// One `import` line of a source file.
private struct Import {
  let file: String
  let module: String
  let isInternal: Bool

  /// Reads the import lines of `file`; conditional and attributed ones count as well.
  static func all(in file: URL) throws -> [Import] {
    try Tree.text(file).split(separator: "\n", omittingEmptySubsequences: true).compactMap { line in
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard let at = words.firstIndex(of: "import"), at + 1 < words.count,
        words[..<at].allSatisfy({ Self.modifiers.contains(String($0)) || $0.hasPrefix("@") })
      else { return nil }
      let kinds: Set<Substring> = ["struct", "class", "enum", "func", "var", "protocol", "actor"]
      let named = kinds.contains(words[at + 1]) ? words[at + 2] : words[at + 1]
      let module = named.split(separator: ".")[0].split(separator: ";")[0]
      return Import(
        file: Tree.name(file), module: String(module),
        isInternal: !words[..<at].contains("public") && !words[..<at].contains("package"))
    }
  }

  private static let modifiers: Set<String> = [
    "public", "internal", "package", "private", "fileprivate",
  ]
}

@Suite("Imports")
struct ImportTests {
  @Test("W2: a room imports only what its walls allow", arguments: Walls.mayImport.keys.sorted())
  func walls(room: String) throws {
    let allowed = Walls.mayImport[room, default: []].union(Walls.free)
    let files = Tree.swiftFiles(in: "Sources/\(room)")
    #expect(!files.isEmpty)
    for found in try files.flatMap(Import.all) {
      #expect(allowed.contains(found.module), "\(found.file) imports \(found.module)")
    }
  }

  @Test(
    "W2: the manifest grants exactly what the walls say", arguments: Walls.mayImport.keys.sorted())
  func manifest(room: String) throws {
    let manifest = try Tree.text(Tree.root.appendingPathComponent("Package.swift"))
    let call = room.hasPrefix("Earshot") ? "room(" : ".executableTarget("
    let calls = manifest.components(separatedBy: call).dropFirst()
    let body = try #require(
      calls.first { $0.contains("\"\(room)\"") && Self.literals(in: $0).first == room })
    // Resources follow the list of dependencies and are no imports.
    let list = body.prefix { $0 != "]" } + "])"
    #expect(Set(Self.literals(in: String(list)).dropFirst()) == Walls.mayImport[room])
  }

  @Test("W5: a C module has one importing room, by an internal import")
  func cModules() throws {
    var importers: [String: Set<String>] = [:]
    for room in Walls.mayImport.keys {
      for found in try Tree.swiftFiles(in: "Sources/\(room)").flatMap(Import.all)
      where found.module.hasPrefix("C") && found.module.dropFirst().first?.isUppercase == true {
        importers[found.module, default: []].insert(room)
        #expect(found.isInternal, "\(found.file) makes \(found.module) public")
      }
    }
    for (module, rooms) in importers {
      #expect(rooms.count == 1, "\(module) is imported by \(rooms.sorted())")
    }
    #expect(importers["CALSA"] == ["EarshotCapture"])
  }

  @Test("keeps Foundation out of the sound's path", arguments: Walls.soundPath.sorted())
  func soundPath(room: String) throws {
    for found in try Tree.swiftFiles(in: "Sources/\(room)").flatMap(Import.all) {
      #expect(found.module != "Foundation", "\(found.file)")
    }
  }

  /// The string literals of a call, up to its closing parenthesis.
  private static func literals(in text: String) -> [String] {
    var depth = 1
    var end = text.startIndex
    for index in text.indices {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" { depth -= 1 }
      if depth == 0 {
        end = index
        break
      }
    }
    return text[..<end].components(separatedBy: "\"").enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
  }
}
