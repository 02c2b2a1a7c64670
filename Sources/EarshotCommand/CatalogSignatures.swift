internal import EarshotAudio
internal import EarshotCatalog
internal import EarshotClient
internal import EarshotSignature
internal import Foundation

/// The commands on signature files: sound is left where it is, and only signatures travel.
enum CatalogSignatures {
  /// `signature create`: writes a signature file for each sound file.
  ///
  /// The output is a folder, or a file when there is one input. A file of the same name is replaced.
  static func create(
    _ paths: [[UInt8]], output: [UInt8], identifier: String?, title: String?, json: Bool,
    console: Console
  ) throws(CommandError) -> Int32 {
    Interruption.begin()
    let inputs = try BuildInputs(table: nil, paths: paths, json: json, console: console)
    let report = BuildReport(console: console, json: json)
    report.note(inputs)
    let isFolder = isFolder(output)
    guard isFolder || inputs.files.count <= 1 else {
      throw .explained(
        Explanation(
          reason: "output", happened: "\(Shown.bytes(output)) is not a folder.",
          means: "Several signatures can't go into one file.",
          next: "Make the folder first, or name one sound file."), .error)
    }
    var failure: CommandError?
    let work = CatalogBuild(
      inputs.files, threadCount: ProcessInfo.processInfo.activeProcessorCount)
    var progress = BuildProgress(inputs.files, console: console)
    let finished = work.run(
      take: { index, result in
        progress.clear()
        let file = inputs.files[index]
        do throws(CommandError) {
          try take(
            result, of: file, output: isFolder ? place(of: file, in: output) : output,
            identifier: inputs.files.count == 1 ? identifier : nil, title: title, report: report)
        } catch {
          failure = error
        }
        return failure == nil && !Interruption.isRequested
      },
      tick: {
        progress.draw(work.progress)
        return !Interruption.isRequested
      })
    progress.clear()
    report.listFailures()
    if let failure { throw failure }
    guard finished else { return Outcome.cancelled.exitStatus }
    if report.failureCount == 0 { return 0 }
    return report.failureCount < inputs.files.count
      ? Outcome.partial.exitStatus : Outcome.error.exitStatus
  }

  private static func take(
    _ result: CatalogBuild.Result, of file: SoundFiles.Found, output: [UInt8],
    identifier: String?, title: String?, report: BuildReport
  ) throws(CommandError) {
    switch result {
    case .failed(let error):
      report.failed(file, SoundFilesText.describe(error), rows: [])
    case .kept: preconditionFailure("there is no journal to keep it")
    case .done(let signature, let facts):
      guard signature.peakCount > 0 else {
        report.failed(file, CatalogAssembly.nothingToRecognise, rows: [])
        return
      }
      for warning in facts.warnings { report.warn(file, warning) }
      var item = CatalogAssembly.item(for: file, facts: facts)
      item.id = identifier ?? item.id
      item.title = title ?? item.title
      do throws(CatalogError) {
        var writer = try CatalogWriter(path: output)
        writer.passageChoice = .never
        let place = try writer.append(signature)
        try writer.append(item, signatureIndex: place)
        try writer.finish()
      } catch {
        throw CatalogText.explained(error, path: output)
      }
      report.added(item, seconds: signature.duration)
    }
  }

  /// `signature info`: what signature files hold.
  static func info(_ paths: [[UInt8]], json: Bool, console: Console) throws(CommandError) -> Int32 {
    for path in paths {
      let catalog = try CatalogLooks.open(path)
      do throws(CatalogError) {
        for index in 0..<catalog.signatureCount {
          let items = catalog.itemIndices(ofSignature: index)
          let item = try items.first.map { first throws(CatalogError) in try catalog.item(first) }
          show(catalog, index, item, path, json, console)
        }
      } catch {
        throw CatalogText.explained(error, path: path)
      }
    }
    return 0
  }

  private static func show(
    _ catalog: Catalog, _ index: Int, _ item: MediaItem?, _ path: [UInt8], _ json: Bool,
    _ console: Console
  ) {
    let samples = catalog.sampleCount(ofSignature: index)
    let seconds = Double(samples) / Double(AnalyzerSettings.sampleRate)
    let peaks = catalog.peakCount(ofSignature: index)
    let content = String(catalog.contentHash(ofSignature: index), radix: 16)
    if json {
      console.print(
        JSONText.object([
          .init("version", 1), .init("path", .string(Shown.lossless(path))),
          .init("id", .text(item?.id)), .init("title", .text(item?.title)),
          .init("seconds", .number(seconds, digits: 3)), .init("peaks", .integer(peaks)),
          .init("content", .string(content)),
          .init("settings", .string(String(AnalyzerSettings.digest, radix: 16))),
        ]).text)
    } else {
      let perSecond = JSONText.plain(Double(peaks) / max(seconds, 0.001), digits: 1)
      console.print(
        "\(Shown.bytes(path)): \(Shown.text(item?.id ?? "")), "
          + "\(SoundFilesText.duration(seconds)), \(peaks) peaks, \(perSecond) a second, "
          + "content \(content)")
    }
  }

  private static func isFolder(_ path: [UInt8]) -> Bool {
    var facts = stat()
    return unsafe (path + [0]).withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return false }
      return unsafe stat(base.assumingMemoryBound(to: CChar.self), &facts) == 0
        && facts.st_mode & S_IFMT == S_IFDIR
    }
  }

  /// The file in the folder that is named after a sound file: folders in its name become dashes.
  private static func place(of file: SoundFiles.Found, in folder: [UInt8]) -> [UInt8] {
    var name = file.shortName.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "-") : $0 }
    if let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 {
      name.removeLast(name.count - dot)
    }
    return folder + Array("/".utf8) + name + Array(".earsig".utf8)
  }
}
