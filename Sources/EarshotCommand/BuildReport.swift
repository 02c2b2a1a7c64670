internal import EarshotCatalog
internal import EarshotClient

/// Tells what a build does with each input: lines of JSON as it goes, or a list at its end.
final class BuildReport {
  private let console: Console
  private let json: Bool
  private var failures: [String] = []
  private var duplicates: [String] = []
  /// Sounds of catalogs that came before, and the catalogs in order.
  private var sameCounts: [[UInt8]: Int] = [:]
  private var sameOrder: [[UInt8]] = []
  private var itemCount = 0
  /// Inputs that could not be used.
  private(set) var failureCount = 0
  /// Files that an interrupted build had finished.
  var resumedCount = 0

  /// The most failures that are listed for a person; JSON lists all.
  private static let listedMax = 1000

  init(console: Console, json: Bool) {
    self.console = console
    self.json = json
  }

  /// What shows how far a catalog is that has all its signatures.
  var finishing: FinishingProgress { FinishingProgress(console: console) }

  /// Tells what was found wrong before the work.
  func note(_ inputs: BuildInputs) {
    for fault in inputs.faults {
      failed(fault.path, "cannot be read: \(Report.systemText(fault.errno))")
    }
    for file in inputs.missing {
      let place = "\(Shown.bytes(file.table)):\(file.place.line):\(file.place.column)"
      failed(
        file.path, "(\(place)) cannot be read: \(Report.systemText(file.errno))",
        identifiers: [file.identifier])
    }
    if inputs.shadowCount > 0 {
      console.note("Left out: \(Shown.count(inputs.shadowCount, "shadow file")) of macOS.")
    }
    if inputs.otherCount > 0 {
      console.note("Left out by kind or name: \(Shown.count(inputs.otherCount, "file")).")
    }
  }

  /// Tells what would be done.
  func plan(_ inputs: BuildInputs) {
    for (file, rows) in zip(inputs.files, inputs.rows) {
      let names = rows.isEmpty ? [Shown.lossless(file.shortName)] : rows.map(\.item.id)
      for name in names {
        if json {
          line("planned", file.path, [.init("id", .string(name))])
        } else {
          console.print("\(Shown.text(name))\t\(Shown.bytes(file.path))")
        }
      }
    }
    for path in inputs.catalogs {
      if json { line("planned", path, []) } else { console.print("\t\(Shown.bytes(path))") }
    }
    listFailures()
    console.note("Nothing was decoded and nothing was written.")
  }

  /// Tells of a file that could not be used.
  func failed(_ file: SoundFiles.Found, _ cause: String, rows: [ItemTable.Row]) {
    failed(file.path, cause, identifiers: rows.map(\.item.id))
  }

  /// Tells of a path that could not be used.
  func failed(_ path: [UInt8], _ cause: String, identifiers: [String] = []) {
    failureCount += 1
    if json {
      let names = identifiers.map { JSONText.string($0) }
      line("failed", path, [.init("ids", .array(names)), .init("cause", .string(cause))])
    } else if failures.count < Self.listedMax {
      failures.append("\(Shown.bytes(path)) \(cause).")
    }
  }

  /// Tells of something odd about a file that is used.
  func warn(_ file: SoundFiles.Found, _ text: String) {
    if json {
      line("warning", file.path, [.init("cause", .string(text))])
    } else {
      console.note("\(Shown.bytes(file.path)) \(text).")
    }
  }

  /// Tells of a sound of a catalog or signature, one of so many, that came before. For a person those of a
  /// catalog are only counted: merging two of one origin is no reason for a thousand lines.
  func same(_ path: [UInt8], of count: Int, as other: [UInt8]) {
    if json || count == 1 { return same(path, as: other) }
    if sameCounts[path] == nil { sameOrder.append(path) }
    sameCounts[path, default: 0] += 1
  }

  /// Tells of sound that came before.
  func same(_ path: [UInt8], as other: [UInt8]) {
    if json {
      line("same", path, [.init("as", .string(Shown.lossless(other)))])
    } else if duplicates.count < Self.listedMax {
      duplicates.append("\(Shown.bytes(path)) has the same sound as \(Shown.bytes(other)).")
    }
  }

  /// Tells of a recording that came before in another coding; or a mix of it that is as long, which
  /// can't be told from that.
  func likely(_ path: [UInt8], as other: [UInt8], isDropped: Bool) {
    if json {
      line(
        "likely-same", path,
        [.init("as", .string(Shown.lossless(other))), .init("dropped", .bool(isDropped))])
    } else if duplicates.count < Self.listedMax {
      duplicates.append(
        "\(Shown.bytes(path)) is likely the recording of \(Shown.bytes(other)) or a mix of it"
          + (isDropped ? " and is left out." : "; --drop-copies leaves such files out."))
    }
  }

  /// Tells of an item that is in the catalog now.
  func added(_ item: MediaItem, seconds: Double) {
    itemCount += 1
    guard json else { return }
    console.print(
      JSONText.object([
        .init("version", 1), .init("event", "added"), .init("id", .string(item.id)),
        .init("title", .string(item.title)), .init("seconds", .number(seconds, digits: 3)),
      ]).text)
  }

  /// Lists for a person what could not be used and what came twice.
  func listFailures() {
    for path in sameOrder {
      let count = Shown.count(sameCounts[path] ?? 0, "sound")
      console.note("Already there: \(count) of \(Shown.bytes(path)).")
    }
    for text in duplicates { console.note(text) }
    for text in failures { console.note(text) }
    let more = failureCount - failures.count
    if !json, more > 0 { console.note("\(more) more could not be used; --json lists all.") }
    duplicates = []
    sameOrder = []
    failures = []
  }

  /// Tells what the catalog holds.
  func summary(_ catalog: Catalog, output: [UInt8]) {
    if json {
      line(
        "written", output,
        [
          .init("items", .integer(catalog.itemCount)),
          .init("signatures", .integer(catalog.signatureCount)),
          .init("seconds", .number(catalog.duration, digits: 3)),
          .init("bytes", .integer(catalog.byteCount)), .init("failed", .integer(failureCount)),
          .init("resumed", .integer(resumedCount)),
        ])
      return
    }
    var text = "\(Shown.bytes(output)): \(Shown.count(catalog.itemCount, "item")), "
    text += "\(SoundFilesText.duration(catalog.duration)) of sound, "
    text += CatalogLooks.size(catalog.byteCount)
    if resumedCount > 0 { text += "; finished before: \(Shown.count(resumedCount, "file"))" }
    if failureCount > 0 { text += "; could not be used: \(Shown.count(failureCount, "input"))" }
    console.note(text + ".")
  }

  private func line(_ event: String, _ path: [UInt8], _ more: [JSONText.Member]) {
    let head: [JSONText.Member] = [
      .init("version", 1), .init("event", .string(event)),
      .init("path", .string(Shown.lossless(path))),
    ]
    console.print(JSONText.object(head + more).text)
  }
}
