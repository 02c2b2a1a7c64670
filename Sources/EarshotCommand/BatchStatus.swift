internal import EarshotClient

/// The exit status of one query or of a batch, by the table of outcomes.
enum BatchStatus {
  /// Outcomes from the worst to the best.
  private static let order: [Outcome] = [
    .error, .noSignal, .tooShort, .ambiguous, .noMatch, .match,
  ]

  /// The status for the outcomes of all queries.
  ///
  /// One query has its own outcome's status. In a batch it is 0 when all were answered and 7 when
  /// some could not be read; `isStrict` asks for the worst outcome instead.
  static func of(_ outcomes: [Outcome], isStrict: Bool) -> Int32 {
    if outcomes.count == 1 { return outcomes[0].exitStatus }
    if isStrict {
      return (order.first(where: outcomes.contains) ?? .match).exitStatus
    }
    return outcomes.contains(.error) ? Outcome.partial.exitStatus : 0
  }
}
