import EarshotCatalog
import EarshotSignature
import TestSupport
import Testing

@_spi(Training) @testable import EarshotMatch

@Suite("Sound that several tracks share", .serialized)
struct SharedSoundTests {
  private static func signature(_ samples: [Float]) -> Signature {
    var analyzer = ReferenceAnalyzer()
    analyzer.append(samples.span)
    return analyzer.finish()
  }

  private static let intro = SyntheticSound.melody(seconds: 12, seed: 50)
  private static let bodies = (0..<6).map {
    SyntheticSound.melody(seconds: 12, seed: 60 + UInt64($0))
  }

  /// Six episodes that begin with the same sound, and two other tracks; with an index or without.
  private static let spaces: (scanned: SearchSpace, gated: SearchSpace)? = {
    guard let folder = try? TemporaryFolder() else { return nil }
    do {
      var writer = try CatalogWriter(path: Array(folder.file("e.earshot").utf8))
      writer.indexChoice = .always
      var sounds = bodies.map { intro + $0 }
      sounds += [70, 71].map { SyntheticSound.melody(seconds: 24, seed: $0) }
      for (index, sound) in sounds.enumerated() {
        let place = try writer.append(signature(sound))
        try writer.append(MediaItem(id: "\(index)", title: "t"), signatureIndex: place)
      }
      try writer.finish()
      let catalog = try Catalog(path: folder.file("e.earshot"))
      return (try SearchSpace([catalog]), SearchSpace(indexed: [catalog]))
    } catch {
      return nil
    }
  }()

  private func space(isGated: Bool) throws -> SearchSpace {
    let spaces = try #require(Self.spaces)
    return isGated ? spaces.gated : spaces.scanned
  }

  private func answer(_ samples: [Float], in space: SearchSpace, limit: Double? = nil) throws
    -> MatchAnswer
  {
    var analyzer = QueryAnalyzer()
    var matcher = Matcher(
      space, options: MatchOptions(candidateCountMax: 20, limitSeconds: limit))
    for start in stride(from: 0, to: samples.count, by: 1600) {
      analyzer.append(samples.span.extracting(start..<min(samples.count, start + 1600)))
      if let answer = try matcher.look(at: analyzer) { return answer }
    }
    analyzer.finish()
    return try matcher.finish(at: analyzer)
  }

  private func excerpt(_ episode: Int, from start: Double, seconds: Double) -> [Float] {
    let sound = Self.intro + Self.bodies[episode]
    let noise = SyntheticSound.noise(seconds: seconds, amplitude: 0.02, seed: 5)
    let first = Int(start * 16_000)
    return zip(sound[first..<(first + noise.count)], noise).map { $0 + $1 }
  }

  @Test(
    "O-17: the shared intro is ambiguous, with every episode and its place",
    arguments: [false, true])
  func intro(isGated: Bool) throws {
    let found = try answer(
      excerpt(2, from: 3, seconds: 6), in: try space(isGated: isGated))
    #expect(found.kind == .ambiguous)
    #expect(Set(found.candidates.map(\.itemIndex)) == Set(0..<6))
    #expect(found.candidates.allSatisfy { abs($0.offset - 3) < 0.05 })
    #expect(found.candidates.allSatisfy { (0...1).contains($0.confidence) })
  }

  @Test("who listens past the intro hears which episode it is", arguments: [false, true])
  func past(isGated: Bool) throws {
    let found = try answer(
      excerpt(4, from: 6, seconds: 12), in: try space(isGated: isGated))
    #expect(found.kind == .match)
    #expect(found.candidates.map(\.itemIndex) == [4])
    #expect(found.heardSeconds >= 6.5)
    #expect(abs((found.candidates.first?.offset ?? 0) - 6) < 0.05)
  }

  @Test("after the intro one episode matches as if there were no other")
  func after() throws {
    let found = try answer(excerpt(1, from: 14, seconds: 8), in: try space(isGated: false))
    #expect(found.kind == .match)
    #expect(found.candidates.map(\.itemIndex) == [1])
    #expect(found.heardSeconds < 4)
  }

