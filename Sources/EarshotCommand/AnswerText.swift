internal import EarshotClient
internal import EarshotMatch

/// A matcher's answer in the words of the outside.
enum AnswerText {
  /// The outcome that an answer stands for.
  static func outcome(_ kind: MatchAnswer.Kind) -> Outcome {
    switch kind {
    case .match: .match
    case .ambiguous: .ambiguous
    case .noMatch: .noMatch
    case .noSignal: .noSignal
    case .tooShort: .tooShort
    }
  }

  /// Why there is no match, where that needs a word.
  static func explanation(_ kind: MatchAnswer.Kind, heard: Double) -> Explanation? {
    let seconds = JSONText.plain(heard, digits: 1) + " s"
    switch kind {
    case .match, .ambiguous, .noMatch: return nil
    case .noSignal(.silent):
      return Explanation(
        reason: "silent", happened: "The sound is silent (\(seconds)).",
        means: "There was nothing to recognise.",
        next: "Check that the recording was not muted.")
    case .noSignal(.faint):
      return Explanation(
        reason: "faint", happened: "The sound is far too quiet (\(seconds)).",
        means: "Nothing could be told from it.", next: "Record it louder or nearer.")
    case .tooShort:
      return Explanation(
        reason: "too-short", happened: "The sound is too short to decide (\(seconds)).",
        means: "It may or may not be in the catalog.", next: "Give a longer piece.")
    }
  }

  /// What `--explain` adds: peaks expected and hit, and the evidence over time.
  ///
  /// Times are seconds from the query's first sample; `start` is where the stretch begins.
  static func members(_ explanation: MatchExplanation, from start: Double) -> [JSONText.Member] {
    let peaks: [JSONText] = explanation.peaks.map { peak in
      .object([
        .init("time", .number(peak.time + start, digits: 4)),
        .init("frequency", .number(peak.frequency, digits: 2)),
        .init("evidence", .number(peak.evidence, digits: 4)), .init("hit", .bool(peak.isHit)),
      ])
    }
    let looks: [JSONText] = explanation.looks.map { look in
      .object([
        .init("heard", .number(look.heardSeconds + start, digits: 4)),
        .init("best", .number(look.best, digits: 3)),
        .init("bestOther", .number(look.bestOther, digits: 3)),
        .init("certainty", .number(look.certainty, digits: 3)),
      ])
    }
    return [.init("peaks", .array(peaks)), .init("evidence", .array(looks))]
  }
}
