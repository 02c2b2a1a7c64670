import EarshotSignature
import Foundation
import Testing

@testable import EarshotCatalog

@Suite("A catalog keeps what was written") struct CatalogTests {
  @Test("items, signatures and sections come back as they were")
  func roundTrip() throws {
    let folder = try TestFolder()
    try Catalogs.writeSmall(folder.file("a.earshot"))
    let catalog = try Catalog(path: folder.file("a.earshot"))
    #expect(catalog.itemCount == 3)
    #expect(catalog.signatureCount == 2)
    #expect(try catalog.item(0) == Catalogs.fullItem("a"))
    #expect(try catalog.items().map(\.id) == ["a", "b", "c"])
    #expect(catalog.itemIndices(ofSignature: 0) == [0, 2])
    #expect(catalog.itemIndices(ofSignature: 1) == [1])
    #expect(catalog.signatureIndex(ofItem: 2) == 0)
    #expect(try catalog.index(ofItem: "c") == 2)
    #expect(try catalog.index(ofItem: "d") == nil)
    #expect(try catalog.signature(1) == Catalogs.signature(seed: 2, seconds: 3))
    #expect(abs(catalog.duration - 7) < 1e-9)
    let words = try catalog.withPeaks(ofSignature: 0) { words in words.indices.map { words[$0] } }
    #expect(words == Catalogs.signature(seed: 1, seconds: 4).packedPeaks)
    let section = try catalog.withSection(SectionKind("TEST")) { $0.byteCount }
    #expect(section == 200)
    #expect(try catalog.withSection(SectionKind("NONE")) { $0.byteCount } == nil)
    #expect(try CatalogVerifier(catalog).verify())
  }

  @Test("the same content gives the same bytes, and nothing is left beside the file")
  func deterministic() throws {
    let folder = try TestFolder()
    try Catalogs.writeSmall(folder.file("a.earshot"))
    try Catalogs.writeSmall(folder.file("b.earshot"))
    #expect(try folder.bytes("a.earshot") == folder.bytes("b.earshot"))
    #expect(folder.names == ["a.earshot", "b.earshot"])
  }

