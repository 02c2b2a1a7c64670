internal import EarshotCatalog
internal import EarshotClient
internal import Glibc

/// The items that the page shows: found by listening, or chosen by hand (rule C11).
struct KioskItems: Sendable {
  let daemon: DaemonState
  let request: HTTPRequest

  private struct List: Encodable {
    var entries: [Listed]
    var more: Int
  }

  private struct Listed: Encodable {
    var catalog: String
    var id: String
    var title: String
    var artist: String?
    var captions: [String]
  }

  private struct Details: Encodable {
    struct Range: Encodable {
      var start: Double
      var end: Double
    }

    var catalog: String
    var id: String
    var title: String
    var subtitle: String?
    var artist: String?
    var album: String?
    var genres: [String]
    var language: String?
    var isExplicit: Bool?
    var hasArtwork: Bool
    var hasSignLanguageVideo: Bool
    var captions: [String]
    /// Shown as text and as a QR code, never fetched (rule T4).
    var link: String?
    var code: [String]?
    /// Seconds of the reference.
    var duration: Double
    var timeRanges: [Range]
    /// The other items of the same sound, each for its own time ranges.
    var parts: [Details]?
  }

  private var shelf: CatalogShelf {
    CatalogShelf(configured: daemon.configuration.catalogs, folder: daemon.paths.catalogs)
  }

  /// All items of all catalogs, at most as many as one list holds.
  func list() throws(ProblemDetails) -> HTTPAnswer {
    var entries: [Listed] = []
    var more = 0
    for path in shelf.standing {
      guard let catalog = try? Catalog(path: path) else { continue }
      let name = CatalogShelf.name(of: path)
      for index in 0..<catalog.itemCount {
        guard entries.count < ServiceLimits.listEntries else {
          more += catalog.itemCount - index
          break
        }
        guard let item = try? catalog.item(index) else { continue }
        entries.append(
          Listed(
            catalog: name, id: item.id, title: item.title, artist: item.artist,
            captions: item.captions.keys.sorted()))
      }
    }
    return .json(List(entries: entries, more: more))
  }

  /// One item with all that the page shows of it.
  func show() throws(ProblemDetails) -> HTTPAnswer {
    let (path, catalog, index) = try find()
    let name = CatalogShelf.name(of: path)
    do throws(CatalogError) {
      let signature = catalog.signatureIndex(ofItem: index)
      let duration = Double(catalog.sampleCount(ofSignature: signature)) / 16_000
      var details = Self.details(try catalog.item(index), in: name, duration)
      let siblings = catalog.itemIndices(ofSignature: signature).prefix(ServiceLimits.itemParts)
      if siblings.count > 1 {
        var parts: [Details] = []
        for sibling in siblings {
          parts.append(Self.details(try catalog.item(sibling), in: name, duration))
        }
        details.parts = parts
      }
      return .json(details)
    } catch {
      let explanation = Explanation.catalog(error)
      throw .conflict(explanation.reason, explanation.happened)
    }
  }

  private static func details(
    _ item: MediaItem, in catalog: String, _ duration: Double
  ) -> Details {
    Details(
      catalog: catalog, id: item.id, title: item.title, subtitle: item.subtitle,
      artist: item.artist, album: item.album, genres: item.genres, language: item.language,
      isExplicit: item.explicit, hasArtwork: item.artwork != nil,
      hasSignLanguageVideo: item.signLanguageVideo != nil, captions: item.captions.keys.sorted(),
      link: item.webURL, code: item.webURL.flatMap { QRCode($0)?.rows }, duration: duration,
      timeRanges: item.timeRanges.map { Details.Range(start: $0.start, end: $0.end) })
  }

  /// The item's picture, from a file below the catalog's folder.
  func artwork() throws(ProblemDetails) -> HTTPAnswer {
    let (path, catalog, index) = try find()
    guard let item = try? catalog.item(index), let name = item.artwork,
      let bytes = BesideCatalog.contents(
        of: name, catalog: path, bytesMax: ServiceLimits.artworkBytes)
    else { throw .notFound("The item has no picture that can be shown.") }
    guard let type = BesideCatalog.pictureType(bytes) else {
      throw .notFound("The picture is not PNG, JPEG, WebP or GIF.")
    }
    return .bytes(bytes, type: type, status: 200, headers: [:])
  }

