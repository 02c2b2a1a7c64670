import Foundation
import Testing

@testable import EarshotCatalog

@Suite("The end of writing a catalog") struct FinishingTests {
  /// Writes tunes, two of which are the same, with an index; what was told comes back.
  private static func write(
    to path: String, until isEnough: @escaping (FinishingPhase, Double) -> Bool = { _, _ in false }
  ) throws -> [(phase: FinishingPhase, share: Double)] {
    var told: [(phase: FinishingPhase, share: Double)] = []
    var writer = try CatalogWriter(path: Array(path.utf8))
    writer.indexChoice = .always
    for (number, seed) in [1, 2, 3, 1].enumerated() {
      let place = try writer.append(Catalogs.signature(seed: UInt64(seed), seconds: 60))
      try writer.append(MediaItem(id: "\(number)", title: "T"), signatureIndex: place)
    }
    writer.whenFinishing = { phase, share in
      told.append((phase, share))
      return !isEnough(phase, share)
    }
    do throws(CatalogError) {
      try writer.finish()
    } catch {
      #expect(error == .cancelled)
      throw error
    }
    return told
  }

  @Test("index and passages are told in order, each from its beginning nearly to its end")
  func told() throws {
    let folder = try TestFolder()
    let told = try Self.write(to: folder.path + "/c.earshot")
    for phase in [FinishingPhase.index, .passages] {
      let shares = told.filter { $0.phase == phase }.map(\.share)
      #expect(shares == shares.sorted() && shares.allSatisfy { (0...1).contains($0) }, "\(shares)")
      #expect((shares.first ?? 1) < 0.1 && (shares.last ?? 0) > 0.7, "\(shares)")
    }
    let passages = told.firstIndex { $0.phase == .passages }
    #expect(told.lastIndex { $0.phase == .index }.map { $0 < passages ?? 0 } == true)
  }

  @Test("whoever is told may end it at any moment; then the old file stays, and nothing else")
  func cancelled() throws {
    let folder = try TestFolder()
    let path = folder.path + "/c.earshot"
    try Catalogs.writeSmall(Array(path.utf8))
    let old = try Data(contentsOf: URL(fileURLWithPath: path))
    for number in 0..<8 {
      var left = number
      #expect(throws: CatalogError.cancelled) {
        try Self.write(to: path) { _, _ in
          left -= 1
          return left < 0
        }
      }
    }
    #expect(throws: CatalogError.cancelled) {
      try Self.write(to: path) { $0 == .passages && $1 > 0 }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == old)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["c.earshot"])
  }
}
