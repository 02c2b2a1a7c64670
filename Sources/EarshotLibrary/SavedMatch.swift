/// What is kept of a match: the item's own facts, never anything of the sound.
public struct SavedItem: Codable, Sendable, Hashable {
  /// The item's id in its catalog.
  public var item: String
  /// The catalog's name.
  public var catalog: String
  /// The item's title.
  public var title: String
  /// The second line of the title.
  public var subtitle: String?
  /// Who made it.
  public var artist: String?
  /// What it is a part of.
  public var album: String?
  /// The recording's code; two items with one code are one recording (rule S6).
  public var isrc: String?

  /// An item's facts.
  public init(
    item: String, catalog: String, title: String, subtitle: String? = nil, artist: String? = nil,
    album: String? = nil, isrc: String? = nil
  ) {
    self.item = item
    self.catalog = catalog
    self.title = title
    self.subtitle = subtitle
    self.artist = artist
    self.album = album
    self.isrc = isrc
  }

  /// What makes two saved items one: the recording's code, or else the catalog and the id.
  var recording: String {
    if let isrc, !isrc.isEmpty { return "isrc:\(isrc.uppercased().filter { $0 != "-" })" }
    return "item:\(catalog.utf8.count):\(catalog)\(item)"
  }

  var longestPropertyBytes: Int {
    [item, catalog, title, subtitle ?? "", artist ?? "", album ?? "", isrc ?? ""]
      .map(\.utf8.count).max() ?? 0
  }
}

/// Who saved a match, on what consent, and when.
public struct Saver: Codable, Sendable, Hashable {
  /// What the requester is told apart by: its Flatpak id, unit or executable.
  public var requester: String
  /// The consent record that saving rested on (rule S1).
  public var consent: String
  /// Milliseconds since 1970 in UTC; saving again renews it (rule S6).
  public var savedUTCMilliseconds: Int64

  /// One saving.
  public init(requester: String, consent: String, savedUTCMilliseconds: Int64) {
    self.requester = requester
    self.consent = consent
    self.savedUTCMilliseconds = savedUTCMilliseconds
  }

  enum CodingKeys: String, CodingKey {
    case requester
    case consent
    case savedUTCMilliseconds = "saved_utc_milliseconds"
  }
}

/// One row of the library (rule S3).
public struct SavedMatch: Codable, Sendable, Hashable {
  /// The row's number, which removing takes.
  public var id: Int64
  /// What was matched.
  public var item: SavedItem
  /// Who saved it, the latest first; never empty.
  public var savers: [Saver]
}
