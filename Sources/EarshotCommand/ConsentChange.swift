internal import EarshotClient
internal import Foundation

/// `earshot consent grant`, `deny` and `revoke`: changing what is recorded (rule R5).
///
/// Allowing takes a person at the controlling terminal (rule C10). Denying and withdrawing take
/// nobody: they are never harder than allowing.
enum ConsentChange {
  /// Allows, after asking the person.
  static let grant = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let existing = try typed.operands.first.map { (id) throws(CommandError) in
      try ConsentCommand.find(id, daemon)
    }
    let status = try daemon.ask { (client) throws(ClientError) in try client.status() }
    let name = existing?.requester.name ?? executable(typed) ?? status.requester.name
    let purpose =
      if let existing { existing.text } else { try sentence(typed, daemon, console.language) }
    let confirmation = try confirm(
      .allow(requester: name, purpose: purpose), console: console, daemon: daemon)
    guard let confirmation else { return cancelled(console) }
    let done = try daemon.ask { (client) throws(ClientError) in
      if let existing {
        return try client.decide(
          DecisionRequest(decision: "allow", confirmation: confirmation), about: existing.id)
      }
      return try client.grant(
        request(
          typed, decision: typed.has("once") ? "allow-once" : "allow",
          language: console.language, confirmation: confirmation))
    }
    console.print("Allowed." + (done.id.map { " The record is \($0)." } ?? ""))
    return 0
  }

  /// Denies, at once.
  static let deny = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let existing = try typed.operands.first.map { (id) throws(CommandError) in
      try ConsentCommand.find(id, daemon)
    }
    let done = try daemon.ask { (client) throws(ClientError) in
      if let existing {
        return try client.decide(
          DecisionRequest(decision: "deny", confirmation: .command), about: existing.id)
      }
      return try client.grant(
        request(typed, decision: "deny", language: console.language, confirmation: .command))
    }
    console.print("Denied." + (done.id.map { " The record is \($0)." } ?? ""))
    return 0
  }

  /// Withdraws one consent, or all that stand.
  static let revoke = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    if typed.has("all") == !typed.operands.isEmpty {
      throw typed.operands.isEmpty
        ? .usage(.missingOperand(command: "consent revoke", placeholder: "ID, or --all"))
        : .usage(.conflict("--all", "ID"))
    }
    var chosen: [ConsentMessage] = []
    if typed.has("all") {
      chosen = try daemon.ask { (client) throws(ClientError) in try client.consents() }
        .filter { $0.standing == "allowed" }
    } else {
      for id in typed.operands { chosen.append(try ConsentCommand.find(id, daemon)) }
    }
    for consent in chosen {
      _ = try daemon.ask { (client) throws(ClientError) in
        try client.decide(
          DecisionRequest(decision: "revoke", confirmation: .command), about: consent.id)
      }
      console.print(
        "Withdrawn: \(Shown.text(consent.requester.name)), \(consent.capability). "
          + "It asks again next time.")
    }
    if chosen.isEmpty { console.note("No consent stands, so there was nothing to withdraw.") }
    return 0
  }

  /// Asks a question that takes a person, and says how the answer was come by.
  ///
  /// Nil means that the person backed out. Without a person the daemon is asked all the same: it
  /// refuses, unless the administrator's file permits it, and says how to go on.
  static func confirm(
    _ question: Question, console: Console, daemon: DaemonConnection
  ) throws(CommandError) -> Confirmation? {
    switch QuestionAtTerminal.ask(question, console: console) {
    case true: .terminal
    case false: nil
    case nil: .command
    }
  }

  /// What is said and returned when the person backed out.
  static func cancelled(_ console: Console) -> Int32 {
    console.note("Nothing was changed.")
    return Outcome.cancelled.exitStatus
  }

  private static func executable(_ typed: TypedArguments) -> String? {
    typed.text("executable")
  }

  private static func request(
    _ typed: TypedArguments, decision: String, language: Language, confirmation: Confirmation
  ) -> GrantRequest {
    GrantRequest(
      executable: executable(typed), purpose: typed.text("purpose") ?? "identify",
      decision: decision, goal: typed.text("purpose") == "captions" ? .place : .identify,
      limit: typed.number("limit") ?? 12, source: typed.text("device"),
      language: language.rawValue, confirmation: confirmation)
  }

  /// The sentence of the purpose, as the daemon words it.
  private static func sentence(
    _ typed: TypedArguments, _ daemon: DaemonConnection, _ language: Language
  ) throws(CommandError) -> String {
    let code = typed.text("purpose") ?? "identify"
    let purposes = try daemon.ask { (client) throws(ClientError) in try client.purposes() }
    let texts = purposes.first { $0.code == code }?.texts
    if let text = texts?[language.rawValue] ?? texts?[Language.english.rawValue] { return text }
    throw .explained(
      Explanation(
        reason: "no-such-purpose", happened: "There is no purpose '\(Shown.text(code))'.",
        means: "Nothing was recorded.",
        next: "Choose one of: " + purposes.map(\.code).joined(separator: ", ") + "."), .error)
  }
}
