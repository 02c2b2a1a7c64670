internal import EarshotClient
internal import Foundation

/// The answer to one query, as it is printed.
struct QueryRecord: Sendable {
  /// One peak or look of `--explain`, already as JSON.
  typealias Explained = JSONText

  /// The name as it was given; `-` for standard input.
  var query: [UInt8]
  var outcome: Outcome
  /// Seconds of sound handed to the analyzer up to the deciding look.
  var heard: Double
  /// Best first.
  var matches: [MatchedItem]
  /// Why, where the outcome is not a match.
  var explanation: Explanation?
  /// What was odd about the sound, as sentences.
  var warnings: [String] = []
  /// The members that `--explain` adds.
  var explained: [JSONText.Member] = []
  /// The same for people.
  var evidenceLines: [String] = []

  /// The object of `match --json` (version 1).
  var json: JSONText {
    var members: [JSONText.Member] = [.init("version", 1)]
    members.append(.init("query", .string(Shown.lossless(query))))
    if String(validating: query, as: UTF8.self) == nil {
      // Escapes can be read but not told from a name that contains them: the bytes come beside.
      members.append(.init("queryRaw", .string(Data(query).base64EncodedString())))
    }
    return .object(members + QueryRecord.members(of: self))
  }

  private static func members(of record: QueryRecord) -> [JSONText.Member] {
    var members: [JSONText.Member] = [
      .init("outcome", .string(record.outcome.rawValue)),
      .init("heard", .number(record.heard, digits: 4)),
      .init("matches", .array(record.matches.map(json))),
    ]
    if let explanation = record.explanation {
      members.append(.init("explanation", json(explanation)))
    }
    if !record.warnings.isEmpty {
      members.append(.init("warnings", .array(record.warnings.map { .string($0) })))
    }
    return members + record.explained
  }

  /// One matched item.
  static func json(_ match: MatchedItem) -> JSONText {
    var members: [JSONText.Member] = [
      .init("id", .string(match.id)), .init("title", .string(match.title)),
    ]
    if let artist = match.artist { members.append(.init("artist", .string(artist))) }
    if let catalog = match.catalog { members.append(.init("catalog", .string(catalog))) }
    members += [
      .init("offset", .number(match.offset, digits: 4)),
      .init("speed", .number(match.speed, 5)),
      .init("confidence", .number(match.confidence, digits: 6)),
      .init("coverage", .number(match.coverage, digits: 4)),
    ]
    if let places = match.places, places.count > 1 {
      members.append(.init("places", .array(places.map { .number($0, digits: 4) })))
    }
    return .object(members)
  }

  /// An explanation with its parts.
  static func json(_ explanation: Explanation) -> JSONText {
    var members: [JSONText.Member] = [
      .init("reason", .string(explanation.reason)),
      .init("happened", .string(explanation.happened)),
      .init("means", .string(explanation.means)), .init("next", .string(explanation.next)),
    ]
    if let seconds = explanation.retryAfter {
      members.append(.init("retryAfter", .number(seconds, digits: 3)))
    }
    return .object(members)
  }
}
