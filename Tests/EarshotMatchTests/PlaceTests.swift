import EarshotMatch
import EarshotSignature
import TestSupport
import Testing

@Suite("Places: expected, equal, exact")
struct PlaceTests {
  /// Six melodies, and one that comes twice in its reference with different sound behind it.
  private static let melodies = (1...6).map {
    SyntheticSound.melody(seconds: 30, seed: UInt64($0))
  }
  private static let repeated: [Float] = {
    let part = SyntheticSound.melody(seconds: 6, seed: 21)
    let (one, other) = (
      SyntheticSound.melody(seconds: 8, seed: 22), SyntheticSound.melody(seconds: 8, seed: 23)
    )
    return part + one + part + other
  }()

  private static let space: SearchSpace? = {
    let signatures = (melodies + [repeated]).map { samples in
      var analyzer = ReferenceAnalyzer()
      analyzer.append(samples.span)
      return analyzer.finish()
    }
    return try? SearchSpace(signatures: signatures)
  }()

  private func answer(_ samples: [Float], options: MatchOptions) throws -> MatchAnswer {
    let space = try #require(Self.space)
    var analyzer = QueryAnalyzer()
    var matcher = Matcher(space, options: options)
    for start in stride(from: 0, to: samples.count, by: 1600) {
      analyzer.append(samples.span.extracting(start..<min(samples.count, start + 1600)))
      if let answer = try matcher.look(at: analyzer) { return answer }
    }
    analyzer.finish()
    return try matcher.finish(at: analyzer)
  }

  private func noisy(_ samples: ArraySlice<Float>, amplitude: Float) -> [Float] {
    let noise = SyntheticSound.noise(
      seconds: Double(samples.count) / 16_000, amplitude: amplitude, seed: 77)
    return zip(samples, noise).map { $0 + $1 }
  }

  @Test("an expected place is known within two seconds", arguments: 0..<6)
  func expected(reference: Int) throws {
    let start = 16_000 * (4 + reference) + 555
    let excerpt = noisy(
      Self.melodies[reference][start..<start + 16_000 * 8], amplitude: 0.05)
    let place = ExpectedPlace(itemID: "\(reference)", offset: Double(start) / 16_000 + 1.4)
    let found = try answer(excerpt, options: MatchOptions(expected: place))
    #expect(found.kind == .match)
    #expect(found.candidates.first?.itemIndex == reference)
    #expect(abs((found.candidates.first?.offset ?? 0) - Double(start) / 16_000) < 0.1)
    #expect(found.heardSeconds <= 2)
  }

  @Test("a wrong expectation does not hide what is playing")
  func unexpected() throws {
    let excerpt = Array(Self.melodies[1][64_000..<64_000 + 16_000 * 8])
    for place in [
      ExpectedPlace(itemID: "4", offset: 10), ExpectedPlace(itemID: "1", offset: 20),
      ExpectedPlace(itemID: "unknown", offset: 3),
    ] {
      let found = try answer(excerpt, options: MatchOptions(expected: place))
      #expect(found.kind == .match)
      #expect(found.candidates.first?.itemIndex == 1)
      #expect(abs((found.candidates.first?.offset ?? 0) - 4) < 0.032)
    }
  }

  @Test("unknown music is not taken for the expected place", arguments: 100...103 as ClosedRange)
  func absent(seed: UInt64) throws {
    let place = ExpectedPlace(itemID: "2", offset: 12)
    let found = try answer(
      SyntheticSound.melody(seconds: 8, seed: seed), options: MatchOptions(expected: place))
    #expect(found.kind == .noMatch)
  }

  @Test("a place that is known well is not looked for beside it", arguments: [-1.3, 1.3])
  func within(shift: Double) throws {
    let start = 16_000 * 9
    let excerpt = Array(Self.melodies[2][start..<start + 16_000 * 8])
    let beside = ExpectedPlace(itemID: "2", offset: 9 + shift, within: 0.25)
    let found = try answer(excerpt, options: MatchOptions(goal: .place, expected: beside))
    // It is found all the same, by the search of everything that begins after two seconds.
    #expect(found.kind == .match && found.heardSeconds > 2)
    #expect(abs((found.candidates.first?.offset ?? 0) - 9) < 0.02)
    let wide = ExpectedPlace(itemID: "2", offset: 9 + shift)
    let sooner = try answer(excerpt, options: MatchOptions(goal: .place, expected: wide))
    #expect(sooner.heardSeconds <= 2)
  }

  @Test("to confirm a place takes less sound than to tell it, and no other is confirmed")
  func confirming() throws {
    let start = 16_000 * 9
    let excerpt = Array(Self.melodies[2][start..<start + 16_000 * 8])
    var place = ExpectedPlace(itemID: "2", offset: 9, within: 0.25)
    let told = try answer(excerpt, options: MatchOptions(goal: .place, expected: place))
    #expect(told.heardSeconds >= 0.8)
    place.confirmsOnly = true
    let confirmed = try answer(excerpt, options: MatchOptions(goal: .place, expected: place))
    #expect(confirmed.kind == .match && confirmed.heardSeconds < 0.8)
    #expect(abs((confirmed.candidates.first?.offset ?? 0) - 9) <= 0.25)
    for offset in stride(from: 1.0, to: 28, by: 3) where abs(offset - 9) > 1 {
      place.offset = offset
      let other = try answer(excerpt, options: MatchOptions(goal: .place, expected: place))
      #expect(abs((other.candidates.first?.offset ?? 0) - 9) < 0.02, "\(offset)")
      #expect(other.heardSeconds > 2, "\(offset)")
    }
  }

