internal import EarshotClient

/// The result of a listening, as `listen --json` prints it: the object of `match --json` without a
/// query, with the use's record and whether the match was saved.
struct ListenRecord {
  private let result: ListenResult

  init(_ result: ListenResult) { self.result = result }

  /// The object (version 1).
  var json: JSONText {
    var members: [JSONText.Member] = [
      .init("version", 1), .init("outcome", .string(result.outcome.rawValue)),
      .init("heard", .number(result.heard, digits: 4)),
      .init("matches", .array(result.matches.map(QueryRecord.json))),
      .init("saved", .bool(result.saved)),
    ]
    if let use = result.use { members.append(.init("use", .string(use))) }
    if let explanation = result.explanation {
      members.append(.init("explanation", QueryRecord.json(explanation)))
    }
    return .object(members)
  }
}
