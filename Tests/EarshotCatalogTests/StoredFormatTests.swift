import EarshotSignature
import Foundation
import Testing

@testable import EarshotCatalog

/// Catalogs that lie in the tree as a build of their time wrote them.
@Suite("Stored catalogs") struct StoredFormatTests {
  private static func stored(_ name: String) -> [UInt8] {
    Array(
      URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Stored/\(name)").path.utf8)
  }

  @Test(
    "format 1 opens whole, with its items and signatures",
    arguments: ["format-1", "format-1-index", "format-1-outline"])
  func first(name: String) throws {
    let catalog = try Catalog(path: Self.stored(name))
    #expect(try CatalogVerifier(catalog).verify())
    var chapter = MediaItem(id: "c", title: "chapter")
    #expect(
      try catalog.items() == [
        Catalogs.fullItem("a"), MediaItem(id: "b", title: ""), chapter,
      ])
    #expect(try catalog.signature(0) == Catalogs.signature(seed: 1, seconds: 4))
    #expect(try catalog.signature(1) == Catalogs.signature(seed: 2, seconds: 3))
    #expect(!catalog.hasPassages && catalog.passages.isEmpty)
    #expect(catalog.hasIndex == (name != "format-1"))
    #expect(catalog.sectionKinds.contains(.outline) == (name == "format-1-outline"))
    // An index of another build, and what no file holds, is made anew.
    _ = try catalog.index()
    _ = try catalog.outline()
    chapter.title = "kept"
    // What was stored then can be edited now.
    let folder = try TestFolder()
    var writer = try CatalogWriter(path: folder.file("edited.earshot"))
    try writer.append(catalog) { $0.id == "c" ? chapter : $0 }
    try writer.finish()
    #expect(try Catalog(path: folder.file("edited.earshot")).item(2).title == "kept")
  }

  @Test("the same content is written to the same bytes as then")
  func sameBytes() throws {
    let folder = try TestFolder()
    for name in ["format-1", "format-1-outline"] {
      // What was stored then says nothing of shared passages.
      try Catalogs.writeSmall(
        folder.file(name), indexed: name == "format-1-outline", passages: .never)
      let stored = URL(fileURLWithPath: String(decoding: Self.stored(name), as: UTF8.self))
      #expect(try folder.bytes(name) == [UInt8](Data(contentsOf: stored)), "\(name)")
    }
  }
}
