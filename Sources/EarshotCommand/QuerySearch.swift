internal import EarshotAudio
internal import EarshotCatalog
internal import EarshotClient
internal import EarshotMatch
internal import EarshotSignature
internal import Foundation

/// Answers one query: reads its sound, listens to it, and words what was found.
struct QuerySearch: Sendable {
  let plan: MatchPlan
  let search: SearchedCatalogs

  /// The answer to one query. A fault of the query is an answer too, so that a batch goes on.
  func answer(_ query: [UInt8]) -> QueryRecord {
    do throws(CommandError) {
      let heard = try listen(to: query)
      return try record(query, heard)
    } catch {
      return QueryRecord(
        query: query, outcome: .error, heard: 0, matches: [],
        explanation: Report.explanation(of: error))
    }
  }

  /// What listening to one query gave.
  private struct Heard {
    var answer: MatchAnswer
    /// Where in the query, in seconds, the stretch that was decided on begins.
    var start: Double
    /// Whether several items were told early, because nothing that follows tells them apart.
    var isSettled: Bool
    var warnings: [SoundWarning]
    /// Why nothing was found, where that could be told.
    var hint: Explanation?
  }

  /// Reads the sound and weighs it, stretch by stretch where it is longer than one analyzer keeps.
  ///
  /// The first stretch with a match decides. Where none has one, the best of what was said counts:
  /// several items before nothing, and nothing found before nothing heard.
  private func listen(to query: [UInt8]) throws(CommandError) -> Heard {
    var reader = try open(query)
    var left = plan.limit.map { Int(($0 * Double(AnalyzerSettings.sampleRate)).rounded()) } ?? .max
    var total = 0
    var best: Heard?
    var hint = plan.raw.map { RateHint(search.space, rate: $0.rate) }
    repeat {
      let start = Double(total) / Double(AnalyzerSettings.sampleRate)
      var stretch = Stretch(search, plan)
      let answer = try stretch.listen(&reader, left: &left, query: query) {
        hint?.append($0)
      }
      total += stretch.sampleCount
      // A stretch that begins at the very end of the sound has nothing to say of it.
      if best != nil && stretch.sampleCount == 0 { break }
      let heard = Heard(
        answer: answer, start: start, isSettled: stretch.isSettled, warnings: [])
      if rank(answer) > best.map({ rank($0.answer) }) ?? -1 { best = heard }
      if answer.kind == .match || stretch.isAtEnd || stretch.isSettled { break }
    } while left > 0
    guard var best else { preconditionFailure("the first stretch always answers") }
    best.answer.heardSeconds =
      best.answer.kind == .match || best.isSettled
      ? best.start + best.answer.heardSeconds
      : Double(total) / Double(AnalyzerSettings.sampleRate)
    best.warnings = reader.facts.warnings
    if best.answer.kind == .noMatch { best.hint = hint?.explanation() }
    return best
  }

  private func rank(_ answer: MatchAnswer) -> Int {
    switch answer.kind {
    case .match: 4
    case .ambiguous: 3
    case .noMatch: 2
    case .noSignal: 1
    case .tooShort: 0
    }
  }

  /// The sound of a query.
  func open(_ query: [UInt8]) throws(CommandError) -> SoundReader {
    do throws(AudioError) {
      guard let raw = plan.raw else {
        return query == MatchPlan.standardInput
          ? try SoundReader(descriptor: 0) : try SoundReader(path: query)
      }
      let isInput = query == MatchPlan.standardInput
      let descriptor = isInput ? 0 : unsafe Foundation.open(Self.name(query), O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .unreadable(errno: errno) }
      // The reader keeps a descriptor of its own.
      defer { if !isInput { close(descriptor) } }
      return try SoundReader(
        rawDescriptor: descriptor, rate: raw.rate, channels: raw.channels, format: raw.format)
    } catch {
      throw .sound(error, path: query)
    }
  }

  private static func name(_ path: [UInt8]) -> [CChar] {
    path.map { CChar(bitPattern: $0) } + [0]
  }

