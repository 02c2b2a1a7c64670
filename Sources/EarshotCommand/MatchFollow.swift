internal import EarshotAudio
internal import EarshotClient
internal import EarshotMatch
internal import EarshotSignature

/// `earshot match --follow`: what plays in a long sound or a stream, from moment to moment.
///
/// Searches until something is certain, follows it for as long as it is heard, and searches again.
/// Sound of any length takes the same memory.
struct MatchFollow {
  let plan: MatchPlan
  let search: SearchedCatalogs
  let console: Console

  /// Samples that are handed on at once: a tenth of a second.
  private static let pieceSampleCount = AnalyzerSettings.sampleRate / 10
  /// Seconds after which a search that found nothing begins anew: another sound may have begun.
  private static let searchSeconds = 12.0
  /// Seconds between two places that are told.
  private static let placeSeconds = 1.0

  /// Follows all queries, one after the other, and returns the status as `match` does.
  func run() -> Int32 {
    var outcomes: [Outcome] = []
    for query in plan.queries where !console.isClosed {
      do throws(CommandError) {
        outcomes.append(try follow(query) ? .match : .noMatch)
      } catch {
        outcomes.append(.error)
        _ = Report.show(error, console: console)
      }
    }
    return BatchStatus.of(outcomes, isStrict: plan.isStrict)
  }

  /// Follows one query to its end; whether anything was found in it.
  private func follow(_ query: [UInt8]) throws(CommandError) -> Bool {
    var stream = FollowedSound(
      try QuerySearch(plan: plan, search: search).open(query), query: query, limit: plan.limit)
    var isFound = false
    while !stream.isAtEnd, !console.isClosed {
      if try hearOne(&stream) { isFound = true }
    }
    tell(query, "end-of-sound", at: stream.seconds, [], text: nil)
    if !isFound, !plan.wantsJSON {
      console.print("\(Shown.bytes(query)): nothing in the catalog fits")
    }
    return isFound
  }

  /// Searches once, and follows what was found; whether anything was.
  private func hearOne(_ stream: inout FollowedSound) throws(CommandError) -> Bool {
    let start = stream.seconds
    var search = FollowSearch(self.search, options: plan.options)
    var block = SampleBlock(capacity: Self.pieceSampleCount)
    var found: MatchAnswer?
    while found == nil, stream.seconds - start < Self.searchSeconds,
      try stream.read(into: &block)
    {
      found = try search.hear(block.samples)
    }
    if found == nil {
      // Nothing was certain: what was heard in all this time is weighed once more.
      let last = try search.finish()
      if last.kind == .match || last.kind == .ambiguous { found = last }
    }
    guard let found else { return false }
    let matches = try told(found, stream, at: start)
    guard let match = matches.first, var tracker = try search.tracker() else { return true }
    try track(&tracker, match, from: start, &stream)
    return true
  }

  /// Follows an item for as long as it is heard.
  private func track(
    _ tracker: inout PlaceTracker, _ match: MatchedItem, from start: Double,
    _ stream: inout FollowedSound
  ) throws(CommandError) {
    var block = SampleBlock(capacity: Self.pieceSampleCount)
    var place = tracker.current
    var toldSeconds = place.heardSeconds
    while place.isHeard, !console.isClosed, try stream.read(into: &block) {
      place = tracker.append(block.samples)
      guard plan.wantsJSON, place.heardSeconds - toldSeconds >= Self.placeSeconds else { continue }
      toldSeconds = place.heardSeconds
      tell(
        stream.query, "place", at: start + place.heardSeconds, members(place, match), text: nil)
    }
    let unheard = place.isHeard ? 0 : place.heardSeconds - place.lastHeardSeconds
    var last = place
    last.position -= place.speed * unheard
    tell(
      stream.query, "end", at: start + place.heardSeconds - unheard, members(last, match),
      text: "\(Shown.text(match.title)) ends, at \(ResultText.clock(last.position))"
        + (abs(last.speed - 1) > 0.00005
          ? ", speed \(JSONText.plain(last.speed, digits: 5))" : ""))
  }

