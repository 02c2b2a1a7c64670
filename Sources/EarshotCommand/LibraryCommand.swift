internal import EarshotClient

/// `earshot library …`: the matches that were saved, and who may save them.
enum LibraryCommand {
  /// What is saved, newest first.
  static let list = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let entries = try daemon.ask { (client) throws(ClientError) in try client.library() }
    DaemonCommand.show(
      entries, typed: typed, console: console, none: "No match is saved."
    ) { entries in
      var table = TextTable("ID", "SAVED", "BY", "TITLE")
      for entry in entries {
        let artist = entry.artist.map { " — " + $0 } ?? ""
        table.add(
          entry.id, TextTable.minute(entry.saved), TextTable.name(entry.requester),
          entry.title + artist)
      }
      return table.lines
    }
    return 0
  }

  /// Removes one saved match for good.
  static let remove = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let id = String(decoding: typed.operands[0], as: UTF8.self)
    let entries = try daemon.ask { (client) throws(ClientError) in try client.library() }
    guard let entry = entries.first(where: { $0.id == id }) else {
      throw .explained(
        Explanation(
          reason: "no-such-match", happened: "No saved match has the id '\(Shown.text(id))'.",
          means: "Nothing was removed.", next: "Look at 'earshot library list' for the ids."),
        .error)
    }
    let confirmation = try ConsentChange.confirm(
      .removeMatch(title: Shown.text(entry.title)), console: console, daemon: daemon)
    guard let confirmation else { return ConsentChange.cancelled(console) }
    _ = try daemon.ask { (client) throws(ClientError) in
      try client.removeFromLibrary(id, confirmation: confirmation)
    }
    console.print("Removed.")
    return 0
  }

  /// Removes all saved matches, or those of one requester.
  static let erase = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let requester = typed.text("requester")
    let entries = try daemon.ask { (client) throws(ClientError) in try client.library() }
      .filter { requester == nil || $0.requester == requester }
    guard !entries.isEmpty else {
      console.note("No match is saved, so there was nothing to erase.")
      return 0
    }
    let question = Question.eraseMatches(
      count: entries.count, requester: requester.map(Shown.text))
    let confirmation = try ConsentChange.confirm(question, console: console, daemon: daemon)
    guard let confirmation else { return ConsentChange.cancelled(console) }
    let done = try daemon.ask { (client) throws(ClientError) in
      try client.eraseLibrary(requester: requester, confirmation: confirmation)
    }
    console.print("Erased \(done.count).")
    return 0
  }

  /// Everything that is saved, as one JSON object a line.
  static let export = DaemonCommand.action { (_, console, daemon) throws(CommandError) in
    for entry in try daemon.ask({ (client) throws(ClientError) in try client.library() }) {
      console.print(VersionedRecord.text(entry))
    }
    return 0
  }

  /// Allows saving every match, after asking the person.
  static let allow = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let status = try daemon.ask { (client) throws(ClientError) in try client.status() }
    let name = typed.text("executable") ?? status.requester.name
    let confirmation = try ConsentChange.confirm(
      .allowSaving(requester: name), console: console, daemon: daemon)
    guard let confirmation else { return ConsentChange.cancelled(console) }
    try decide("allow", typed, confirmation, daemon)
    console.print("Matches are saved from now on.")
    return 0
  }

  /// Stops saving, at once.
  static let forbid = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    try decide("deny", typed, .command, daemon)
    console.print("Matches are not saved. What was saved before stays until you remove it.")
    return 0
  }

  private static func decide(
    _ decision: String, _ typed: TypedArguments, _ confirmation: Confirmation,
    _ daemon: DaemonConnection
  ) throws(CommandError) {
    _ = try daemon.ask { (client) throws(ClientError) in
      try client.decideLibrary(
        LibraryConsentRequest(
          executable: typed.text("executable"), decision: decision, confirmation: confirmation))
    }
  }
}
