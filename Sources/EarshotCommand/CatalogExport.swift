internal import EarshotCatalog
internal import EarshotClient

/// `earshot catalog export`: the items as a table that `create` and `update` read again.
enum CatalogExport {
  /// Prints the table.
  static func run(_ path: [UInt8], format: String, console: Console) throws(CommandError) -> Int32 {
    let catalog = try CatalogLooks.open(path)
    let items: [MediaItem]
    do throws(CatalogError) {
      items = try catalog.items()
    } catch {
      throw CatalogText.explained(error, path: path)
    }
    if format == "json" {
      console.print("[")
      for (index, item) in items.enumerated() {
        console.print("  " + JSONText.encoded(item) + (index + 1 < items.count ? "," : ""))
      }
      console.print("]")
    } else {
      for line in csv(items) { console.write(result: Array((line + "\r\n").utf8)) }
    }
    return 0
  }

  /// The lines of the table: identifier, title, and each property that some item has.
  static func csv(_ items: [MediaItem]) -> [String] {
    let columns = ItemProperty.allCases.filter { property in
      property == .id || property == .title
        || items.contains { !property.text(of: $0).isEmpty }
    }
    let head = columns.map(\.rawValue).joined(separator: ",")
    return [head]
      + items.map { item in columns.map { quoted($0.text(of: item)) }.joined(separator: ",") }
  }

  private static func quoted(_ text: String) -> String {
    let needsQuotes = text.unicodeScalars.contains {
      ["\"", ",", ";", "\t", "\r", "\n"].contains($0)
    }
    return needsQuotes
      ? "\""
        + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
        + "\"" : text
  }
}

extension ItemProperty {
  /// The property's text, as `set` reads it; empty where the item has none.
  func text(of item: MediaItem) -> String {
    switch self {
    case .id: item.id
    case .title: item.title
    case .path: ""
    case .subtitle: item.subtitle ?? ""
    case .artist: item.artist ?? ""
    case .album: item.album ?? ""
    case .genres: item.genres.joined(separator: "|")
    case .isrc: item.isrc ?? ""
    case .language: item.language ?? ""
    case .explicit: item.explicit.map { "\($0)" } ?? ""
    case .artwork: item.artwork ?? ""
    case .captions:
      item.captions.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        .joined(separator: "|")
    case .signLanguageVideo: item.signLanguageVideo ?? ""
    case .webURL: item.webURL ?? ""
    case .timeRanges:
      item.timeRanges.map { "\(Self.plain($0.start))-\(Self.plain($0.end))" }
        .joined(separator: "|")
    case .speedRange:
      item.speedRange.map { "\(Self.plain($0.low))-\(Self.plain($0.high))" } ?? ""
    case .custom: item.custom.map { JSONText.encoded($0) } ?? ""
    }
  }

  private static func plain(_ number: Double) -> String { JSONText.plain(number, digits: 9) }
}
