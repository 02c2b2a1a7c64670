import EarshotSignature
import TestSupport
import Testing

@_spi(Training) @testable import EarshotMatch

@Suite("Following a match while it plays")
struct PlaceTrackerTests {
  private static let melodies = (1...4).map {
    SyntheticSound.melody(seconds: 60, seed: 300 + UInt64($0))
  }

  private static let space: SearchSpace? = {
    let signatures = melodies.map { samples in
      var analyzer = ReferenceAnalyzer()
      analyzer.append(samples.span)
      return analyzer.finish()
    }
    return try? SearchSpace(signatures: signatures)
  }()

  /// What the tracker says after each tenth of a second of `sound`, from the match on.
  private func places(of sound: [Float], noise: Float = 0.02) throws -> [TrackedPlace] {
    let added = SyntheticSound.noise(
      seconds: Double(sound.count) / 16_000 + 1, amplitude: noise, seed: 8)
    let sound = zip(sound, added).map { $0 + $1 }
    var analyzer = QueryAnalyzer()
    var matcher = Matcher(try #require(Self.space))
    var place = 0
    func piece() -> Range<Int> { place..<min(place + 1600, sound.count) }
    while place < sound.count {
      analyzer.append(sound.span.extracting(piece()))
      place += 1600
      if try matcher.look(at: analyzer) != nil { break }
    }
    guard var tracker = try matcher.tracker(taking: analyzer) else { return [] }
    var places: [TrackedPlace] = []
    while place < sound.count {
      places.append(tracker.append(sound.span.extracting(piece())))
      place += 1600
    }
    return places
  }

  @Test("place and speed get finer, over stretches of half a minute too")
  func finer() throws {
    let places = try places(of: Array(Self.melodies[1][(16_000 * 3)...]))
    let last = try #require(places.last)
    #expect(last.heardSeconds > 56)
    #expect(places.allSatisfy { $0.isHeard })
    for place in places where place.heardSeconds > 7 {
      #expect(abs(place.position - 3 - place.heardSeconds) < 0.012, "\(place)")
      // It was found by a second of sound, at another speed.
      #expect(abs(place.speed - 1) < (place.heardSeconds > 8 ? 0.001 : 0.002), "\(place)")
    }
    #expect(abs(last.speed - 1) < 0.0002, "\(last)")
    #expect(abs(last.position - 3 - last.heardSeconds) < 0.006, "\(last)")
  }

  @Test("a clock that runs fast shows as speed, to a few parts in ten thousand")
  func fast() throws {
    // Every 400th sample is left out: 0.25 % fast.
    let melody = Self.melodies[2]
    let sound = melody.indices.filter { $0 % 400 != 7 }.map { melody[$0] }
    let last = try #require(try places(of: sound).last)
    #expect(last.isHeard)
    #expect(abs(last.speed - 400.0 / 399) < 0.0004, "\(last)")
    #expect(abs(last.position - last.heardSeconds * 400 / 399) < 0.012, "\(last)")
  }

  @Test("the end is noticed within two seconds and a half, before silence, noise and other music")
  func end() throws {
    let part = Array(Self.melodies[0][(16_000 * 10)..<(16_000 * 20)])
    let others = [
      Array(repeating: Float(0), count: 16_000 * 6),
      SyntheticSound.noise(seconds: 6, amplitude: 0.2, seed: 4),
      SyntheticSound.melody(seconds: 6, seed: 999),
      Array(Self.melodies[0][(16_000 * 40)..<(16_000 * 46)]),
    ]
    for other in others {
      let places = try places(of: part + other, noise: 0.005)
      let gone = try #require(places.first { !$0.isHeard })
      #expect(gone.heardSeconds > 10 && gone.heardSeconds < 12.6, "\(gone)")
      #expect(abs(gone.lastHeardSeconds - 10) < 1, "\(gone)")
    }
  }
}

@Suite("Which of several equal places is named first")
struct PlaceOrderTests {
  private func place(
    _ offset: Double, tempo: Double = 1, evidence: Double, isInside: Bool = true
  ) -> FittedPlace {
    FittedPlace(
      alignment: Alignment(reference: 0, offset: offset, binShift: 0, tempo: tempo),
      score: AlignmentScore(evidence: evidence), isInside: isInside)
  }

  @Test("the most evidence; of equals one inside the reference; of those one at its own tempo")
  func order() {
    func first(_ places: [FittedPlace]) -> Double? {
      FittedPlace.first(of: places)?.alignment.offset
    }
    #expect(first([place(1, evidence: 300), place(2, evidence: 320)]) == 2)
    #expect(first([place(1, evidence: 318, isInside: false), place(2, evidence: 316)]) == 2)
    #expect(first([place(1, tempo: 1.001, evidence: 318), place(2, evidence: 316)]) == 2)
    #expect(first([place(1, evidence: 400, isInside: false), place(2, evidence: 316)]) == 1)
    #expect(first([]) == nil)
  }

  @Test(
    "a loop's places are all told, the first where all that was heard lies in the reference",
    arguments: [1.2, 2.4, 4, 5])
  func loop(seconds: Double) throws {
    let bar = SyntheticSound.melody(seconds: 6, seed: 41)
    let lead = SyntheticSound.melody(seconds: 3, seed: 42)
    // The last repeat is cut short: an excerpt of it fits there only in part.
    let sound = lead + bar + bar + bar[..<(16_000 * 5)]
    var analyzer = ReferenceAnalyzer()
    analyzer.append(sound.span)
    let space = try SearchSpace(signatures: [analyzer.finish()])
    var query = QueryAnalyzer()
    var matcher = Matcher(space)
    query.append(sound[(16_000 * 4)..<(16_000 * 4 + Int(16_000 * seconds))].span)
    query.finish()
    let best = try #require(try matcher.finish(at: query).candidates.first)
    // Of 5 s the last repeat holds only four, which is where it may part.
    let all = seconds > 4 ? [2, 3] : [3]
    #expect(all.contains(best.places.count), "\(best.places)")
    let isInside = seconds > 4 ? [4.0, 10] : [4, 10, 16]
    #expect(isInside.contains { abs(best.offset - $0) < 0.01 }, "\(best.places)")
    #expect(abs((best.speed ?? 1) - 1) < 0.0003)
  }
}
