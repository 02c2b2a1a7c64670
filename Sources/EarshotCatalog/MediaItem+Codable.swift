extension MediaItem: Codable {
  private enum Key: String, CodingKey {
    case id, title, subtitle, artist, album, genres, isrc, language, explicit, artwork, captions
    case signLanguageVideo, webURL, timeRanges, speedRange, custom
  }

  /// Reads an item; properties that are missing have their usual values, unknown ones are left.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    id = try values.decode(String.self, forKey: .id)
    title = try values.decode(String.self, forKey: .title)
    subtitle = try values.decodeIfPresent(String.self, forKey: .subtitle)
    artist = try values.decodeIfPresent(String.self, forKey: .artist)
    album = try values.decodeIfPresent(String.self, forKey: .album)
    genres = try values.decodeIfPresent([String].self, forKey: .genres) ?? []
    isrc = try values.decodeIfPresent(String.self, forKey: .isrc)
    language = try values.decodeIfPresent(String.self, forKey: .language)
    explicit = try values.decodeIfPresent(Bool.self, forKey: .explicit)
    artwork = try values.decodeIfPresent(String.self, forKey: .artwork)
    captions = try values.decodeIfPresent([String: String].self, forKey: .captions) ?? [:]
    signLanguageVideo = try values.decodeIfPresent(String.self, forKey: .signLanguageVideo)
    webURL = try values.decodeIfPresent(String.self, forKey: .webURL)
    timeRanges = try values.decodeIfPresent([TimeRange].self, forKey: .timeRanges) ?? []
    speedRange = try values.decodeIfPresent(SpeedRange.self, forKey: .speedRange)
    custom = try values.decodeIfPresent(JSONValue.self, forKey: .custom)
  }

  /// Writes the properties that are set.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(id, forKey: .id)
    try values.encode(title, forKey: .title)
    try values.encodeIfPresent(subtitle, forKey: .subtitle)
    try values.encodeIfPresent(artist, forKey: .artist)
    try values.encodeIfPresent(album, forKey: .album)
    if !genres.isEmpty { try values.encode(genres, forKey: .genres) }
    try values.encodeIfPresent(isrc, forKey: .isrc)
    try values.encodeIfPresent(language, forKey: .language)
    try values.encodeIfPresent(explicit, forKey: .explicit)
    try values.encodeIfPresent(artwork, forKey: .artwork)
    if !captions.isEmpty { try values.encode(captions, forKey: .captions) }
    try values.encodeIfPresent(signLanguageVideo, forKey: .signLanguageVideo)
    try values.encodeIfPresent(webURL, forKey: .webURL)
    if !timeRanges.isEmpty { try values.encode(timeRanges, forKey: .timeRanges) }
    try values.encodeIfPresent(speedRange, forKey: .speedRange)
    try values.encodeIfPresent(custom, forKey: .custom)
  }
}