  private func record(_ query: [UInt8], _ heard: Heard) throws(CommandError) -> QueryRecord {
    var matches: [MatchedItem] = []
    for candidate in heard.answer.candidates {
      matches.append(try item(candidate, startingAt: heard.start))
    }
    return QueryRecord(
      query: query, outcome: AnswerText.outcome(heard.answer.kind),
      heard: heard.answer.heardSeconds, matches: matches,
      explanation: heard.hint
        ?? AnswerText.explanation(heard.answer.kind, heard: heard.answer.heardSeconds),
      warnings: heard.warnings.map(SoundFilesText.describe),
      explained: heard.answer.explanation.map { AnswerText.members($0, from: heard.start) } ?? [],
      evidenceLines: heard.answer.explanation.map {
        EvidenceTable.lines($0, from: heard.start)
      } ?? [])
  }

  /// One candidate as it is told, its places moved to the query's first sample.
  func item(
    _ candidate: MatchCandidate, startingAt start: Double
  ) throws(CommandError) -> MatchedItem {
    let index = candidate.catalogIndex
    let item: MediaItem
    do throws(CatalogError) {
      item = try search.catalogs[index].item(candidate.itemIndex)
    } catch {
      throw CatalogText.explained(error, path: search.paths[index])
    }
    let shift = start * (candidate.speed ?? 1)
    return MatchedItem(
      id: item.id, title: item.title, artist: item.artist, catalog: search.names[index],
      offset: candidate.offset - shift, speed: candidate.speed, confidence: candidate.confidence,
      coverage: candidate.coverage, places: candidate.places.map { $0 - shift })
  }
}

/// One stretch of a query, as long as an analyzer keeps.
private struct Stretch: ~Copyable {
  /// Samples that are handed on at once: a tenth of a second, the finest step of a look.
  private static let pieceSampleCount = AnalyzerSettings.sampleRate / 10

  private let plan: MatchPlan
  private let paths: [[UInt8]]
  private var analyzer: QueryAnalyzer
  private var matcher: Matcher
  /// Whether the sound has ended.
  private(set) var isAtEnd = false
  /// Whether several items were told early, because nothing that follows tells them apart.
  private(set) var isSettled = false

  init(_ search: SearchedCatalogs, _ plan: MatchPlan) {
    paths = search.paths
    self.plan = plan
    // A second more than the limit, so that the limit's last piece still has room.
    let seconds = (plan.limit ?? .infinity) + 1
    analyzer = QueryAnalyzer(capacitySeconds: min(seconds, QueryAnalyzer.capacitySecondsMax))
    matcher = Matcher(search.space, options: plan.options)
  }

  /// Samples that were handed to the analyzer.
  var sampleCount: Int { analyzer.sampleCount }

  /// Listens until certain, until the analyzer is full, or until the sound or the limit ends, and
  /// hands on what it used.
  mutating func listen(
    _ reader: inout SoundReader, left: inout Int, query: [UInt8],
    handingOn: (Span<Float>) -> Void
  ) throws(CommandError) -> MatchAnswer {
    var block = SampleBlock(capacity: Self.pieceSampleCount)
    let room = analyzer.frameCapacity * AnalyzerSettings.hopSampleCount
    while left > 0, analyzer.sampleCount + block.capacity <= room {
      block.removeAll()
      let count = try Self.read(&reader, into: &block, query)
      if count == 0 {
        isAtEnd = true
        break
      }
      let used = min(count, left)
      analyzer.append(block.samples.extracting(first: used))
      handingOn(block.samples.extracting(first: used))
      left -= used
      guard plan.isEarliest else { continue }
      do throws(MatchError) {
        if let answer = try matcher.look(at: analyzer) {
          isSettled = answer.kind == .ambiguous
          return answer
        }
      } catch {
        throw .matching(error, paths: paths)
      }
    }
    analyzer.finish()
    do throws(MatchError) {
      return try matcher.finish(at: analyzer)
    } catch {
      throw .matching(error, paths: paths)
    }
  }

  private static func read(
    _ reader: inout SoundReader, into block: inout SampleBlock, _ query: [UInt8]
  ) throws(CommandError) -> Int {
    do throws(AudioError) {
      return try reader.read(into: &block)
    } catch {
      throw .sound(error, path: query)
    }
  }
}