  /// A piece of the item's video in sign language; browsers ask for one after the other.
  func video() throws(ProblemDetails) -> HTTPAnswer {
    let (path, catalog, index) = try find()
    guard let item = try? catalog.item(index), let name = item.signLanguageVideo,
      let piece = BesideCatalog.piece(
        of: name, catalog: path, range: request.range, bytesMax: ServiceLimits.videoPieceBytes),
      let type = piece.start > 0 ? "video/mp4" : BesideCatalog.videoType(piece.bytes)
    else { throw .notFound("The item has no video that can be shown.") }
    return .bytes(
      piece.bytes, type: type, status: 206,
      headers: [
        "Content-Range":
          "bytes \(piece.start)-\(piece.start + piece.bytes.count - 1)/\(piece.size)",
        "Accept-Ranges": "bytes",
      ])
  }

  private func find() throws(ProblemDetails) -> (String, Catalog, Int) {
    let standing = shelf.standing
    guard let name = request.query["catalog"], let id = request.query["id"],
      let path = standing.first(where: { CatalogShelf.name(of: $0) == name }),
      let catalog = try? Catalog(path: path), let index = try? catalog.index(ofItem: id)
    else { throw .notFound("No catalog has that item.") }
    return (path, catalog, index)
  }
}

/// Files that lie beside a catalog: read only below its folder, links followed and then judged.
enum BesideCatalog {
  /// A file's bytes; nil where it lies elsewhere, is no file, or is too large.
  static func contents(of name: String, catalog: String, bytesMax: Int) -> [UInt8]? {
    guard let piece = piece(of: name, catalog: catalog, range: nil, bytesMax: bytesMax),
      piece.bytes.count == piece.size
    else { return nil }
    return piece.bytes
  }

  /// A piece of a file from where a `Range` header begins, at most `bytesMax` of it; nil where it
  /// lies elsewhere, is no file, is empty, or does not reach so far.
  static func piece(
    of name: String, catalog: String, range: String?, bytesMax: Int
  ) -> (bytes: [UInt8], start: Int, size: Int)? {
    guard let folder = real(Folders.parent(of: catalog)), let file = real("\(folder)/\(name)"),
      file.hasPrefix(folder == "/" ? "/" : folder + "/")
    else { return nil }
    let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    let size = Int(facts.st_size)
    let ends = range.map { $0.dropFirst("bytes=".count).split(separator: "-") } ?? []
    let start = ends.first.flatMap { Int($0) } ?? 0
    let end = ends.count == 2 ? Int(ends[1]) ?? size - 1 : size - 1
    guard start >= 0, start < size, end >= start else { return nil }
    var bytes = [UInt8](repeating: 0, count: min(end + 1, size, start + bytesMax) - start)
    var count = 0
    while count < bytes.count {
      let got = unsafe bytes.withUnsafeMutableBytes {
        unsafe pread(
          descriptor, $0.baseAddress?.advanced(by: count), $0.count - count, start + count)
      }
      if got < 0 && errno == EINTR { continue }
      guard got > 0 else { return nil }
      count += got
    }
    return (bytes, start, size)
  }

  /// The type of a video, by its first bytes.
  static func videoType(_ bytes: [UInt8]) -> String? {
    if bytes.dropFirst(4).starts(with: Array("ftyp".utf8)) { return "video/mp4" }
    return bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) ? "video/webm" : nil
  }

  /// The type of a picture, by its first bytes: no type that can hold script is among them.
  static func pictureType(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.starts(with: Array("GIF8".utf8)) { return "image/gif" }
    let isWebP =
      bytes.starts(with: Array("RIFF".utf8))
      && bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
    return isWebP ? "image/webp" : nil
  }

  private static func real(_ path: String) -> String? {
    guard let found = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(found) }
    return unsafe String(cString: found)
  }
}
