internal import EarshotCatalog
internal import EarshotClient
internal import Foundation

/// `earshot catalog create`: builds a catalog from sound files, folders and signatures.
struct CatalogCreate {
  /// What was asked for.
  struct Arguments: Sendable {
    var output: [UInt8]
    var table: [UInt8]?
    var paths: [[UInt8]] = []
    var keepsDuplicates = false
    var dropsCopies = false
    var indexChoice = IndexChoice.whereNeeded
    var passageChoice = PassageChoice.record
    var isStrict = false
    var isDryRun = false
    var threadCount = ProcessInfo.processInfo.activeProcessorCount
    var json = false
  }

  let arguments: Arguments
  let console: Console

  /// Builds the catalog and returns the exit status: 0, or 7 when some inputs could not be used.
  func run() throws(CommandError) -> Int32 {
    Interruption.begin()
    let inputs = try BuildInputs(
      table: arguments.table, paths: arguments.paths, json: arguments.json, console: console)
    let report = BuildReport(console: console, json: arguments.json)
    report.note(inputs)
    if arguments.isDryRun {
      report.plan(inputs)
      return report.failureCount > 0 ? Outcome.partial.exitStatus : 0
    }
    CatalogText.warn(ofNetwork: arguments.output, console: console)
    let assembly: CatalogAssembly
    let journal: SignatureJournal?
    do throws(CatalogError) {
      journal = try BuildJournal.open(besides: arguments.output, isShared: false)
      assembly = try CatalogAssembly(
        path: arguments.output, inputs: inputs, keepsDuplicates: arguments.keepsDuplicates,
        indexChoice: arguments.indexChoice, passageChoice: arguments.passageChoice,
        report: report, journal: journal, dropsCopies: arguments.dropsCopies)
      try assembly.copySignatures()
    } catch {
      throw CatalogText.explained(error, path: arguments.output)
    }
    BuildJournal.announce(journal, console: console)
    let finished = build(inputs, into: assembly, journal: journal, report: report)
    if let failure = assembly.failure {
      throw CatalogText.explained(failure, path: arguments.output)
    }
    if Interruption.isRequested {
      return BuildJournal.cancelled(
        journal, besides: arguments.output, what: "No catalog was written", console: console)
    }
    report.listFailures()
    guard finished, assembly.itemCount > 0, !(arguments.isStrict && report.failureCount > 0) else {
      throw Self.nothingWritten(report.failureCount)
    }
    do throws(CatalogError) {
      try assembly.finish()
      journal?.remove()
      let catalog = try Catalog(path: arguments.output)
      report.summary(catalog, output: arguments.output)
    } catch CatalogError.cancelled {
      return BuildJournal.cancelled(
        journal, besides: arguments.output, what: "No catalog was written", console: console)
    } catch {
      throw CatalogText.explained(error, path: arguments.output)
    }
    return report.failureCount > 0 ? Outcome.partial.exitStatus : 0
  }

  /// Decodes and analyses; returns whether all inputs were seen.
  private func build(
    _ inputs: BuildInputs, into assembly: CatalogAssembly, journal: SignatureJournal?,
    report: BuildReport
  ) -> Bool {
    let files = inputs.files
    let work = CatalogBuild(files, threadCount: arguments.threadCount, journal: journal)
    var progress = BuildProgress(files, console: console)
    let finished = work.run(
      take: { index, result in
        progress.clear()
        assembly.take(index, result)
        if arguments.isStrict && report.failureCount > 0 { return false }
        return assembly.failure == nil && !Interruption.isRequested
      },
      tick: {
        progress.draw(work.progress)
        return !Interruption.isRequested
      })
    progress.clear()
    report.resumedCount = work.progress.filesResumed
    return finished
  }

  private static func nothingWritten(_ failureCount: Int) -> CommandError {
    let happened =
      failureCount > 0
      ? "Could not be used: \(Shown.count(failureCount, "input")), named above with the cause."
      : "There is no sound file among what was named."
    return .explained(
      Explanation(
        reason: "nothing-to-build", happened: happened, means: "No catalog was written.",
        next: "Name sound files or folders that hold some."), .error)
  }
}
