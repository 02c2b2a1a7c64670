internal import EarshotCaptions
internal import EarshotCatalog
internal import EarshotClient
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

  /// An item with what is timed to its sound; nil when no catalog has it.
  func item(_ identifier: String) throws(CommandError) -> CaptionedItem? {
    for (place, catalog) in catalogs.enumerated() {
      do throws(CatalogError) {
        if let item = try CaptionedItem(identifier, in: catalog, path: paths[place]) {
          return item
        }
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
      do throws(CatalogError) {
        return try catalog.item(0).id
      } catch {
        throw CatalogText.explained(error, path: paths[place])
      }
    }
    return nil
  }
}

/// What is shown for one item: its cues, and what else is timed to its sound.
struct CaptionsChoice: Sendable {
  /// The item; nil where a file is shown by itself.
  var item: MediaItem?
  /// The cues of each kind of track; captions first.
  var tracks: [(kind: CaptionTrackKind, track: CaptionTrack)]
  /// The file that the captions come from, as it is shown.
  var fileName: String
  /// The item's sound, where a catalog tells of it.
  var sound: FollowedSound?
  /// What is entered and left as the place moves on.
  var parts: [TimedContent<MediaItem>.Entry] = []

  /// The cues of a file, for the item that it belongs to, if that is known.
  init(
    file: [UInt8], item identifier: String?, catalogs: CaptionedCatalogs, options: CaptionOptions,
    language: String?
  ) throws(CommandError) {
    fileName = Shown.bytes(file)
    do throws(CaptionError) {
      let track = try CaptionTrack(path: file, options: options)
      tracks = [(.captions, language.map { track.filtered(language: $0) } ?? track)]
    } catch {
      throw .explained(CaptionsText.explain(error, name: Shown.bytes(file)), .error)
    }
    guard let identifier else { return }
    guard let found = try catalogs.item(identifier) else {
      throw .explained(CaptionsText.noItem(identifier), .error)
    }
    fill(found)
  }

  /// What a catalog has for an item; nil when nothing is timed to its sound.
  init?(
    item identifier: String, catalogs: CaptionedCatalogs, options: CaptionOptions,
    language: String?, person: String
  ) throws(CommandError) {
    guard let found = try catalogs.item(identifier) else {
      throw .explained(CaptionsText.noItem(identifier), .error)
    }
    tracks = []
    fileName = ""
    let wishes = [language ?? person, person, found.item.language]
    for kind in CaptionTrackKind.allCases {
      guard let tag = CaptionedItem.language(of: found.languages(kind), wishes: wishes) else {
        continue
      }
      let name = found.item.captions[kind.key(language: tag)] ?? ""
      do throws(CaptionError) {
        guard let track = try found.track(kind, language: tag, options: options) else { continue }
        tracks.append((kind, track))
        if kind == .captions { fileName = Shown.text(name) }
      } catch {
        throw .explained(CaptionsText.explain(error, name: Shown.text(name)), .error)
      }
    }
    guard !tracks.isEmpty || !found.parts.isEmpty else { return nil }
    fill(found)
  }

  private mutating func fill(_ found: CaptionedItem) {
    item = found.item
    sound = found.sound
    parts = found.parts
  }

  /// What is told as the place moves on.
  var program: CaptionProgram { CaptionProgram(tracks: tracks, parts: parts) }

  /// Whether there are captions, and not one cue in them.
  var isEmptyFile: Bool {
    tracks.contains { $0.kind == .captions && $0.track.isEmpty }
  }
}
