internal import EarshotCatalog
internal import EarshotClient
internal import Foundation

/// What a catalog is to be built from, found and checked before anything is decoded.
struct BuildInputs {
  /// Sound files, each once, in the order in which they were named.
  private(set) var files: [SoundFiles.Found] = []
  /// The items of each file; empty where the item is to be made from the file's name and tags.
  private(set) var rows: [[ItemTable.Row]] = []
  /// Catalogs and signatures whose content is copied.
  private(set) var catalogs: [[UInt8]] = []
  /// What could not be looked at.
  private(set) var faults: [SoundFiles.Fault] = []
  /// Rows of the table whose file isn't there.
  private(set) var missing: [Missing] = []
  private(set) var shadowCount = 0
  private(set) var otherCount = 0

  /// A file that a table names and that can't be looked at.
  struct Missing: Sendable {
    let path: [UInt8]
    let identifier: String
    let errno: Int32
    /// Where the table names it.
    let table: [UInt8]
    let place: ItemTable.Place
  }

  /// Takes catalogs and signatures only.
  init(catalogs: [[UInt8]]) { self.catalogs = catalogs }

  /// Reads the table, finds the files, and throws what is wrong with the table.
  init(table: [UInt8]?, paths: [[UInt8]], json: Bool, console: Console) throws(CommandError) {
    if let table { try take(table: table, json: json, console: console) }
    var sounds = SoundFiles()
    for path in paths {
      let ending = SoundFiles.ending(of: path)
      if ending == "earsig" || ending == "earshot" {
        catalogs.append(path)
      } else {
        sounds.add(path)
      }
    }
    for file in sounds.found {
      if SoundFiles.ending(of: file.path) == "earsig" {
        catalogs.append(file.path)
      } else {
        add(file, row: nil)
      }
    }
    faults += sounds.faults
    shadowCount = sounds.shadowCount
    otherCount = sounds.otherCount
  }

  private var indexByPath: [[UInt8]: Int] = [:]

  private mutating func add(_ file: SoundFiles.Found, row: ItemTable.Row?) {
    let index: Int
    if let known = indexByPath[file.path] {
      index = known
    } else {
      index = files.count
      indexByPath[file.path] = index
      files.append(file)
      rows.append([])
    }
    if let row { rows[index].append(row) }
  }

  private mutating func take(table path: [UInt8], json: Bool, console: Console)
    throws(CommandError)
  {
    let table = try ItemTable.load(path, json: json, console: console)
    let folder = path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[...$0]) } ?? []
    for row in table.rows {
      let name = row.path.first == UInt8(ascii: "/") ? row.path : folder + row.path
      var facts = stat()
      let found = unsafe (name + [0]).withUnsafeBytes { bytes in
        unsafe bytes.baseAddress.map {
          unsafe stat($0.assumingMemoryBound(to: CChar.self), &facts) == 0
        } ?? false
      }
      guard found else {
        missing.append(
          Missing(
            path: name, identifier: row.item.id, errno: errno, table: path,
            place: row.places[.path] ?? row.place))
        continue
      }
      add(
        SoundFiles.Found(
          path: name, shortName: row.path, wasNamed: true, byteCount: Int(facts.st_size)),
        row: row)
    }
  }
}

/// Reads small files whole.
enum FileBytes {
  /// The kernel's word for what went wrong.
  struct Failure: Error, Sendable, Hashable {
    let number: Int32
  }

  /// Reads a file of `countMax` bytes at most; a longer one is an error, or cut where only the
  /// beginning was asked for.
  static func read(_ path: [UInt8], countMax: Int, isBeginning: Bool = false) throws(Failure)
    -> [UInt8]
  {
    let descriptor = unsafe (path + [0]).withUnsafeBytes { bytes in
      unsafe bytes.baseAddress.map {
        unsafe open($0.assumingMemoryBound(to: CChar.self), O_RDONLY | O_CLOEXEC)
      } ?? -1
    }
    guard descriptor >= 0 else { throw Failure(number: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe piece.withUnsafeMutableBytes {
        unsafe Foundation.read(descriptor, $0.baseAddress, $0.count)
      }
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw Failure(number: errno)
      }
      bytes += piece.prefix(count)
      guard bytes.count > countMax else { continue }
      guard isBeginning else { throw Failure(number: EFBIG) }
      return Array(bytes.prefix(countMax))
    }
  }
}
