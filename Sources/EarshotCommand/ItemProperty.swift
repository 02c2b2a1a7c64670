internal import EarshotCatalog
internal import Foundation

/// A property of an item as a column of a table, and how its text is read.
enum ItemProperty: String, CaseIterable {
  case id, title, path, subtitle, artist, album, genres, isrc, language, explicit, artwork, captions
  case signLanguageVideo, webURL, timeRanges, speedRange, custom

  /// The property that a column of a table is named after; the case of its letters is of no account.
  init?(column name: String) {
    let wanted = name.lowercased()
    guard let property = Self.allCases.first(where: { $0.rawValue.lowercased() == wanted }) else {
      return nil
    }
    self = property
  }

  /// All names, for messages.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// Sets the property from text; empty text leaves it as it is.
  func set(_ text: String, in row: inout ItemTable.Row) throws(ItemTable.Cause) {
    guard !text.isEmpty else {
      if self == .id || self == .path { throw .emptyValue(rawValue) }
      return
    }
    switch self {
    case .id: row.item.id = text
    case .title:
      row.item.title = text
      row.hasTitle = true
    case .path: row.path = Array(text.utf8)
    case .subtitle: row.item.subtitle = text
    case .artist: row.item.artist = text
    case .album: row.item.album = text
    case .genres: row.item.genres = Self.list(text)
    case .isrc: row.item.isrc = text
    case .language: row.item.language = text
    case .explicit: row.item.explicit = try Self.truth(text)
    case .artwork: row.item.artwork = text
    case .captions: row.item.captions = try Self.captions(text)
    case .signLanguageVideo: row.item.signLanguageVideo = text
    case .webURL: row.item.webURL = text
    case .timeRanges: row.item.timeRanges = try Self.timeRanges(text)
    case .speedRange: row.item.speedRange = try Self.speedRange(text)
    case .custom: row.item.custom = try Self.json(text)
    }
  }

  /// Empties the property; what every item must have stays.
  func clear(in row: inout ItemTable.Row) {
    switch self {
    case .id, .title, .path: break
    case .subtitle: row.item.subtitle = nil
    case .artist: row.item.artist = nil
    case .album: row.item.album = nil
    case .genres: row.item.genres = []
    case .isrc: row.item.isrc = nil
    case .language: row.item.language = nil
    case .explicit: row.item.explicit = nil
    case .artwork: row.item.artwork = nil
    case .captions: row.item.captions = [:]
    case .signLanguageVideo: row.item.signLanguageVideo = nil
    case .webURL: row.item.webURL = nil
    case .timeRanges: row.item.timeRanges = []
    case .speedRange: row.item.speedRange = nil
    case .custom: row.item.custom = nil
    }
  }

  private static func list(_ text: String) -> [String] {
    text.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  private static func truth(_ text: String) throws(ItemTable.Cause) -> Bool {
    switch text.lowercased() {
    case "true", "yes", "1": return true
    case "false", "no", "0": return false
    default: throw .notATruth
    }
  }

  private static func captions(_ text: String) throws(ItemTable.Cause) -> [String: String] {
    var captions: [String: String] = [:]
    for part in list(text) {
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2, captions.updateValue(pair[1], forKey: pair[0]) == nil else {
        throw .notALanguage
      }
    }
    return captions
  }

  private static func timeRanges(_ text: String) throws(ItemTable.Cause) -> [MediaItem.TimeRange] {
    var ranges: [MediaItem.TimeRange] = []
    for part in list(text) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false)
      guard ends.count == 2, let start = seconds(ends[0]), let end = seconds(ends[1]) else {
        throw .notATime
      }
      ranges.append(MediaItem.TimeRange(start: start, end: end))
    }
    return ranges
  }

  /// Reads `12.5`, `2:30` or `1:02:03.25` as seconds.
  static func seconds(_ text: some StringProtocol) -> Double? {
    let parts = text.trimmingCharacters(in: .whitespaces)
      .split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count) else { return nil }
    var seconds = 0.0
    for part in parts {
      guard let number = ValueKind.number(Array(part.utf8)), number >= 0 else { return nil }
      seconds = seconds * 60 + number
    }
    return seconds
  }

  private static func speedRange(_ text: String) throws(ItemTable.Cause) -> MediaItem.SpeedRange {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
      .map { ValueKind.number(Array($0.trimmingCharacters(in: .whitespaces).utf8)) }
    guard ends.count == 2, let low = ends[0], let high = ends[1] else { throw .notASpeed }
    return MediaItem.SpeedRange(low: low, high: high)
  }

  private static func json(_ text: String) throws(ItemTable.Cause) -> JSONValue {
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else {
      throw .notAJSONValue
    }
    return value
  }
}
