internal import EarshotCatalog
internal import EarshotClient

/// The journal of a build, opened, announced and left behind.
enum BuildJournal {
  /// Opens the journal beside the catalog that is built.
  ///
  /// Where there can be none, such as on a file system without locks, the build goes on without.
  /// Several additions to one catalog may run at once: the first holds the journal, and the others
  /// keep theirs without a name. Two creations of one catalog are refused.
  static func open(besides path: [UInt8], isShared: Bool) throws(CatalogError)
    -> SignatureJournal?
  {
    do throws(CatalogError) {
      return try SignatureJournal(besides: path)
    } catch .beingChanged(let process) {
      guard isShared else { throw .beingChanged(process: process) }
      return try? SignatureJournal(unnamedBesides: path)
    } catch {
      return nil
    }
  }

  /// Says that an interrupted build goes on.
  static func announce(_ journal: SignatureJournal?, console: Console) {
    guard let count = journal?.foundCount, count > 0 else { return }
    console.note(
      "An interrupted build left \(Shown.count(count, "finished file")); what is unchanged is not read again."
    )
  }

  /// Says what is left of an interrupted build, and returns its exit status.
  static func cancelled(
    _ journal: SignatureJournal?, besides path: [UInt8], what: String, console: Console
  ) -> Int32 {
    if let journal, journal.hasName, journal.count > 0 {
      let name = Shown.bytes(SignatureJournal.name(besides: path))
      console.note(
        "Ended early. \(what). \(Shown.count(journal.count, "finished file")) kept in \(name): "
          + "the same command goes on from there.")
    } else {
      console.note("Ended early. \(what).")
    }
    return Outcome.cancelled.exitStatus
  }
}
