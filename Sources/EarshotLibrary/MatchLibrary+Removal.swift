internal import EarshotStore
internal import Synchronization

extension MatchLibrary {
  /// Removes one saved match and every byte of it (rule S4).
  public func remove(_ id: Int64, of person: String) throws(LibraryError) {
    try database.withLock { database throws(LibraryError) in
      let found = try Self.number(
        database, "SELECT count(*) FROM matches WHERE id = ? AND person = ?",
        [.integer(id), .text(person)])
      guard found == 1 else { throw .unknown(id: id) }
      try Self.delete(
        database, savers: "match = ?", [.integer(id)])
    }
  }

  /// Removes what one requester saved for a person; a match that another saved too stays with it.
  public func removeAll(savedBy requester: String, for person: String) throws(LibraryError) {
    try database.withLock { database throws(LibraryError) in
      try Self.delete(
        database, savers: "requester = ? AND match IN (SELECT id FROM matches WHERE person = ?)",
        [.text(requester), .text(person)])
    }
  }

  /// Removes all that is kept for a person.
  public func removeAll(of person: String) throws(LibraryError) {
    try database.withLock { database throws(LibraryError) in
      try Self.delete(
        database, savers: "match IN (SELECT id FROM matches WHERE person = ?)", [.text(person)])
    }
  }

  /// Deletes savings, then the matches that nobody saved, and writes the file anew.
  private static func delete(
    _ database: borrowing Database, savers condition: String, _ values: [Value]
  ) throws(LibraryError) {
    do throws(StoreError) {
      try database.transaction(failure: { $0 }) { () throws(StoreError) in
        try database.run("DELETE FROM savers WHERE \(condition)", values)
        try database.execute("DELETE FROM matches WHERE id NOT IN (SELECT match FROM savers)")
      }
      // Overwriting what is freed leaves copies that were moved within a page; only writing the
      // whole file anew is sure to leave none. The file is small, and removing is rare.
      try database.execute("VACUUM")
    } catch {
      throw .store(error)
    }
  }
}