  @Test("peaks of more than one block are written and checked block by block")
  func manyBlocks() throws {
    let folder = try TestFolder()
    let signatures = (1...4).map { Catalogs.signature(seed: UInt64($0), seconds: 600) }
    var writer = try CatalogWriter(path: folder.file("a.earshot"))
    for (index, signature) in signatures.enumerated() {
      let place = try writer.append(signature)
      try writer.append(MediaItem(id: "\(index)", title: "x"), signatureIndex: place)
    }
    try writer.finish()
    let bytes = try folder.bytes("a.earshot")
    #expect(bytes.count > 4 * CatalogFormat.blockByteCount)
    let catalog = try Catalog(path: folder.file("a.earshot"))
    for (index, signature) in signatures.enumerated() {
      #expect(try catalog.signature(index) == signature)
    }
    // A changed block spoils the signatures in it when they are used, and no others.
    var changed = bytes
    changed[CatalogFormat.firstSectionOffset + 10] ^= 1
    try folder.write(changed, "b.earshot")
    let damaged = try Catalog(path: folder.file("b.earshot"))
    #expect(try damaged.signature(3) == signatures[3])
    #expect(
      throws: CatalogError.wrongChecksum(
        part: .section(.peaks), offset: CatalogFormat.firstSectionOffset,
        byteCount: CatalogFormat.blockByteCount)
    ) { try damaged.signature(0) }
  }

  @Test("a writer that is dropped leaves the old file and nothing else")
  func dropped() throws {
    let folder = try TestFolder()
    try Catalogs.writeSmall(folder.file("a.earshot"))
    let before = try folder.bytes("a.earshot")
    do {
      var writer = try CatalogWriter(path: folder.file("a.earshot"))
      _ = try writer.append(Catalogs.signature(seed: 9, seconds: 100))
    }
    #expect(try folder.bytes("a.earshot") == before)
    #expect(folder.names == ["a.earshot"])
  }

  @Test("readers keep the old file while it is replaced; the mode and a link stay")
  func replaced() throws {
    let folder = try TestFolder()
    try Catalogs.writeSmall(folder.file("a.earshot"))
    #expect(chmod(folder.path + "/a.earshot", 0o600) == 0)
    #expect(symlink("a.earshot", folder.path + "/link") == 0)
    let old = try Catalog(path: folder.file("a.earshot"))
    var writer = try CatalogWriter(path: folder.file("link"))
    let place = try writer.append(Catalogs.signature(seed: 7, seconds: 2))
    try writer.append(MediaItem(id: "new", title: "new"), signatureIndex: place)
    try writer.finish()
    #expect(try old.item(0).id == "a")
    #expect(try CatalogVerifier(old).verify())
    #expect(try Catalog(path: folder.file("a.earshot")).items().map(\.id) == ["new"])
    #expect(folder.names == ["a.earshot", "link"])
    var facts = stat()
    #expect(stat(folder.path + "/a.earshot", &facts) == 0 && facts.st_mode & 0o777 == 0o600)
  }

  @Test("identifiers are unique, and unusable items are refused with their index")
  func items() throws {
    let folder = try TestFolder()
    var writer = try CatalogWriter(path: folder.file("a.earshot"))
    let place = try writer.append(Catalogs.signature(seed: 1, seconds: 1))
    try writer.append(MediaItem(id: "a", title: "a"), signatureIndex: place)
    #expect(throws: CatalogError.duplicateIdentifier(index: 1)) {
      try writer.append(MediaItem(id: "a", title: "b"), signatureIndex: place)
    }
    for (change, fault) in Self.faults {
      var item = MediaItem(id: "x", title: "x")
      change(&item)
      #expect(throws: CatalogError.unusableItem(index: 1, fault)) {
        try writer.append(item, signatureIndex: place)
      }
    }
    var largest = MediaItem(id: String(repeating: "i", count: 1024), title: "x")
    largest.custom = .string(String(repeating: "y", count: MediaItem.byteCountMax - 2000))
    try writer.append(largest, signatureIndex: place)
    try writer.finish()
    #expect(try Catalog(path: folder.file("a.earshot")).item(1) == largest)
  }

  private static let faults: [(@Sendable (inout MediaItem) -> Void, MediaItem.Fault)] = [
    ({ $0.id = "" }, .identifier), ({ $0.id = String(repeating: "i", count: 1025) }, .identifier),
    ({ $0.timeRanges = [.init(start: 1, end: 1)] }, .timeRange(index: 0)),
    (
      { $0.timeRanges = [.init(start: 0, end: 1), .init(start: -1, end: 1)] }, .timeRange(index: 1)
    ),
    ({ $0.timeRanges = [.init(start: 0, end: .infinity)] }, .timeRange(index: 0)),
    ({ $0.timeRanges = [.init(start: .nan, end: 1)] }, .timeRange(index: 0)),
    ({ $0.speedRange = .init(low: 1.1, high: 1) }, .speedRange),
    ({ $0.speedRange = .init(low: 0.2, high: 1) }, .speedRange),
    ({ $0.artwork = "/etc/passwd" }, .path("/etc/passwd")),
    ({ $0.captions = ["en": "a/../../b"] }, .path("a/../../b")),
    ({ $0.webURL = "javascript:alert(1)" }, .webURL),
    ({ $0.custom = .string(String(repeating: "y", count: MediaItem.byteCountMax)) }, .tooLarge),
  ]

  @Test("an empty catalog is one")
  func empty() throws {
    let folder = try TestFolder()
    try CatalogWriter(path: folder.file("a.earshot")).finish()
    let catalog = try Catalog(path: folder.file("a.earshot"))
    #expect(catalog.itemCount == 0 && catalog.signatureCount == 0)
    #expect(try CatalogVerifier(catalog).verify())
  }

  @Test("threads may share a catalog")
  func shared() async throws {
    let folder = try TestFolder()
    var writer = try CatalogWriter(path: folder.file("a.earshot"))
    for index in 0..<20 {
      let place = try writer.append(Catalogs.signature(seed: UInt64(index), seconds: 100))
      try writer.append(MediaItem(id: "\(index)", title: "x"), signatureIndex: place)
    }
    try writer.finish()
    let catalog = try Catalog(path: folder.file("a.earshot"))
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          for index in 0..<20 {
            let place = (index * 7 + task) % 20
            let wanted = Catalogs.signature(seed: UInt64(place), seconds: 100)
            if try catalog.signature(place) != wanted { return false }
          }
          return true
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  @Test("what can't be written says why", arguments: ["/nowhere/a.earshot", "/proc/a.earshot"])
  func notWritable(path: String) {
    do throws(CatalogError) {
      _ = try CatalogWriter(path: Array(path.utf8))
      Issue.record("it was begun")
    } catch {
      guard case .notWritable = error else {
        Issue.record("\(error)")
        return
      }
    }
  }
}
