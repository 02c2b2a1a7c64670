import EarshotSignature
import Foundation

@testable import EarshotCatalog

/// A folder for one test, removed with it.
final class TestFolder {
  let path: String

  init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("earshot-catalog-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> [UInt8] { Array((path + "/" + name).utf8) }

  func write(_ bytes: [UInt8], _ name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
  }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
  }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}

/// Signatures and catalogs made for tests.
enum Catalogs {
  /// A signature with peaks drawn from `seed`, 90 a second.
  static func signature(seed: UInt64, seconds: Double) -> Signature {
    var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let sampleCount = Int(seconds * 16000)
    let frameCount = AnalyzerSettings.frameCount(ofSampleCount: sampleCount)
    var words: [UInt16] = []
    var frame = 0
    while true {
      let step = random(3)
      frame += step
      if frame >= frameCount { break }
      words.append(
        PackedPeak(
          bin: random(AnalyzerSettings.binCount), strength: random(4), isRepeated: random(2) == 1,
          step: step
        ).word)
    }
    do {
      return try Signature(
        sampleCount: sampleCount, packedPeaks: words, settingsDigest: AnalyzerSettings.digest)
    } catch {
      preconditionFailure("the test's signature is wrong: \(error)")
    }
  }

  /// An item with every property set.
  static func fullItem(_ id: String) -> MediaItem {
    var item = MediaItem(id: id, title: "Ä „title“\n\t\u{1F3B5}")
    item.subtitle = "subtitle"
    item.artist = "artist"
    item.album = "album"
    item.genres = ["one", "two"]
    item.isrc = "QZES52000001"
    item.language = "de-AT"
    item.explicit = false
    item.artwork = "art/cover.png"
    item.captions = ["de": "captions/a.de.vtt", "en": "captions/a.en.vtt"]
    item.signLanguageVideo = "video/a.webm"
    item.webURL = "https://example.org/a"
    item.timeRanges = [.init(start: 0, end: 1.5), .init(start: 2, end: 3)]
    item.speedRange = .init(low: 0.98, high: 1.02)
    item.custom = .object([
      "count": .integer(.max), "list": .array([.null, .bool(true), .number(1.5), .string("x")]),
    ])
    return item
  }

  /// Writes a small catalog: two signatures, three items, one further section.
  static func writeSmall(
    _ path: [UInt8], indexed: Bool = false, passages: PassageChoice = .record
  ) throws {
    var writer = try CatalogWriter(path: path)
    writer.passageChoice = passages
    if indexed { writer.indexChoice = .always }
    let first = try writer.append(signature(seed: 1, seconds: 4))
    let second = try writer.append(signature(seed: 2, seconds: 3))
    try writer.append(fullItem("a"), signatureIndex: first)
    try writer.append(MediaItem(id: "b", title: ""), signatureIndex: second)
    try writer.append(MediaItem(id: "c", title: "chapter"), signatureIndex: first)
    try writer.append(section: SectionKind("TEST"), bytes: Array(0..<200))
    try writer.finish()
  }
}
