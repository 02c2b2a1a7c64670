internal import EarshotCaptions
internal import EarshotCatalog
internal import EarshotClient
internal import EarshotSignature
internal import Foundation

/// The catalogs whose items captions may be shown for.
struct CaptionedCatalogs {
  /// The files, in the order given.
  let paths: [[UInt8]]
  private let catalogs: [Catalog]

  /// Opens the files that were named, or those of the data folder; `isNeeded` makes none an error.
  init(_ named: [[UInt8]], isNeeded: Bool) throws(CommandError) {
    var paths = named
    if paths.isEmpty, isNeeded {
      let folder = SearchedCatalogs.dataFolder(ProcessInfo.processInfo.environment)
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      paths = names.filter { $0.hasSuffix(".earshot") }.sorted()
        .map { Array((folder + "/" + $0).utf8) }
      guard !paths.isEmpty else { throw .explained(SearchText.noCatalog(folder), .error) }
    }
    var catalogs: [Catalog] = []
    for path in paths {
      do throws(CatalogError) {
        catalogs.append(try Catalog(path: path))
      } catch {
        throw CatalogText.explained(error, path: path)
      }
    }
    self.paths = paths
    self.catalogs = catalogs
  }

  /// An item with the place of its catalog and its own index there; nil when no catalog has it.
  func item(_ identifier: String) throws(CommandError) -> (catalog: Int, index: Int)? {
    for (place, catalog) in catalogs.enumerated() {
      do throws(CatalogError) {
        if let index = try catalog.index(ofItem: identifier) { return (place, index) }
      } catch {
        throw CatalogText.explained(error, path: paths[place])
      }
    }
    return nil
  }

  /// The only item there is; nil when there are several or none.
  func onlyItem() throws(CommandError) -> String? {
    guard catalogs.reduce(0, { $0 + $1.itemCount }) == 1 else { return nil }
    for (place, catalog) in catalogs.enumerated() where catalog.itemCount == 1 {
      return try properties(catalog: place, index: 0).id
    }
    return nil
  }

  /// What the catalog says of an item.
  func properties(catalog place: Int, index: Int) throws(CommandError) -> MediaItem {
    do throws(CatalogError) {
      return try catalogs[place].item(index)
    } catch {
      throw CatalogText.explained(error, path: paths[place])
    }
  }

  /// The length of an item's sound, in seconds.
  func duration(catalog place: Int, index: Int) -> Double {
    let signature = catalogs[place].signatureIndex(ofItem: index)
    return Double(catalogs[place].sampleCount(ofSignature: signature))
      / Double(AnalyzerSettings.sampleRate)
  }

  /// All items that stand for parts of an item's sound, by time: chapters, exhibits, products.
  func timedItems(
    catalog place: Int, index: Int
  ) throws(CommandError) -> [TimedContent<MediaItem>.Entry] {
    var entries: [TimedContent<MediaItem>.Entry] = []
    let signature = catalogs[place].signatureIndex(ofItem: index)
    for other in catalogs[place].itemIndices(ofSignature: signature) {
      let item = try properties(catalog: place, index: other)
      for range in item.timeRanges {
        entries.append(
          .init(
            start: CueTime(seconds: range.start), end: CueTime(seconds: range.end), content: item))
      }
    }
    return entries
  }
}

/// What is shown for one item: its cues, and what else is timed to its sound.
struct CaptionsChoice: Sendable {
  /// The item; nil where a file is shown by itself.
  var item: MediaItem?
  /// The cues.
  var track: CaptionTrack
  /// The file they come from, as it is shown.
  var fileName: String
  /// The length of the item's sound in seconds, where a catalog tells it.
  var duration: Double?
  /// What is entered and left as the place moves on.
  var timed: TimedContent<MediaItem>

  /// The cues of a file, for the item that it belongs to, if that is known.
  init(
    file: [UInt8], item identifier: String?, catalogs: CaptionedCatalogs, options: CaptionOptions,
    language: String?
  ) throws(CommandError) {
    track = try CaptionsChoice.read(file, options, language: language)
    fileName = Shown.bytes(file)
    timed = TimedContent([])
    guard let identifier else { return }
    guard let place = try catalogs.item(identifier) else {
      throw .explained(CaptionsText.noItem(identifier), .error)
    }
    try fill(place, catalogs)
  }

  /// The captions that a catalog has for an item; nil when it has none.
  init?(
    item identifier: String, catalogs: CaptionedCatalogs, options: CaptionOptions,
    language: String?, person: String
  ) throws(CommandError) {
    guard let place = try catalogs.item(identifier) else {
      throw .explained(CaptionsText.noItem(identifier), .error)
    }
    let item = try catalogs.properties(catalog: place.catalog, index: place.index)
    let tag = CaptionsChoice.language(
      of: item.captions.keys.sorted(), wishes: [language ?? person, person, item.language])
    guard let tag, let beside = item.captions[tag] else { return nil }
    let file = try CaptionsChoice.path(beside, catalog: catalogs.paths[place.catalog])
    track = try CaptionsChoice.read(file, options, language: nil)
    fileName = Shown.bytes(file)
    timed = TimedContent([])
    try fill(place, catalogs)
  }

  private mutating func fill(
    _ place: (catalog: Int, index: Int), _ catalogs: CaptionedCatalogs
  ) throws(CommandError) {
    item = try catalogs.properties(catalog: place.catalog, index: place.index)
    duration = catalogs.duration(catalog: place.catalog, index: place.index)
    timed = TimedContent(try catalogs.timedItems(catalog: place.catalog, index: place.index))
  }

  /// The first language that is wished and there is, else the first there is.
  static func language(of tags: [String], wishes: [String?]) -> String? {
    for wish in wishes.compactMap({ $0?.lowercased() }) {
      let exact = tags.first { $0.lowercased() == wish }
      let base = wish.prefix { $0 != "-" }
      let near = tags.first { $0.lowercased().prefix { $0 != "-" } == base }
      if let found = exact ?? near { return found }
    }
    return tags.first
  }

  private static func read(
    _ file: [UInt8], _ options: CaptionOptions, language: String?
  ) throws(CommandError) -> CaptionTrack {
    do throws(CaptionError) {
      let track = try CaptionTrack(path: file, options: options)
      return language.map { track.filtered(language: $0) } ?? track
    } catch {
      throw .explained(CaptionsText.explain(error, name: Shown.bytes(file)), .error)
    }
  }

  /// The path of a file beside a catalog. A link that leads out of its folder is not followed.
  private static func path(_ beside: String, catalog: [UInt8]) throws(CommandError) -> [UInt8] {
    let folder = catalog.lastIndex(of: UInt8(ascii: "/")).map { Array(catalog[...$0]) } ?? [0x2E]
    let file = folder + [UInt8(ascii: "/")] + Array(beside.utf8)
    guard let realFolder = real(folder), let realFile = real(file) else {
      throw .file(path: file, errno: errno)
    }
    let inside = realFolder == [UInt8(ascii: "/")] ? realFolder : realFolder + [UInt8(ascii: "/")]
    guard realFile.starts(with: inside) else {
      throw .explained(CaptionsText.outside(Shown.bytes(file)), .error)
    }
    return file
  }

  private static func real(_ path: [UInt8]) -> [UInt8]? {
    let name = path.map { CChar(bitPattern: $0) } + [0]
    guard let found = unsafe realpath(name, nil) else { return nil }
    defer { unsafe free(found) }
    return unsafe Array(UnsafeBufferPointer(start: found, count: strlen(found)))
      .map { UInt8(bitPattern: $0) }
  }
}
