public import EarshotCatalog
internal import EarshotMatch
internal import Glibc

/// What a track of cues is for.
public enum CaptionTrackKind: String, Sendable, Hashable, CaseIterable {
  /// What is said and heard, for those who do not hear it.
  case captions
  /// What is seen, for those who do not see it.
  case descriptions
  /// Titles of the parts.
  case chapters

  /// The key under which an item's captions name a file of this kind.
  ///
  /// Captions have the language tag alone; other kinds follow it after a full stop, which no tag
  /// holds: `en`, `en.descriptions`, `en.chapters`.
  public func key(language tag: String) -> String {
    self == .captions ? tag : "\(tag).\(rawValue)"
  }

  /// The kind and language that a key stands for; nil for a key of no known kind.
  public static func split(key: String) -> (language: String, kind: CaptionTrackKind)? {
    let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return (key, .captions) }
    guard let kind = CaptionTrackKind(rawValue: parts[1]), kind != .captions else { return nil }
    return (parts[0], kind)
  }
}

/// An item of a catalog with what is shown in time with its sound: caption files and timed parts.
public struct CaptionedItem: Sendable {
  /// The item.
  public let item: MediaItem
  /// Its sound: how long it is, and where it is best known again.
  public let sound: FollowedSound
  /// All items that stand for parts of the same sound, by time: chapters, exhibits, products.
  public let parts: [TimedContent<MediaItem>.Entry]
  private let catalogPath: [UInt8]

  /// The length of its sound, in seconds.
  public var duration: Double { sound.duration }

  /// Samples in a second of a reference.
  private static let sampleRate = 16_000.0

  /// Finds an item in a catalog that was opened from a path; nil where it is not in it.
  public init?(
    _ identifier: String, in catalog: Catalog, path: [UInt8]
  ) throws(CatalogError) {
    guard let index = try catalog.index(ofItem: identifier) else { return nil }
    item = try catalog.item(index)
    let signature = catalog.signatureIndex(ofItem: index)
    // Captions by hand need no peak: damaged ones are told by whoever looks for a sound.
    sound = FollowedSound(
      duration: Double(catalog.sampleCount(ofSignature: signature)) / Self.sampleRate,
      moments: try? TellingMoments(ofSignature: signature, in: catalog))
    var parts: [TimedContent<MediaItem>.Entry] = []
    for other in catalog.itemIndices(ofSignature: signature) {
      let item = try catalog.item(other)
      for range in item.timeRanges {
        parts.append(
          .init(
            start: CueTime(seconds: range.start), end: CueTime(seconds: range.end), content: item))
      }
    }
    self.parts = parts
    catalogPath = path
  }

  /// The languages of its tracks of a kind, sorted.
  public func languages(_ kind: CaptionTrackKind) -> [String] {
    item.captions.keys.compactMap { key in
      CaptionTrackKind.split(key: key).flatMap { $0.kind == kind ? $0.language : nil }
    }.sorted()
  }

  /// Reads its track in a language; nil where it has none.
  ///
  /// Throws `outside` where a link leads out of the catalog's folder, and what reading throws.
  public func track(
    _ kind: CaptionTrackKind, language tag: String, options: CaptionOptions = CaptionOptions()
  ) throws(CaptionError) -> CaptionTrack? {
    guard let beside = item.captions[kind.key(language: tag)] else { return nil }
    return try CaptionTrack(path: try path(of: beside), options: options)
  }

  /// The path of a file that the item names beside its catalog. No link that leads out of the
  /// catalog's folder is followed.
  ///
  /// Throws `unreadable` where there is no such file, and `outside`.
  public func path(of beside: String) throws(CaptionError) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let folder = catalogPath.lastIndex(of: slash).map { Array(catalogPath[...$0]) } ?? [0x2E]
    let file = folder + [slash] + Array(beside.utf8)
    let realFolder = try Self.real(folder)
    let realFile = try Self.real(file)
    guard realFile.starts(with: realFolder == [slash] ? realFolder : realFolder + [slash]) else {
      throw .outside
    }
    return file
  }

  /// The first language that is wished and there is, else the first there is.
  public static func language(of tags: [String], wishes: [String?]) -> String? {
    for wish in wishes.compactMap({ $0?.lowercased() }) {
      let exact = tags.first { $0.lowercased() == wish }
      let base = wish.prefix { $0 != "-" }
      let near = tags.first { $0.lowercased().prefix { $0 != "-" } == base }
      if let found = exact ?? near { return found }
    }
    return tags.first
  }

  private static func real(_ path: [UInt8]) throws(CaptionError) -> [UInt8] {
    let name = path.map { CChar(bitPattern: $0) } + [0]
    guard let found = unsafe realpath(name, nil) else { throw .unreadable(errno: errno) }
    defer { unsafe free(found) }
    return unsafe Array(UnsafeBufferPointer(start: found, count: strlen(found)))
      .map { UInt8(bitPattern: $0) }
  }
}
