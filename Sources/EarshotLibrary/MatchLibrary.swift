internal import EarshotStore
internal import Synchronization

/// The matches that people chose to keep, one row a recording.
///
/// Whoever calls `save` has spent a consent to save before, and hands in its id (rule S1). There is
/// no other history: nothing is kept that isn't in a row (rule S5). Every call may be made from any
/// thread and blocks on the disk; what it changed is synced when it returns.
public final class MatchLibrary: Sendable {
  /// The most matches that are kept for one person.
  public static let matchesMax = 10_000
  /// The most bytes of one property.
  public static let propertyBytesMax = 4096

  let database: Mutex<Database>
  /// The most matches that this library keeps for one person.
  public let limit: Int

  /// Opens or makes the library in the file at `path`.
  public init(path: String, limit: Int = MatchLibrary.matchesMax) throws(LibraryError) {
    self.limit = limit
    do throws(StoreError) {
      let database = try Database(at: path, access: .readWrite)
      try database.migrate(to: Self.schema)
      self.database = Mutex(database)
    } catch {
      throw .store(error)
    }
  }

  private static let schema = Schema(
    applicationIdentifier: 0x4561_4D31,
    versions: [
      [
        """
        CREATE TABLE matches (
          id INTEGER PRIMARY KEY,
          person TEXT NOT NULL,
          recording TEXT NOT NULL,
          item TEXT NOT NULL,
          catalog TEXT NOT NULL,
          title TEXT NOT NULL,
          subtitle TEXT,
          artist TEXT,
          album TEXT,
          isrc TEXT,
          UNIQUE (person, recording)
        ) STRICT
        """,
        """
        CREATE TABLE savers (
          match INTEGER NOT NULL REFERENCES matches (id),
          requester TEXT NOT NULL,
          consent TEXT NOT NULL,
          saved_utc_milliseconds INTEGER NOT NULL,
          PRIMARY KEY (match, requester)
        ) STRICT, WITHOUT ROWID
        """,
      ]
    ])

  /// Keeps a match for a person; a recording that is there already keeps its row, and the date of
  /// this requester's saving is renewed (rule S6).
  @discardableResult
  public func save(_ item: SavedItem, for person: String, by saver: Saver) throws(LibraryError)
    -> SavedMatch
  {
    guard item.longestPropertyBytes <= Self.propertyBytesMax else {
      throw .propertyTooLong(limitBytes: Self.propertyBytesMax)
    }
    return try database.withLock { database throws(LibraryError) in
      let id = try database.transaction(failure: LibraryError.store) {
        () throws(LibraryError) in
        let isThere = try Self.number(
          database, "SELECT count(*) FROM matches WHERE person = ? AND recording = ?",
          [.text(person), .text(item.recording)])
        let count = try Self.number(
          database, "SELECT count(*) FROM matches WHERE person = ?", [.text(person)])
        guard isThere == 1 || count < Int64(self.limit) else {
          throw .full(limit: self.limit)
        }
        do throws(StoreError) {
          return try Self.upsert(database, item, person, saver)
        } catch {
          throw .store(error)
        }
      }
      return try Self.match(database, id: id)
    }
  }

  static func number(_ database: borrowing Database, _ sql: String, _ values: [Value])
    throws(LibraryError) -> Int64
  {
    do throws(StoreError) { return try database.number(sql, values) } catch {
      throw .store(error)
    }
  }

  private static func upsert(
    _ database: borrowing Database, _ item: SavedItem, _ person: String, _ saver: Saver
  ) throws(StoreError) -> Int64 {
    try database.run(
      """
      INSERT INTO matches
        (person, recording, item, catalog, title, subtitle, artist, album, isrc)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (person, recording) DO UPDATE SET
        item = excluded.item, catalog = excluded.catalog, title = excluded.title,
        subtitle = excluded.subtitle, artist = excluded.artist, album = excluded.album
      """,
      [
        .text(person), .text(item.recording), .text(item.item), .text(item.catalog),
        .text(item.title), text(item.subtitle), text(item.artist), text(item.album),
        text(item.isrc),
      ])
    let id = try database.number(
      "SELECT id FROM matches WHERE person = ? AND recording = ?",
      [.text(person), .text(item.recording)])
    try database.run(
      "INSERT OR REPLACE INTO savers VALUES (?, ?, ?, ?)",
      [
        .integer(id), .text(saver.requester), .text(saver.consent),
        .integer(saver.savedUTCMilliseconds),
      ])
    return id
  }

  private static func text(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
}
