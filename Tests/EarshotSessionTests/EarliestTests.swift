import EarshotCatalog
import EarshotClient
import EarshotSignature
import Foundation
import TestSupport
import Testing

@testable import EarshotSession

@Suite("The shortest sample")
struct EarliestTests {
  private static let pieceSampleCount = 2048

  /// A catalog of two tunes.
  private func catalog(in folder: TemporaryFolder) throws -> String {
    let path = folder.file("tunes.earshot")
    var writer = try CatalogWriter(path: Array(path.utf8))
    for seed in [2, 3] as [UInt64] {
      var analyzer = ReferenceAnalyzer()
      analyzer.append(SyntheticSound.melody(seconds: 20, seed: seed).span)
      let index = try writer.append(analyzer.finish())
      try writer.append(MediaItem(id: "\(seed)", title: "Tune"), signatureIndex: index)
    }
    try writer.finish()
    return path
  }

  /// The samples heard when the first answer came, and that answer; nil where none came.
  private func listen(
    to sound: [Float], catalog: String, goal: ListenRequest.Goal
  ) throws -> (heard: Int, result: ListenResult)? {
    var recognition = try Recognition.prepare(catalogs: [catalog], goal: goal, seconds: 13)
    var heard = 0
    while heard + Self.pieceSampleCount <= sound.count {
      let piece = Array(sound[heard..<heard + Self.pieceSampleCount])
      heard += Self.pieceSampleCount
      if let result = try recognition.hear(piece.span) { return (heard, result) }
    }
    return nil
  }

  @Test(
    "L1: the first certain piece ends it: without it there is no answer, with it the one that is told",
    arguments: [ListenRequest.Goal.identify, .place])
  func shortest(goal: ListenRequest.Goal) throws {
    let folder = try TemporaryFolder()
    let catalog = try catalog(in: folder)
    let sound = Array(SyntheticSound.melody(seconds: 20, seed: 2)[(16_000 * 9)...])
    let found = try #require(try listen(to: sound, catalog: catalog, goal: goal))
    #expect(found.result.outcome == .match && found.result.matches.first?.id == "2")
    // What is told as heard is what was analyzed: all but a part of the deciding piece.
    let rest = Double(found.heard) - found.result.heard * 16_000
    #expect(rest >= 0 && rest < Double(Self.pieceSampleCount))
    // No sample beyond the deciding piece was needed, nor had any before it been enough.
    let less = Array(sound.prefix(found.heard - Self.pieceSampleCount))
    #expect(try listen(to: less, catalog: catalog, goal: goal) == nil)
    let same = try #require(
      try listen(to: Array(sound.prefix(found.heard)), catalog: catalog, goal: goal))
    #expect(same.result == found.result)
    #expect(found.heard < 12 * 16_000)
  }

  @Test("L1: what was asked decides: the item is certain no later than the place in it")
  func goals() throws {
    let folder = try TemporaryFolder()
    let catalog = try catalog(in: folder)
    let sound = Array(SyntheticSound.melody(seconds: 20, seed: 3)[(16_000 * 4)...])
    let item = try #require(try listen(to: sound, catalog: catalog, goal: .identify))
    let place = try #require(try listen(to: sound, catalog: catalog, goal: .place))
    #expect(item.heard <= place.heard)
    #expect(item.result.matches.first?.id == "3" && place.result.matches.first?.id == "3")
  }

  @Test("what is expected at a time is looked for where it is when the first sample is in the air")
  func carried() throws {
    let folder = try TemporaryFolder()
    let catalog = try catalog(in: folder)
    let sound = Array(SyntheticSound.melody(seconds: 20, seed: 2)[(16_000 * 9)...].prefix(64_000))
    let first: UInt64 = 5_000_000_000
    // Seconds before the first sample at which the place was worked out, and the place then.
    for (seconds, offset) in [(0.0, 9.0), (3.5, 5.5), (-1, 10)] {
      let expected = ListenRequest.Expected(
        id: "2", offset: offset, speed: 1, monotonic: UInt64(5e9 - seconds * 1e9), within: 0.25,
        confirmsOnly: true)
      var recognition = try Recognition.prepare(
        catalogs: [catalog], goal: .place, expected: expected, seconds: 6)
      var found: ListenResult?
      var heard = 0
      while found == nil, heard + Self.pieceSampleCount <= sound.count {
        let piece = Array(sound[heard..<heard + Self.pieceSampleCount])
        heard += Self.pieceSampleCount
        found = try recognition.hear(piece.span, firstSample: first)
      }
      #expect(found?.outcome == .match)
      #expect(found?.heard ?? 9 < 0.8)
      #expect(abs((found?.matches.first?.offset ?? 0) - 9) <= 0.25)
    }
  }
}
