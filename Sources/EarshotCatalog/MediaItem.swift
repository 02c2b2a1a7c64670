/// A media item: the thing that can be recognised, with all that is told about it.
///
/// Several items may share one signature, as the chapters of a film or the exhibits of a guided
/// tour do; each then stands for its own time ranges.
public struct MediaItem: Sendable, Hashable {
  /// Names the item; unique in a catalog, 1 to 1,024 bytes of UTF-8.
  public var id: String
  /// What a person calls it.
  public var title: String
  /// A second line.
  public var subtitle: String?
  /// Who made it.
  public var artist: String?
  /// The album, series or exhibition that it belongs to.
  public var album: String?
  /// Its genres, most fitting first.
  public var genres: [String] = []
  /// The recording's international standard code.
  public var isrc: String?
  /// The language of its words, as a BCP 47 tag.
  public var language: String?
  /// Whether its words are explicit; nil where that isn't known.
  public var explicit: Bool?
  /// A picture, as a path beside the catalog.
  public var artwork: String?
  /// Caption files by language tag, as paths beside the catalog.
  public var captions: [String: String] = [:]
  /// A video in sign language, as a path beside the catalog.
  public var signLanguageVideo: String?
  /// A page about it, which is shown and never fetched.
  public var webURL: String?
  /// The parts of the reference that it stands for; empty for all of it.
  public var timeRanges: [TimeRange] = []
  /// The speeds within which it is answered; nil for every speed.
  public var speedRange: SpeedRange?
  /// Whatever else the owner of the catalog wants to find again.
  public var custom: JSONValue?

  /// Makes an item with an identifier and a title.
  public init(id: String, title: String) {
    self.id = id
    self.title = title
  }

  /// A stretch of the reference, in seconds from its first sample.
  public struct TimeRange: Sendable, Hashable, Codable {
    /// Where it begins.
    public var start: Double
    /// Where it ends, later than the start.
    public var end: Double

    /// Takes the two ends as they are; `MediaItem.fault` judges them.
    public init(start: Double, end: Double) {
      self.start = start
      self.end = end
    }
  }

  /// The playback rates, against the reference, at which an item is meant.
  public struct SpeedRange: Sendable, Hashable, Codable {
    /// The slowest; 1 is the reference's own speed.
    public var low: Double
    /// The fastest.
    public var high: Double

    /// Takes the two ends as they are; `MediaItem.fault` judges them.
    public init(low: Double, high: Double) {
      self.low = low
      self.high = high
    }
  }

  /// What can be wrong with an item by itself.
  public enum Fault: Error, Sendable, Hashable {
    /// The identifier is empty or longer than 1,024 bytes.
    case identifier
    /// A time range does not lie after 0 with its end after its start.
    case timeRange(index: Int)
    /// The speeds are not in order, or not within 0.25 to 4.
    case speedRange
    /// A path beside the catalog is absolute or leaves the folder.
    case path(String)
    /// The address of the page is not one of the web.
    case webURL
    /// All properties together take more than 1 MiB.
    case tooLarge
  }

  /// The most bytes that an item's properties may take as JSON.
  public static let byteCountMax = 1 << 20

  /// What is wrong with the item first of all, or nil.
  public var fault: Fault? { faults.first }

  /// All that is wrong with the item by itself.
  public var faults: [Fault] {
    var faults: [Fault] = []
    if id.isEmpty || id.utf8.count > 1024 { faults.append(.identifier) }
    for (index, range) in timeRanges.enumerated() {
      let isInOrder = range.start >= 0 && range.end > range.start && range.end.isFinite
      if !isInOrder { faults.append(.timeRange(index: index)) }
    }
    if let speedRange {
      let isInOrder =
        speedRange.low >= 0.25 && speedRange.high <= 4 && speedRange.low <= speedRange.high
      if !isInOrder { faults.append(.speedRange) }
    }
    for path in captions.values.sorted() + [artwork, signLanguageVideo].compactMap({ $0 })
    where path.isEmpty || path.hasPrefix("/") || path.utf8.contains(0)
      || path.split(separator: "/").contains("..")
    {
      faults.append(.path(path))
    }
    if let webURL, !webURL.hasPrefix("https://"), !webURL.hasPrefix("http://") {
      faults.append(.webURL)
    }
    return faults
  }
}
