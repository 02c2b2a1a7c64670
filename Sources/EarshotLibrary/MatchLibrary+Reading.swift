internal import EarshotStore
internal import Foundation
internal import Synchronization

extension MatchLibrary {
  /// A person's saved matches, the latest saved first, at most `limit` of them from `offset` on.
  public func matches(of person: String, limit: Int = 100, offset: Int = 0)
    throws(LibraryError) -> [SavedMatch]
  {
    try database.withLock { database throws(LibraryError) in
      try Self.matches(
        database,
        """
        WHERE person = ? ORDER BY
          (SELECT max(saved_utc_milliseconds) FROM savers WHERE match = matches.id) DESC, id DESC
          LIMIT ? OFFSET ?
        """,
        [.text(person), .integer(Int64(clamping: limit)), .integer(Int64(clamping: offset))])
    }
  }

  /// The people for whom something is kept and whose identifier begins with `prefix`.
  public func people(withPrefix prefix: String) throws(LibraryError) -> [String] {
    try database.withLock { database throws(LibraryError) in
      do throws(StoreError) {
        var statement = try database.prepare("SELECT DISTINCT person FROM matches ORDER BY person")
        var people = [String]()
        while try statement.step() {
          let person = statement.text(at: 0)
          if person.hasPrefix(prefix) { people.append(person) }
        }
        return people
      } catch {
        throw .store(error)
      }
    }
  }

  /// The requesters that saved something for a person, with the count of what they saved.
  public func requesters(of person: String) throws(LibraryError) -> [String: Int] {
    try database.withLock { database throws(LibraryError) in
      do throws(StoreError) {
        var statement = try database.prepare(
          """
          SELECT requester, count(*) FROM savers JOIN matches ON matches.id = match
            WHERE person = ? GROUP BY requester
          """)
        try statement.bind([.text(person)])
        var counts = [String: Int]()
        while try statement.step() { counts[statement.text(at: 0)] = Int(statement.integer(at: 1)) }
        return counts
      } catch {
        throw .store(error)
      }
    }
  }

  /// All of a person's saved matches as JSON: one object with `version` and `matches`.
  public func export(of person: String) throws(LibraryError) -> [UInt8] {
    struct Export: Encodable {
      var version = 1
      var matches: [SavedMatch]
    }
    let all = try matches(of: person, limit: Self.matchesMax)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    do {
      return Array(try encoder.encode(Export(matches: all)))
    } catch {
      throw .unreadable
    }
  }

  static func match(_ database: borrowing Database, id: Int64) throws(LibraryError) -> SavedMatch {
    guard let match = try matches(database, "WHERE id = ?", [.integer(id)]).first else {
      throw .unknown(id: id)
    }
    return match
  }

  private static func matches(
    _ database: borrowing Database, _ condition: String, _ values: [Value]
  ) throws(LibraryError) -> [SavedMatch] {
    do throws(StoreError) {
      var statement = try database.prepare(
        "SELECT id, item, catalog, title, subtitle, artist, album, isrc FROM matches \(condition)")
      try statement.bind(values)
      var matches = [SavedMatch]()
      while try statement.step() {
        let id = statement.integer(at: 0)
        let item = SavedItem(
          item: statement.text(at: 1), catalog: statement.text(at: 2),
          title: statement.text(at: 3), subtitle: optional(statement, 4),
          artist: optional(statement, 5), album: optional(statement, 6),
          isrc: optional(statement, 7))
        matches.append(SavedMatch(id: id, item: item, savers: try savers(database, of: id)))
      }
      return matches
    } catch {
      throw .store(error)
    }
  }

  private static func savers(_ database: borrowing Database, of id: Int64) throws(StoreError)
    -> [Saver]
  {
    var statement = try database.prepare(
      """
      SELECT requester, consent, saved_utc_milliseconds FROM savers WHERE match = ?
        ORDER BY saved_utc_milliseconds DESC, requester
      """)
    try statement.bind([.integer(id)])
    var savers = [Saver]()
    while try statement.step() {
      savers.append(
        Saver(
          requester: statement.text(at: 0), consent: statement.text(at: 1),
          savedUTCMilliseconds: statement.integer(at: 2)))
    }
    return savers
  }

  private static func optional(_ statement: borrowing Statement, _ column: Int32) -> String? {
    if case .text(let text) = statement.value(at: column) { text } else { nil }
  }
}