  @Test("where the passage lasts longer than the listening, that is told early, and not otherwise")
  func early() throws {
    let sound = excerpt(3, from: 1, seconds: 12)
    let short = try answer(sound, in: try space(isGated: false), limit: 8)
    #expect(short.kind == .ambiguous)
    #expect(short.heardSeconds < 5)
    let long = try answer(sound, in: try space(isGated: false), limit: 20)
    #expect(long.heardSeconds > 9)
  }

  @Test(
    "what a twin holds outside of the passage speaks against it as all other music does",
    arguments: [true, false])
  func elsewhere(isThere: Bool) throws {
    let folder = try TemporaryFolder()
    var writer = try CatalogWriter(path: Array(folder.file("x.earshot").utf8))
    func melody(_ seed: UInt64) -> [Float] { SyntheticSound.melody(seconds: 12, seed: seed) }
    func mix(_ one: [Float], _ a: Float, _ other: [Float], _ b: Float) -> [Float] {
      zip(one, other).map { a * $0 + b * $1 }
    }
    let (loop, tune) = (melody(80), melody(81))
    // The second track has the loop under another voice, and the tune elsewhere, or not at all.
    let elsewhere = isThere ? mix(tune, 0.8, melody(84), 0.4) : melody(84)
    var sounds = [loop + melody(82), mix(loop, 0.7, melody(83), 0.7) + elsewhere]
    sounds += (85..<91).map { melody($0) + melody($0 + 10) }
    for (index, sound) in sounds.enumerated() {
      let place = try writer.append(Self.signature(sound))
      try writer.append(MediaItem(id: "\(index)", title: "t"), signatureIndex: place)
    }
    try writer.finish()
    let catalog = try Catalog(path: folder.file("x.earshot"))
    #expect(
      catalog.passages.contains { $0.first.signatureIndex == 0 && $0.second.signatureIndex == 1 })
    let noise = SyntheticSound.noise(seconds: 6, amplitude: 0.3, seed: 5)
    let played = mix(loop, 0.5, tune, 0.5)[48_000...].prefix(noise.count)
    let found = try answer(zip(played, noise).map { $0 + $1 }, in: try SearchSpace([catalog]))
    #expect(found.kind == (isThere ? .noMatch : .match))
  }

  @Test("the place of a passage that comes twice in one sound is not told in haste")
  func repeated() throws {
    let folder = try TemporaryFolder()
    var writer = try CatalogWriter(path: Array(folder.file("r.earshot").utf8))
    // The second time somebody speaks over it, which tells the two places apart at once.
    let bar = SyntheticSound.melody(seconds: 10, seed: 95)
    let voice = SyntheticSound.melody(seconds: 10, seed: 96)
    let spoken = zip(bar, voice).map { 0.7 * $0 + 0.7 * $1 }
    let sounds = [
      SyntheticSound.melody(seconds: 8, seed: 97) + bar
        + SyntheticSound.melody(seconds: 8, seed: 98) + spoken,
      SyntheticSound.melody(seconds: 20, seed: 99),
    ]
    for (index, sound) in sounds.enumerated() {
      let place = try writer.append(Self.signature(sound))
      try writer.append(MediaItem(id: "\(index)", title: "t"), signatureIndex: place)
    }
    try writer.finish()
    let space = try SearchSpace([try Catalog(path: folder.file("r.earshot"))])
    func found(
      from start: Int, seconds: Double = 8, expected: ExpectedPlace? = nil
    ) throws -> MatchAnswer {
      var analyzer = QueryAnalyzer()
      var matcher = Matcher(space, options: MatchOptions(goal: .place, expected: expected))
      let first = start * 16_000
      let excerpt = Array(sounds[0][first..<(first + Int(seconds * 16_000))])
      analyzer.append(excerpt.span)
      if let answer = try matcher.look(at: analyzer) { return answer }
      analyzer.finish()
      return try matcher.finish(at: analyzer)
    }
    let twice = try found(from: 27)
    #expect(twice.kind == .match && twice.heardSeconds >= Matcher.repeatedSeconds)
    #expect(abs((twice.candidates.first?.offset ?? 0) - 27) < 0.02)
    let once = try found(from: 19)
    #expect(once.kind == .match && once.heardSeconds < Matcher.repeatedSeconds)
    #expect(abs((once.candidates.first?.offset ?? 0) - 19) < 0.02)
    // Nor is it at the end of a short check that does not find playing where it was expected.
    let elsewhere = ExpectedPlace(itemID: "1", offset: 5, within: 0.25)
    #expect(try found(from: 27, seconds: 2.1, expected: elsewhere).kind == .noMatch)
    let moved = try found(from: 19, seconds: 2.1, expected: elsewhere)
    #expect(moved.kind == .match && abs((moved.candidates.first?.offset ?? 0) - 19) < 0.02)
  }

  @Test("two catalogs that hold the same passage are both named; so is one that nobody searched")
  func unrecorded() throws {
    let folder = try TemporaryFolder()
    let host = Self.bodies[1] + Self.intro + Self.bodies[2]
    func catalog(_ name: String, _ sounds: [[Float]]) throws -> Catalog {
      var writer = try CatalogWriter(path: Array(folder.file(name).utf8))
      writer.passageChoice = .later
      for (index, sound) in sounds.enumerated() {
        let place = try writer.append(Self.signature(sound))
        try writer.append(MediaItem(id: "\(name)\(index)", title: "t"), signatureIndex: place)
      }
      try writer.finish()
      return try Catalog(path: folder.file(name))
    }
    let others = [80, 81, 82].map { SyntheticSound.melody(seconds: 24, seed: $0) }
    let one = try catalog("a", [Self.intro + Self.bodies[0], others[0]])
    // The host's recording has a voice of noise over it, so that it says less for itself.
    let hiss = SyntheticSound.noise(seconds: 36, amplitude: 0.008, seed: 6)
    let noisy = zip(host, hiss).map { $0 + $1 }
    let two = try catalog("b", [noisy, others[1]])
    let both = try catalog("c", [Self.intro + Self.bodies[0], others[0], noisy, others[1]])
    for (space, places) in [
      (try SearchSpace([one, two]), [[0, 0], [1, 0]]),
      (try SearchSpace([both]), [[0, 0], [0, 2]]),
    ] {
      let found = try answer(excerpt(0, from: 3, seconds: 6), in: space)
      #expect(found.kind == .ambiguous)
      #expect(Set(found.candidates.map { [$0.catalogIndex, $0.itemIndex] }) == Set(places))
      #expect(Set(found.candidates.map { Int($0.offset.rounded()) }) == [3, 15])
      // Who hears on past the passage hears which one it is.
      let past = try answer(excerpt(0, from: 6, seconds: 12), in: space)
      #expect(past.kind == .match)
      #expect(past.candidates.map { [$0.catalogIndex, $0.itemIndex] } == [places[0]])
    }
  }

  @Test("a chain of passages leads to every place, and to no more than are allowed")
  func map() throws {
    let folder = try TemporaryFolder()
    var writer = try CatalogWriter(path: Array(folder.file("m.earshot").utf8))
    let bar = SyntheticSound.melody(seconds: 4, seed: 90)
    for index in 0..<3 {
      let sound =
        SyntheticSound.melody(seconds: Double(2 + index), seed: 91 + UInt64(index)) + bar
      let place = try writer.append(Self.signature(sound))
      try writer.append(MediaItem(id: "\(index)", title: "t"), signatureIndex: place)
    }
    try writer.finish()
    let map = PassageMap([try Catalog(path: folder.file("m.earshot"))])
    for (signature, start) in [(0, 2.5), (1, 3.5), (2, 4.5)] {
      let first = Int(start * AnalyzerSettings.framesPerSecond)
      let twins = map.twins(ofSignature: signature, frames: first..<(first + 100))
      #expect(Set(twins.map(\.signatureIndex)) == Set(0..<3).subtracting([signature]))
      for twin in twins {
        let seconds = Double(twin.distance) / AnalyzerSettings.framesPerSecond
        #expect(abs(seconds - Double(twin.signatureIndex - signature)) < 0.05)
      }
      #expect(map.twins(ofSignature: signature, frames: 0..<60).isEmpty)
    }
  }
}
