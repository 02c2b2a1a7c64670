internal import EarshotClient
internal import Foundation

/// `earshot consent list`, `show`, `receipt`, `log`, `verify` and `export`: reading what is recorded.
enum ConsentCommand {
  /// All consents, newest first.
  static let list = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let consents = try daemon.ask { (client) throws(ClientError) in try client.consents() }
    DaemonCommand.show(
      consents, typed: typed, console: console, none: "No choice is recorded."
    ) { consents in
      var table = TextTable("ID", "REQUESTER", "FOR", "PURPOSE", "NOW", "DECIDED")
      for consent in consents {
        table.add(
          String(consent.id.prefix(8)), TextTable.name(consent.requester.name),
          consent.capability, consent.purpose, consent.standing, TextTable.minute(consent.decided))
      }
      return table.lines
    }
    return 0
  }

  /// One consent with everything that it says.
  static let show = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let consent = try find(typed.operands[0], daemon)
    if typed.has("json") {
      console.print(VersionedRecord.text(consent))
      return 0
    }
    for (name, value) in details(consent) {
      console.print(Cells.padded(name, to: 14) + Shown.text(value))
    }
    return 0
  }

  /// The receipt of one consent, as JSON.
  static let receipt = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let consent = try find(typed.operands[0], daemon)
    let bytes = try daemon.ask { (client) throws(ClientError) in
      try client.bytes("/v1/consents/\(consent.id)/receipt")
    }
    console.write(result: bytes.last == 10 ? bytes : bytes + [10])
    return 0
  }

  /// The uses of the microphone.
  static let log = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let uses = try daemon.ask { (client) throws(ClientError) in try client.uses() }
    DaemonCommand.show(
      uses, typed: typed, console: console, none: "The microphone has not been used."
    ) { uses in
      var table = TextTable(
        "OPENED", "OPEN FOR", "REQUESTER", "CLOSED BECAUSE", "OUTCOME")
      for use in uses {
        let length = use.milliseconds.map { JSONText.plain($0 / 1000, digits: 2) + " s" }
        table.add(
          TextTable.time(use.opened), length ?? (use.closed == nil ? "open now" : "?"),
          TextTable.name(use.requester), use.reason ?? "-", use.outcome ?? "-")
      }
      return table.lines
    }
    return 0
  }

  /// Checks the chain of records.
  static let verify = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let found = try daemon.ask { (client) throws(ClientError) in try client.verifyLedger() }
    if typed.has("json") {
      console.print(VersionedRecord.text(found))
    } else if found.isIntact {
      console.print("The ledger is intact: \(found.records) records, head \(found.head).")
    } else {
      let place = found.firstBad.map { " at record \($0)" } ?? ""
      console.note("The ledger is not intact\(place).")
      if let problem = found.problem { console.note(Report.text(problem)) }
    }
    return found.isIntact ? 0 : Outcome.error.exitStatus
  }

  /// Everything that is recorded, as JSON.
  static let export = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let bytes = try daemon.ask { (client) throws(ClientError) in
      try client.bytes("/v1/ledger/export")
    }
    console.write(result: bytes.last == 10 ? bytes : bytes + [10])
    return 0
  }

  /// The consent whose id is given, or the one whose id begins so.
  static func find(
    _ typed: [UInt8], _ daemon: DaemonConnection
  ) throws(CommandError) -> ConsentMessage {
    let id = String(decoding: typed, as: UTF8.self).lowercased()
    let consents = try daemon.ask { (client) throws(ClientError) in try client.consents() }
    let found = consents.filter { $0.id.lowercased().hasPrefix(id) }
    if let only = found.first, found.count == 1 || only.id.lowercased() == id { return only }
    throw .explained(
      Explanation(
        reason: found.isEmpty ? "no-such-consent" : "several-consents",
        happened: found.isEmpty
          ? "No consent has an id that begins with '\(Shown.text(id))'."
          : "\(found.count) consents have an id that begins with '\(Shown.text(id))'.",
        means: "Nothing was changed.", next: "Look at 'earshot consent list' for the ids."), .error)
  }

  private static func details(_ consent: ConsentMessage) -> [(String, String)] {
    var details = [
      ("id", consent.id), ("requester", consent.requester.name),
      ("identified by", consent.requester.identifiedBy),
      ("executable", consent.requester.executable ?? "-"), ("capability", consent.capability),
      ("purpose", consent.purpose), ("shown text", consent.text), ("language", consent.language),
      ("source", consent.source), ("scope", consent.scope),
      ("limit", JSONText.plain(consent.limit, digits: 1) + " s"), ("decision", consent.decision),
      ("now", consent.standing), ("decided", consent.decided), ("answered at", consent.agent),
    ]
    if let until = consent.until { details.append(("until", until)) }
    if consent.isByCommand { details.append(("by command", "yes")) }
    return details
  }
}
