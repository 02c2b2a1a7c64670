internal import EarshotAudio
internal import EarshotCatalog
internal import EarshotClient
internal import EarshotMatch
internal import EarshotSignature

/// The catalogs of one worker and what is being heard against them.
struct Recognition: ~Copyable {
  private let catalogs: [Catalog]
  private let names: [String]
  private let space: SearchSpace
  private var options: MatchOptions
  /// The expected place, and what it says of the time at which it holds.
  private var expected: ListenRequest.Expected?
  private let capacitySeconds: Double
  private var analyzer: QueryAnalyzer
  private var matcher: Matcher
  /// Seconds of the present piece before the sound that the answer rests on, and its offsets begin with.
  private(set) var startSeconds = 0.0

  /// A fault in the catalogs that were asked for.
  enum Fault: Error, Hashable {
    case catalog(path: String, CatalogError)
    case search(MatchError)
  }

  /// Loads the catalogs; all memory for `seconds` of sound is taken here. What is `expected` is tested
  /// before all else.
  static func prepare(
    catalogs paths: [String], goal: ListenRequest.Goal, expected: ListenRequest.Expected? = nil,
    seconds: Double
  ) throws(Fault) -> Recognition {
    var catalogs: [Catalog] = []
    for path in paths {
      do throws(CatalogError) {
        catalogs.append(try Catalog(path: path))
      } catch {
        throw .catalog(path: path, error)
      }
    }
    let space: SearchSpace
    do throws(MatchError) {
      space = try SearchSpace(catalogs)
      try space.prepare()
    } catch {
      throw .search(error)
    }
    let options = MatchOptions(
      goal: goal == .place ? .place : .identify, expected: expected.map { ExpectedPlace($0) },
      limitSeconds: seconds)
    return Recognition(
      catalogs: catalogs, names: paths, space: space, options: options, expected: expected,
      seconds: seconds)
  }

  private init(
    catalogs: [Catalog], names: [String], space: SearchSpace, options: MatchOptions,
    expected: ListenRequest.Expected?, seconds: Double
  ) {
    self.expected = expected
    self.catalogs = catalogs
    self.names = names
    self.space = space
    self.options = options
    capacitySeconds = seconds
    analyzer = QueryAnalyzer(capacitySeconds: seconds)
    matcher = Matcher(space, options: options)
  }

  /// Seconds of sound in the present piece.
  var heardSeconds: Double { Double(analyzer.sampleCount) / 16_000 }

  /// Forgets what was heard: after a gap nothing is built across it. The old levels are wiped.
  mutating func restart() {
    if let place = options.expected {
      // What comes next is later in the reference by what was heard until now.
      let later = place.offset + place.speed * heardSeconds
      options.expected?.offset = later
    }
    analyzer = QueryAnalyzer(capacitySeconds: capacitySeconds)
    matcher = Matcher(space, options: options)
  }

  /// Takes samples and weighs them; `nil` while nothing is certain.
  ///
  /// `firstSample` is when the first one of this piece of sound was in the air, by the monotonic clock,
  /// where that is known.
  mutating func hear(
    _ samples: Span<Float>, firstSample: UInt64? = nil
  ) throws(Fault) -> ListenResult? {
    if analyzer.sampleCount == 0, let firstSample { begin(at: firstSample) }
    analyzer.append(samples)
    let answer: MatchAnswer?
    do throws(MatchError) {
      answer = try matcher.look(at: analyzer)
    } catch {
      throw fault(error)
    }
    guard let answer else { return nil }
    return try result(of: answer)
  }

  /// Weighs the rest at the end or at the limit.
  mutating func finish() throws(Fault) -> ListenResult {
    analyzer.finish()
    let answer: MatchAnswer
    do throws(MatchError) {
      answer = try matcher.finish(at: analyzer)
    } catch {
      throw fault(error)
    }
    return try result(of: answer)
  }
}

extension Recognition {
  /// Carries the expected place to the moment at which the first sample was in the air: opening the
  /// microphone takes a time that nobody knows before.
  private mutating func begin(at firstSample: UInt64) {
    guard let expected, let time = expected.monotonic else { return }
    let seconds = (Double(firstSample) - Double(time)) / 1e9
    options.expected?.offset = expected.offset + expected.speed * seconds
    matcher = Matcher(space, options: options)
  }

  /// A matcher's fault, with the catalog's name where one is to blame.
  private func fault(_ error: MatchError) -> Fault {
    if case .catalog(let index, let cause) = error {
      return .catalog(path: names[index], cause)
    }
    return .search(error)
  }

  /// The answer as it is told to the outside.
  private mutating func result(of answer: MatchAnswer) throws(Fault) -> ListenResult {
    startSeconds = answer.startSeconds
    var matches: [MatchedItem] = []
    for candidate in answer.candidates { matches.append(try item(of: candidate)) }
    return ListenResult(
      outcome: Self.outcome(of: answer.kind), heard: answer.heardSeconds, matches: matches,
      explanation: Self.explanation(of: answer.kind))
  }

  private func item(of candidate: MatchCandidate) throws(Fault) -> MatchedItem {
    let name = names[candidate.catalogIndex]
    let item: MediaItem
    do throws(CatalogError) {
      item = try catalogs[candidate.catalogIndex].item(candidate.itemIndex)
    } catch {
      throw .catalog(path: name, error)
    }
    return MatchedItem(
      id: item.id, title: item.title, artist: item.artist, catalog: name, offset: candidate.offset,
      speed: candidate.speed, confidence: candidate.confidence, coverage: candidate.coverage,
      places: candidate.places.count > 1 ? candidate.places : nil)
  }

  private static func outcome(of kind: MatchAnswer.Kind) -> Outcome {
    switch kind {
    case .match: .match
    case .ambiguous: .ambiguous
    case .noMatch: .noMatch
    case .noSignal: .noSignal
    case .tooShort: .tooShort
    }
  }

  private static func explanation(of kind: MatchAnswer.Kind) -> Explanation? {
    switch kind {
    case .match, .ambiguous, .noMatch: nil
    case .noSignal(.silent): Explanation.muted
    case .noSignal(.faint): Explanation.faint
    case .tooShort: Explanation.tooShort
    }
  }
}

extension ExpectedPlace {
  /// The place that a request names.
  fileprivate init(_ expected: ListenRequest.Expected) {
    self.init(
      itemID: expected.id, offset: expected.offset, speed: expected.speed,
      within: expected.within ?? ExpectedPlace.withinRange.upperBound,
      confirmsOnly: expected.confirmsOnly ?? false)
  }
}
