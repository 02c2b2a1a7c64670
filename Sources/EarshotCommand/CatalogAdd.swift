internal import EarshotAudio
internal import EarshotCatalog
internal import EarshotClient
internal import EarshotSignature

/// `earshot catalog add`: brings more sound into a catalog that is there.
///
/// Sound is decoded first and the catalog is locked only while it is read, put together and
/// replaced, so several commands may add at once and none is lost. What is in the catalog already
/// is told and left as it is.
struct CatalogAdd {
  let arguments: CatalogCreate.Arguments
  let console: Console

  /// Adds what was named and returns the exit status.
  func run() throws(CommandError) -> Int32 {
    Interruption.begin()
    // A catalog that can't be used is told before hours are spent on decoding.
    _ = try CatalogLooks.open(arguments.output)
    let inputs = try BuildInputs(
      table: arguments.table, paths: arguments.paths, json: arguments.json, console: console)
    let report = BuildReport(console: console, json: arguments.json)
    report.note(inputs)
    if arguments.isDryRun {
      report.plan(inputs)
      return report.failureCount > 0 ? Outcome.partial.exitStatus : 0
    }
    let journal: SignatureJournal?
    do throws(CatalogError) {
      journal = try BuildJournal.open(besides: arguments.output, isShared: true)
    } catch {
      throw CatalogText.explained(error, path: arguments.output)
    }
    BuildJournal.announce(journal, console: console)
    var results: [CatalogBuild.Result] = []
    let work = CatalogBuild(inputs.files, threadCount: arguments.threadCount, journal: journal)
    var progress = BuildProgress(inputs.files, console: console)
    let finished = work.run(
      take: { _, result in
        results.append(result)
        return !Interruption.isRequested
      },
      tick: {
        progress.draw(work.progress)
        return !Interruption.isRequested
      })
    progress.clear()
    guard finished, !Interruption.isRequested else {
      return BuildJournal.cancelled(
        journal, besides: arguments.output, what: "The catalog is as it was", console: console)
    }
    report.resumedCount = work.progress.filesResumed
    return try assemble(results, inputs: inputs, report: report, journal: journal)
  }

  private func assemble(
    _ results: [CatalogBuild.Result], inputs: BuildInputs, report: BuildReport,
    journal: SignatureJournal?
  ) throws(CommandError) -> Int32 {
    do throws(CatalogError) {
      let lock = try CatalogEdit.lock(arguments.output, console: console)
      let base = try Catalog(path: arguments.output)
      let assembly = try assembly(base, inputs: inputs, report: report, journal: journal)
      for (index, result) in results.enumerated() where assembly.failure == nil {
        assembly.take(index, result)
      }
      if let failure = assembly.failure { throw failure }
      report.listFailures()
      let isRefused = arguments.isStrict && report.failureCount > 0
      if assembly.isChanged, !isRefused { try assembly.finish() }
      if isRefused {
        console.note("Nothing was changed.")
        return Outcome.error.exitStatus
      }
      journal?.remove()
      report.summary(try Catalog(path: arguments.output), output: arguments.output)
      _ = consume lock
    } catch CatalogError.cancelled {
      return BuildJournal.cancelled(
        journal, besides: arguments.output, what: "The catalog is as it was", console: console)
    } catch {
      throw CatalogText.explained(error, path: arguments.output)
    }
    return report.failureCount > 0 ? Outcome.partial.exitStatus : 0
  }

  private func assembly(
    _ base: Catalog, inputs: BuildInputs, report: BuildReport, journal: SignatureJournal?
  ) throws(CatalogError) -> CatalogAssembly {
    let assembly = try CatalogAssembly(
      path: arguments.output, inputs: inputs, keepsDuplicates: arguments.keepsDuplicates,
      indexChoice: arguments.indexChoice, passageChoice: arguments.passageChoice,
      report: report, journal: journal,
      dropsCopies: arguments.dropsCopies)
    try assembly.begin(with: base)
    try assembly.copySignatures()
    return assembly
  }
}
