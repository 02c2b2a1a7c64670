import EarshotSignature
import TestSupport
import Testing

@testable import EarshotMatch

@Suite("A catalog of a few pieces that one instrument plays")
struct SmallCatalogTests {
  private static let space: SearchSpace? = {
    let signatures = (1...4).map { seed in
      var analyzer = ReferenceAnalyzer()
      analyzer.append(SyntheticSound.chords(seconds: 30, seed: UInt64(seed)).span)
      return analyzer.finish()
    }
    return try? SearchSpace(signatures: signatures)
  }()

  private func matcher() throws -> Matcher {
    var options = MatchOptions()
    options.explains = true
    return Matcher(try #require(Self.space), options: options)
  }

  /// Single chords and strokes of these are in the catalog as well: with three wrong tracks to compare with,
  /// and without asking that all of the sound speaks, some are as certain as 13.
  @Test(
    "another piece of the same instrument is not near a match, whichever chord comes first",
    arguments: [(99, 0.0), (104, 0.4), (106, 14), (110, 14), (112, 14), (123, 7)])
  func absent(seed: Int, start: Double) throws {
    let sound = SyntheticSound.chords(seconds: start + 4, seed: UInt64(seed))
    var analyzer = QueryAnalyzer()
    analyzer.append(sound.span.extracting(Int(start * 16_000)..<sound.count))
    var matcher = try matcher()
    let early = try matcher.look(at: analyzer)
    #expect(early == nil)
    analyzer.finish()
    let answer = try matcher.finish(at: analyzer)
    #expect(answer.kind == .noMatch)
    let looks = try #require(answer.explanation).looks
    #expect(looks.count > 8)
    let leastAccepted = Decision.acceptedCertainties.reduce(.infinity, min)
    #expect(looks.allSatisfy { $0.certainty < leastAccepted - 1 })
  }

  @Test("a piece of the catalog is found within a second and a half", arguments: [1, 2, 3, 4])
  func present(seed: Int) throws {
    let sound = SyntheticSound.chords(seconds: 30, seed: UInt64(seed))
    var analyzer = QueryAnalyzer()
    analyzer.append(sound.span.extracting(16_000 * 11..<16_000 * 13))
    var matcher = try matcher()
    let answer = try #require(try matcher.look(at: analyzer))
    #expect(answer.kind == .match)
    #expect(answer.heardSeconds <= 1.6)
    #expect(answer.candidates.first?.signatureIndex == seed - 1)
  }
}
