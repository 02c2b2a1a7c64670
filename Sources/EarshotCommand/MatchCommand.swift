internal import EarshotClient
internal import EarshotMatch
internal import Foundation

/// `earshot match`: recognises files and standard input.
enum MatchCommand {
  /// Carries it out: one answer a query, in the order given, worked on by all processors.
  static let run: CommandSpecification.Action = { (typed, console) throws(CommandError) in
    let plan = try MatchPlan(typed)
    Interruption.endAtOnce()
    let catalogs = try SearchedCatalogs(plan.catalogs)
    if plan.isFollowing {
      return MatchFollow(plan: plan, search: catalogs, console: console).run()
    }
    let search = QuerySearch(plan: plan, search: catalogs)
    var outcomes: [Outcome] = []
    OrderedBatch.run(count: plan.queries.count) { index in
      search.answer(plan.queries[index])
    } deliver: { _, record in
      outcomes.append(record.outcome)
      show(record, plan: plan, console: console)
      return !console.isClosed
    }
    return BatchStatus.of(outcomes, isStrict: plan.isStrict)
  }

  private static func show(_ record: QueryRecord, plan: MatchPlan, console: Console) {
    if plan.wantsJSON { return console.print(record.json.text) }
    let name = Shown.bytes(record.query)
    let lines = ResultText.lines(
      name: name, outcome: record.outcome, heard: record.heard, matches: record.matches,
      explanation: record.explanation)
    for line in lines {
      if record.outcome == .error { console.note(line) } else { console.print(line) }
    }
    for warning in record.warnings { console.note("\(name) \(warning)") }
    if plan.options.explains {
      for line in record.evidenceLines { console.print("  " + line) }
    }
  }
}
