internal import EarshotCatalog
internal import EarshotClient

/// The commands that change what a catalog says, without decoding anything.
enum CatalogEdit {
  /// `catalog remove`: takes items out, and with the last item of a sound its signature.
  ///
  /// Nothing of them stays in the file: it is written anew. Identifiers that aren't there are told,
  /// and then nothing is changed.
  static func remove(
    _ identifiers: [String], from path: [UInt8], json: Bool, console: Console
  ) throws(CommandError) -> Int32 {
    do throws(CatalogError) {
      let lock = try lock(path, console: console)
      let catalog = try Catalog(path: path)
      var unknown: [String] = []
      for identifier in identifiers where try catalog.index(ofItem: identifier) == nil {
        unknown.append(identifier)
      }
      guard unknown.isEmpty else {
        for name in unknown { console.note("There is no item '\(Shown.text(name))'.") }
        console.note("Nothing was removed. 'earshot catalog list' shows the identifiers.")
        return Outcome.error.exitStatus
      }
      let gone = Set(identifiers)
      var writer = try CatalogWriter(path: path)
      try writer.append(catalog) { gone.contains($0.id) ? nil : $0 }
      try finish(writer, console: console)
      let after = try Catalog(path: path)
      report("removed", gone.count, before: catalog, after: after, path, json, console)
      _ = consume lock
    } catch {
      throw CatalogText.explained(error, path: path)
    }
    return 0
  }

  /// `catalog update`: changes properties of items that are there, and looks for the passages that
  /// signatures share where nobody has.
  static func update(
    _ path: [UInt8], table: [UInt8]?, json: Bool, console: Console
  ) throws(CommandError) -> Int32 {
    do throws(CatalogError) {
      let lock = try lock(path, console: console)
      let catalog = try Catalog(path: path)
      var items: [String: MediaItem] = [:]
      for item in try catalog.items() { items[item.id] = item }
      var rows: [ItemTable.Row] = []
      do throws(CommandError) {
        if let table {
          rows = try ItemTable.load(
            table, existing: { items[$0] }, json: json, console: console
          ).rows
        }
      } catch {
        return Report.show(error, console: console)
      }
      var changed = 0
      for row in rows where items.updateValue(row.item, forKey: row.item.id) != row.item {
        changed += 1
      }
      var writer = try CatalogWriter(path: path)
      try writer.append(catalog) { items[$0.id] ?? $0 }
      if changed > 0 || !catalog.hasPassages { try finish(writer, console: console) }
      let after = try Catalog(path: path)
      report("changed", changed, before: catalog, after: after, path, json, console)
      _ = consume lock
    } catch {
      throw CatalogText.explained(error, path: path)
    }
    return 0
  }

  /// `catalog merge`: puts several catalogs and signatures into one.
  ///
  /// Every input is opened before anything is written: one that was made with other analyzer
  /// settings, or is damaged, leaves everything as it was.
  static func merge(
    _ inputs: [[UInt8]], into output: [UInt8], keepsDuplicates: Bool,
    indexChoice: IndexChoice = .whereNeeded, passageChoice: PassageChoice = .record, json: Bool,
    console: Console
  ) throws(CommandError) -> Int32 {
    Interruption.begin()
    for path in inputs { _ = try CatalogLooks.open(path) }
    CatalogText.warn(ofNetwork: output, console: console)
    let report = BuildReport(console: console, json: json)
    do throws(CatalogError) {
      let assembly = try CatalogAssembly(
        path: output, inputs: BuildInputs(catalogs: inputs), keepsDuplicates: keepsDuplicates,
        indexChoice: indexChoice, passageChoice: passageChoice, report: report)
      try assembly.copySignatures()
      report.listFailures()
      try assembly.finish()
      report.summary(try Catalog(path: output), output: output)
    } catch {
      throw CatalogText.explained(error, path: output)
    }
    return report.failureCount > 0 ? Outcome.partial.exitStatus : 0
  }

  /// Takes the right to change a catalog; who holds it is told when it takes long.
  static func lock(_ path: [UInt8], console: Console) throws(CatalogError) -> CatalogLock {
    CatalogText.warn(ofNetwork: path, console: console)
    return try CatalogLock(path: path) { holder in
      let process = holder.map { "process \($0)" } ?? "another process"
      console.note("\(Shown.bytes(path)) is being changed by \(process); waiting up to 30 s.")
    }
  }

  /// Finishes a catalog, and shows how far it has come.
  private static func finish(_ writer: consuming CatalogWriter, console: Console)
    throws(CatalogError)
  {
    Interruption.begin()
    let progress = FinishingProgress(console: console)
    defer { progress.clear() }
    writer.whenFinishing = { progress.draw($0, $1) }
    try writer.finish()
  }

  private static func report(
    _ event: String, _ count: Int, before: Catalog, after: Catalog, _ path: [UInt8], _ json: Bool,
    _ console: Console
  ) {
    if json {
      console.print(
        JSONText.object([
          .init("version", 1), .init("event", .string(event)),
          .init("path", .string(Shown.lossless(path))), .init("count", .integer(count)),
          .init("items", .integer(after.itemCount)), .init("bytes", .integer(after.byteCount)),
        ]).text)
    } else {
      console.note(
        "\(Shown.count(count, "item")) \(event); \(Shown.bytes(path)) has "
          + "\(Shown.count(after.itemCount, "item")), "
          + CatalogLooks.size(before.byteCount) + " before and "
          + CatalogLooks.size(after.byteCount) + " now.")
    }
  }
}