  private func members(_ place: TrackedPlace, _ match: MatchedItem) -> [JSONText.Member] {
    [
      .init("id", .string(match.id)), .init("offset", .number(place.position, digits: 4)),
      .init("speed", .number(place.speed, digits: 6)),
    ]
  }

  private func told(_ answer: MatchAnswer, _ stream: borrowing FollowedSound, at start: Double)
    throws(CommandError) -> [MatchedItem]
  {
    let worded = QuerySearch(plan: plan, search: search)
    var matches: [MatchedItem] = []
    for candidate in answer.candidates {
      matches.append(try worded.item(candidate, startingAt: 0))
    }
    let outcome = AnswerText.outcome(answer.kind)
    tell(
      stream.query, outcome.rawValue, at: start,
      [
        .init("heard", .number(answer.heardSeconds, digits: 4)),
        .init("matches", .array(matches.map(QueryRecord.json))),
      ],
      text: matches.map { ResultText.line($0) }.joined(separator: "; or "))
    return matches
  }

  /// One event, as a line. `at` is in seconds of the query.
  private func tell(
    _ query: [UInt8], _ event: String, at seconds: Double, _ members: [JSONText.Member],
    text: String?
  ) {
    if plan.wantsJSON {
      console.print(
        JSONText.object(
          [
            .init("version", 1), .init("query", .string(Shown.lossless(query))),
            .init("event", .string(event)), .init("at", .number(seconds, digits: 3)),
          ] + members
        ).text)
    } else if let text {
      console.print("\(ResultText.clock(seconds))  \(text)")
    }
  }
}

/// A query's sound, read piece by piece to its end or to the limit.
private struct FollowedSound: ~Copyable {
  let query: [UInt8]
  private var reader: SoundReader
  private var left: Int
  private var sampleCount = 0
  private(set) var isAtEnd = false

  init(_ reader: consuming SoundReader, query: [UInt8], limit: Double?) {
    self.reader = reader
    self.query = query
    left = limit.map { Int(($0 * Double(AnalyzerSettings.sampleRate)).rounded()) } ?? .max
  }

  /// Seconds read so far.
  var seconds: Double { Double(sampleCount) / Double(AnalyzerSettings.sampleRate) }

  /// Reads the next piece, as long as `block` holds; false at the end.
  mutating func read(into block: inout SampleBlock) throws(CommandError) -> Bool {
    block.removeAll()
    let count: Int
    do throws(AudioError) {
      count = left > 0 ? try reader.read(into: &block) : 0
    } catch {
      throw .sound(error, path: query)
    }
    sampleCount += count
    left -= count
    isAtEnd = count == 0
    return count > 0
  }
}

/// One search of what is heard, from its first sample on.
private struct FollowSearch: ~Copyable {
  private let paths: [[UInt8]]
  private var analyzer = QueryAnalyzer()
  private var matcher: Matcher

  init(_ search: SearchedCatalogs, options: MatchOptions) {
    paths = search.paths
    matcher = Matcher(search.space, options: options)
  }

  /// Takes sound; the answer at the first certain moment.
  mutating func hear(_ samples: Span<Float>) throws(CommandError) -> MatchAnswer? {
    analyzer.append(samples)
    do throws(MatchError) {
      return try matcher.look(at: analyzer)
    } catch {
      throw .matching(error, paths: paths)
    }
  }

  /// Weighs all that was heard.
  mutating func finish() throws(CommandError) -> MatchAnswer {
    do throws(MatchError) {
      return try matcher.finish(at: analyzer)
    } catch {
      throw .matching(error, paths: paths)
    }
  }

  /// What follows the item that was found, if it is one.
  consuming func tracker() throws(CommandError) -> PlaceTracker? {
    do throws(MatchError) {
      return try matcher.tracker(taking: analyzer)
    } catch {
      throw .matching(error, paths: paths)
    }
  }
}
