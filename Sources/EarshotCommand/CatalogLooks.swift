internal import EarshotCatalog
internal import EarshotClient
internal import EarshotSignature

/// The commands that look at catalogs: `info`, `list` and `verify`.
enum CatalogLooks {
  /// Opens a catalog, with its faults in words.
  static func open(_ path: [UInt8]) throws(CommandError) -> Catalog {
    do throws(CatalogError) {
      return try Catalog(path: path)
    } catch {
      throw CatalogText.explained(error, path: path)
    }
  }

  /// `catalog info`: what a catalog holds, in numbers.
  static func info(_ path: [UInt8], json: Bool, console: Console) throws(CommandError) -> Int32 {
    let catalog = try open(path)
    let hours = catalog.duration / 3600
    let perHour = hours > 0 ? Double(catalog.byteCount) / hours : 0
    if json {
      console.print(
        JSONText.object([
          .init("version", 1), .init("path", .string(Shown.lossless(path))),
          .init("items", .integer(catalog.itemCount)),
          .init("signatures", .integer(catalog.signatureCount)),
          .init("seconds", .number(catalog.duration, digits: 3)),
          .init("bytes", .integer(catalog.byteCount)),
          .init("identity", .string(String(catalog.identity, radix: 16))),
          .init("settings", .string(String(AnalyzerSettings.digest, radix: 16))),
          .init("passages", catalog.hasPassages ? .integer(catalog.passages.count) : .null),
          .init("sections", .array(catalog.sectionKinds.map { .string($0.description) })),
        ]).text)
      return 0
    }
    var table = TextTable("catalog", Shown.bytes(path))
    table.add("items", "\(catalog.itemCount)")
    table.add("signatures", "\(catalog.signatureCount)")
    table.add("sound", SoundFilesText.duration(catalog.duration))
    table.add("size", size(catalog.byteCount) + ", " + size(Int(perHour)) + " an hour")
    table.add("passages", passages(of: catalog))
    table.add("sections", catalog.sectionKinds.map(\.description).joined(separator: " "))
    table.add("settings", String(AnalyzerSettings.digest, radix: 16))
    table.add("identity", String(catalog.identity, radix: 16))
    for line in table.lines { console.print(line) }
    return 0
  }

  /// What is known of the passages that a catalog's sounds share.
  private static func passages(of catalog: Catalog) -> String {
    guard catalog.hasPassages else {
      return "not looked for: 'earshot catalog update FILE' finds what sounds share"
    }
    let repeats = catalog.passages.count { $0.first.signatureIndex == $0.second.signatureIndex }
    return "\(catalog.passages.count - repeats) shared, \(repeats) repeated within a sound"
  }

  /// `catalog list`: the items, one a line.
  static func list(_ path: [UInt8], json: Bool, console: Console) throws(CommandError) -> Int32 {
    let catalog = try open(path)
    do throws(CatalogError) {
      for index in 0..<catalog.itemCount where !console.isClosed {
        let item = try catalog.item(index)
        let signature = catalog.signatureIndex(ofItem: index)
        let samples = catalog.sampleCount(ofSignature: signature)
        let seconds = Double(samples) / Double(AnalyzerSettings.sampleRate)
        if json {
          let record = ListedItem(seconds: (seconds * 1000).rounded() / 1000, item: item)
          console.print(JSONText.encoded(record))
        } else {
          var line = [
            Shown.text(item.id), SoundFilesText.duration(seconds), Shown.text(item.title),
          ]
          if let artist = item.artist { line.append(Shown.text(artist)) }
          console.print(line.joined(separator: "\t"))
        }
      }
    } catch {
      throw CatalogText.explained(error, path: path)
    }
    return 0
  }

  /// `catalog verify`: checks every byte.
  static func verify(_ paths: [[UInt8]], json: Bool, console: Console) throws(CommandError) -> Int32
  {
    Interruption.begin()
    for path in paths {
      let catalog = try open(path)
      do throws(CatalogError) {
        let isWhole = try CatalogVerifier(catalog).verify { _ in !Interruption.isRequested }
        guard isWhole else { return Outcome.cancelled.exitStatus }
      } catch {
        throw CatalogText.explained(error, path: path)
      }
      if json {
        console.print(
          JSONText.object([
            .init("version", 1), .init("path", .string(Shown.lossless(path))),
            .init("outcome", "whole"), .init("bytes", .integer(catalog.byteCount)),
            .init("items", .integer(catalog.itemCount)),
          ]).text)
      } else {
        console.print(
          "\(Shown.bytes(path)): whole, \(Shown.count(catalog.itemCount, "item")), \(size(catalog.byteCount))"
        )
      }
    }
    return 0
  }

  /// A size as a person reads it.
  static func size(_ byteCount: Int) -> String {
    if byteCount < 1000 { return "\(byteCount) bytes" }
    let (unit, scale) =
      byteCount < 1_000_000 ? ("kB", 1e3) : byteCount < 1_000_000_000 ? ("MB", 1e6) : ("GB", 1e9)
    return JSONText.plain(Double(byteCount) / scale, digits: 1) + " " + unit
  }
}

/// An item as `catalog list --json` prints it.
private struct ListedItem: Encodable {
  private enum Key: String, CodingKey { case version, seconds }
  let seconds: Double
  let item: MediaItem

  func encode(to encoder: any Encoder) throws {
    try item.encode(to: encoder)
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(1, forKey: .version)
    try values.encode(seconds, forKey: .seconds)
  }
}
