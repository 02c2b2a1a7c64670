import EarshotStore
import Foundation
import TestSupport
import Testing

@Suite("Database") struct DatabaseTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("store.sqlite")
  }

  static let schema = Schema(
    applicationIdentifier: 7,
    versions: [["CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, bytes BLOB) STRICT"]])

  private func make() throws -> Database {
    let database = try Database(at: path, access: .readWrite)
    try database.migrate(to: Self.schema)
    return database
  }

  @Test("gives back every kind of value as it was bound")
  func values() throws {
    let database = try make()
    let bytes: [UInt8] = [0, 255, 1, 0]
    try database.run(
      "INSERT INTO notes VALUES (?, ?, ?)",
      [.integer(.min), .text("naïve \u{0} 音"), .blob(bytes)])
    try database.run("INSERT INTO notes VALUES (?, ?, ?)", [.integer(2), .text(""), .null])
    var statement = try database.prepare("SELECT id, text, bytes FROM notes ORDER BY id")
    #expect(try statement.step())
    #expect(statement.value(at: 0) == .integer(.min))
    #expect(statement.value(at: 1) == .text("naïve \u{0} 音"))
    #expect(statement.value(at: 2) == .blob(bytes))
    #expect(try statement.step())
    #expect(statement.value(at: 1) == .text(""))
    #expect(statement.value(at: 2) == .null)
    #expect(try !statement.step())
  }

  @Test("makes the file for its owner alone")
  func mode() throws {
    _ = try make()
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("rolls a transaction back when its body throws, and keeps it when it doesn't")
  func transactions() throws {
    let database = try make()
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try database.transaction(failure: { _ in Stop() }) { () throws(Stop) in
        do { try database.execute("INSERT INTO notes VALUES (1, 'a', NULL)") } catch {
          throw Stop()
        }
        throw Stop()
      }
    }
    #expect(try database.number("SELECT count(*) FROM notes") == 0)
    try database.transaction(failure: { $0 }) { () throws(StoreError) in
      try database.execute("INSERT INTO notes VALUES (1, 'a', NULL)")
    }
    #expect(try database.number("SELECT count(*) FROM notes") == 1)
  }

  @Test("names what is no database, another program's, and a newer build's")
  func foreign() throws {
    try Data("This is no database, and it is long enough to be told so.".utf8)
      .write(to: URL(fileURLWithPath: path))
    #expect(throws: StoreError.damaged(code: 26)) {
      _ = try Database(at: path, access: .readWrite)
    }
    try FileManager.default.removeItem(atPath: path)
    try make().execute("PRAGMA user_version=2")
    #expect(throws: StoreError.unreadableVersion(found: 2, newest: 1)) { _ = try make() }
    try Database(at: path, access: .readWrite).execute("PRAGMA application_id=8")
    #expect(throws: StoreError.foreign(applicationIdentifier: 8)) { _ = try make() }
  }

  @Test("a reader creates nothing and can't write")
  func reader() throws {
    #expect(throws: StoreError.self) { _ = try Database(at: path, access: .readOnly) }
    #expect(!FileManager.default.fileExists(atPath: path))
    let writer = try make()
    let reader = try Database(at: path, access: .readOnly)
    #expect(throws: StoreError.self) { try reader.execute("DELETE FROM notes") }
    try writer.execute("INSERT INTO notes VALUES (1, 'a', NULL)")
    #expect(try reader.number("SELECT count(*) FROM notes") == 1)
  }

  @Test("a locked file is told as busy, after the busy time")
  func busy() throws {
    let first = try make()
    try first.execute("BEGIN EXCLUSIVE")
    let second = try Database(
      at: folder.file("store.sqlite"), access: .readOnly, busyMilliseconds: 50)
    #expect(throws: StoreError.busy(code: 5)) { try second.number("SELECT count(*) FROM notes") }
    try first.execute("COMMIT")
    #expect(try second.number("SELECT count(*) FROM notes") == 0)
  }

  @Test(
    "the wanted durability is really set",
    arguments: [
      ("journal_mode", Value.text("truncate")), ("synchronous", .integer(2)),
      ("secure_delete", .integer(1)),
    ])
  func durability(setting: String, value: Value) throws {
    let database = try make()
    var statement = try database.prepare("PRAGMA \(setting)")
    #expect(try statement.step())
    #expect(statement.value(at: 0) == value)
  }

  @Test("the journal is empty after each commit, and deleted text is overwritten")
  func journal() throws {
    let database = try make()
    try database.run("INSERT INTO notes VALUES (1, ?, NULL)", [.text("a-telling-title")])
    #expect(try folder.allBytes().range(of: Data("a-telling-title".utf8)) != nil)
    try database.execute("DELETE FROM notes")
    #expect(try folder.allBytes().range(of: Data("a-telling-title".utf8)) == nil)
    let journal = try FileManager.default.attributesOfItem(atPath: path + "-journal")
    #expect(journal[.size] as? Int == 0)
  }

  @Test("a value one byte over the bound is refused")
  func tooLarge() throws {
    let database = try make()
    let bytes = [UInt8](repeating: 7, count: Database.valueBytesMax + 1)
    #expect(throws: StoreError.tooLarge(limit: Database.valueBytesMax)) {
      try database.run("INSERT INTO notes VALUES (1, NULL, ?)", [.blob(bytes)])
    }
  }
}

@Suite("A disk without room", .enabled(if: SmallFileSystem.isPossible, "mounting needs root"))
struct FullDiskTests {
  @Test("R4: a full disk is told as full, and what was there stays")
  func full() throws {
    let disk = try #require(SmallFileSystem(kilobytes: 256))
    let database = try Database(at: disk.path + "/store.sqlite", access: .readWrite)
    try database.migrate(to: DatabaseTests.schema)
    try database.execute("INSERT INTO notes VALUES (1, 'kept', NULL)")
    let bytes = [UInt8](repeating: 7, count: 1 << 20)
    #expect(throws: StoreError.full) {
      try database.run("INSERT INTO notes VALUES (2, NULL, ?)", [.blob(bytes)])
    }
    #expect(try database.number("SELECT count(*) FROM notes") == 1)
    try database.execute("INSERT INTO notes VALUES (3, 'again', NULL)")
    #expect(try database.number("SELECT count(*) FROM notes") == 2)
  }

  @Test("R4: a read-only file system is told as read-only, for root as well")
  func readOnly() throws {
    let disk = try #require(SmallFileSystem(kilobytes: 256))
    do {
      let database = try Database(at: disk.path + "/store.sqlite", access: .readWrite)
      try database.migrate(to: DatabaseTests.schema)
    }
    #expect(disk.makeReadOnly())
    #expect(throws: StoreError.readOnly(code: 8)) {
      _ = try Database(at: disk.path + "/store.sqlite", access: .readWrite)
    }
    #expect(throws: StoreError.readOnly(code: 8)) {
      _ = try Database(at: disk.path + "/new.sqlite", access: .readWrite)
    }
    let reader = try Database(at: disk.path + "/store.sqlite", access: .readOnly)
    #expect(try reader.number("SELECT count(*) FROM notes") == 0)
  }
}