  @Test(
    "an expected place that begins in silence is told by what comes after it",
    arguments: [false, true])
  func late(confirmsOnly: Bool) throws {
    let start = 16_000 * 9
    let silent = 16_000 * 26 / 10
    // Only the room is heard at first, as in a scene without a word.
    let heard =
      [Float](repeating: 0, count: silent)
      + Self.melodies[2][(start + silent)..<(start + 16_000 * 8)]
    let excerpt = noisy(heard[...], amplitude: 0.03)
    let place = ExpectedPlace(
      itemID: "2", offset: 9, within: 0.25, confirmsOnly: confirmsOnly)
    let found = try answer(
      excerpt, options: MatchOptions(goal: .place, expected: place, limitSeconds: 6))
    #expect(found.kind == .match)
    #expect(found.startSeconds >= 1.9 && found.startSeconds + found.heardSeconds <= 4.3)
    // Its offset is that of the sound it rests on, which is long enough to tell the place where it has to.
    #expect(abs((found.candidates.first?.offset ?? 0) - 9 - found.startSeconds) < 0.05)
    #expect(confirmsOnly || found.heardSeconds > 0.79)
    guard confirmsOnly else { return }
    // What plays elsewhere is confirmed by no piece of it.
    let elsewhere = ExpectedPlace(itemID: "2", offset: 19, within: 0.25, confirmsOnly: true)
    let other = try answer(
      Array(excerpt[..<(16_000 * 5)]), options: MatchOptions(goal: .place, expected: elsewhere))
    #expect(other.startSeconds == 0)
  }

  @Test("a place that no reference reaches is not looked for", arguments: [-1e300, -90, 90, 1e300])
  func outOfReach(offset: Double) throws {
    let excerpt = Array(Self.melodies[1][64_000..<64_000 + 16_000 * 8])
    let place = ExpectedPlace(itemID: "1", offset: offset, within: offset)
    let found = try answer(excerpt, options: MatchOptions(expected: place))
    #expect(found.kind == .match && found.candidates.first?.itemIndex == 1)
  }

  @Test("sound that comes twice has two places")
  func twice() throws {
    let excerpt = Array(Self.repeated[16_000..<16_000 * 4])
    let found = try answer(excerpt, options: MatchOptions())
    #expect(found.kind == .match)
    let places = try #require(found.candidates.first?.places).sorted()
    #expect(places.count == 2)
    #expect(abs((places.first ?? 0) - 1) < 0.02)
    #expect(abs((places.last ?? 0) - 15) < 0.032)
  }

  @Test("who asks for the place hears on until the places part")
  func placed() throws {
    let excerpt = Array(Self.repeated[16_000 * 17..<16_000 * 27])
    let item = try answer(excerpt, options: MatchOptions())
    #expect(item.heardSeconds < 2)
    #expect(item.candidates.first?.places.count == 2)
    let found = try answer(excerpt, options: MatchOptions(goal: .place))
    #expect(found.kind == .match)
    #expect(found.candidates.first?.places.count == 1)
    #expect(abs((found.candidates.first?.offset ?? 0) - 17) < 0.02)
    // The parts differ from three seconds on.
    #expect(found.heardSeconds > 3)
    #expect(found.candidates.first?.speed != nil)
  }

  @Test("who asks for the place of an endless loop is told all places at the end")
  func undecided() throws {
    let excerpt = Array(Self.repeated[16_000..<16_000 * 5])
    let found = try answer(excerpt, options: MatchOptions(goal: .place))
    #expect(found.kind == .match)
    #expect(found.candidates.first?.places.count == 2)
    #expect(found.heardSeconds == 4)
  }

  @Test("offsets are exact to a few milliseconds, at the reference's own speed", arguments: 0..<6)
  func exact(step: Int) throws {
    let start = 16_000 * 5 + step * 307
    let excerpt = Array(Self.melodies[3][start..<start + 16_000 * 5])
    var analyzer = QueryAnalyzer()
    analyzer.append(excerpt.span)
    analyzer.finish()
    var matcher = Matcher(try #require(Self.space), options: MatchOptions())
    let best = try #require(try matcher.finish(at: analyzer).candidates.first)
    #expect(abs(best.offset - Double(start) / 16_000) < 0.004)
    #expect(abs((best.speed ?? 0) - 1) < 0.0005)
  }

  @Test("the beginning of a reference is never told as before it", arguments: 0..<6)
  func beginning(reference: Int) throws {
    var analyzer = QueryAnalyzer()
    let melody = Self.melodies[reference]
    analyzer.append(melody.span.extracting(first: 16_000 * 3))
    analyzer.finish()
    var matcher = Matcher(try #require(Self.space), options: MatchOptions(speeds: .trueSpeed))
    let best = try #require(try matcher.finish(at: analyzer).candidates.first)
    #expect(best.offset >= 0)
    #expect(best.offset < 0.016)
  }
}
