internal import Foundation

/// Finds the sound files that a person named: single files, and all files in folders.
///
/// Folders are walked in the order of their names' bytes, so that the same tree gives the same
/// catalog. Links are followed, each folder once. What can't be sound is left out and counted:
/// sockets, pipes and devices, shadow files of macOS, names that begin with a dot, and files whose
/// ending says that they are pictures, text or the like.
struct SoundFiles {
  /// A file that was found.
  struct Found: Sendable, Hashable {
    /// The name to open it by.
    let path: [UInt8]
    /// The name relative to the folder that was named, which is what a person calls it.
    let shortName: [UInt8]
    /// Whether the file itself was named, not only a folder that holds it.
    let wasNamed: Bool
    /// The size in bytes.
    let byteCount: Int
  }

  /// A folder or file that could not be looked at.
  struct Fault: Sendable, Hashable {
    let path: [UInt8]
    let errno: Int32
  }

  private(set) var found: [Found] = []
  private(set) var faults: [Fault] = []
  /// Shadow files in which macOS keeps what belongs beside a file.
  private(set) var shadowCount = 0
  /// What was left out for its kind or its name's ending.
  private(set) var otherCount = 0
  private var folders: Set<Place> = []

  private struct Place: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  /// The most files that are taken, and the most folders within folders.
  static let countMax = 1_000_000
  static let depthMax = 100

  /// Endings of files that lie beside sound and hold none.
  private static let otherEndings: Set<String> = [
    "jpg", "jpeg", "png", "gif", "webp", "bmp", "tif", "tiff", "svg", "ico", "txt", "nfo", "md",
    "log", "cue", "m3u", "m3u8", "pls", "xspf", "pdf", "doc", "odt", "html", "htm", "xml", "json",
    "csv", "tsv", "ini", "db", "sqlite", "zip", "gz", "xz", "rar", "7z", "sfv", "md5", "sha256",
    "ffp", "accurip", "srt", "vtt", "ttml", "lrc", "ass", "ssa", "earshot", "torrent", "url", "lnk",
    "py", "sh", "par2", "mid", "midi", "sid", "xm", "mod", "s3m", "it",
  ]

  /// Adds a file or a folder that was named.
  mutating func add(_ path: [UInt8]) {
    var facts = stat()
    guard Self.look(path, &facts) else {
      faults.append(Fault(path: path, errno: errno))
      return
    }
    if facts.st_mode & S_IFMT == S_IFDIR {
      walk(path, prefix: [], facts: facts, depth: 0)
    } else {
      let name = path.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? path
      take(Found(path: path, shortName: name, wasNamed: true, byteCount: Int(facts.st_size)))
    }
  }

  private mutating func walk(_ folder: [UInt8], prefix: [UInt8], facts: stat, depth: Int) {
    let place = Place(device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino))
    guard depth <= Self.depthMax, folders.insert(place).inserted else { return }
    guard let names = Self.names(in: folder) else {
      faults.append(Fault(path: folder, errno: errno))
      return
    }
    for name in names {
      let isShadow = name.starts(with: "._".utf8) || name.elementsEqual(".AppleDouble".utf8)
      if isShadow || name.first == UInt8(ascii: ".") {
        if isShadow { shadowCount += 1 } else { otherCount += 1 }
        continue
      }
      let path = (folder.last == UInt8(ascii: "/") ? folder : folder + [UInt8(ascii: "/")]) + name
      let short = prefix + name
      var facts = stat()
      guard Self.look(path, &facts) else {
        faults.append(Fault(path: path, errno: errno))
        continue
      }
      switch facts.st_mode & S_IFMT {
      case S_IFDIR:
        walk(path, prefix: short + [UInt8(ascii: "/")], facts: facts, depth: depth + 1)
      case S_IFREG where !Self.otherEndings.contains(Self.ending(of: name)):
        take(Found(path: path, shortName: short, wasNamed: false, byteCount: Int(facts.st_size)))
      default: otherCount += 1
      }
    }
  }

  private mutating func take(_ file: Found) {
    guard found.count < Self.countMax else {
      faults.append(Fault(path: file.path, errno: E2BIG))
      return
    }
    found.append(file)
  }

  /// The ending of a name in small letters; empty when it has none.
  static func ending(of name: [UInt8]) -> String {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return "" }
    return String(decoding: name[(dot + 1)...], as: UTF8.self).lowercased()
  }

  private static func look(_ path: [UInt8], _ facts: inout stat) -> Bool {
    unsafe (path + [0]).withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return false }
      return unsafe stat(base.assumingMemoryBound(to: CChar.self), &facts) == 0
    }
  }

  /// The names in a folder in the order of their bytes, or nil with `errno` set.
  private static func names(in folder: [UInt8]) -> [[UInt8]]? {
    let opened = unsafe (folder + [0]).withUnsafeBytes { bytes in
      unsafe bytes.baseAddress.flatMap { unsafe opendir($0.assumingMemoryBound(to: CChar.self)) }
    }
    guard let stream = unsafe opened else { return nil }
    defer { unsafe closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe Array(bytes.prefix { $0 != 0 })
      }
      if !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
