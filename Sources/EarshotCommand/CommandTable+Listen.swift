extension CommandTable {
  static let socket = OptionSpecification.value(
    "socket", "PATH", .file(ending: nil), "Use the daemon at this socket",
    "Without it the daemon is looked for at its usual places, and where none runs one is started "
      + "for this command.")

  static let json = OptionSpecification.flag("json", "Print one JSON object a line")

  private static let executable = OptionSpecification.value(
    "executable", "PATH", .text, "The program it is about; default is earshot itself")

  private static let purpose = OptionSpecification.value(
    "purpose", "CODE", .text, "What the sound is used for; default is identify")

  private static let limit = OptionSpecification.value(
    "limit", "S", .number(0.5...30, unit: "seconds"),
    "The longest the microphone may be open; default is 12")

  private static let device = OptionSpecification.value(
    "device", "NAME", .text, "The source to listen to, by its configured name")

  /// `listen`.
  static let listen = CommandSpecification(
    ["listen"], "Recognise what is playing, through the microphone",
    [
      "The daemon asks for consent where none is recorded; the question is shown on the terminal "
        + "and answered there, by a person in front of it and nobody else. The microphone closes "
        + "at the first certain moment, at the limit, or with Ctrl-C.",
      "While it is open a line shows the level and the time left; 'Microphone closed.' says when "
        + "it is closed.",
    ],
    options: [
      .value(
        "catalog", letter: "c", "FILE", .file(ending: "earshot"), repeatable: true,
        "Search this catalog; default are those that are configured"),
      purpose, limit, device,
      .flag(
        "ask", "After a match, ask whether to save it",
        "The question is the daemon's, and 'Not Now' records nothing."),
      .flag(
        "save", "Save the match in the library",
        "It is the answer 'Save' to the question that --ask brings up, and counts only when it is "
          + "typed at the terminal itself."),
      json, socket,
    ],
    examples: ["earshot listen", "earshot listen --catalog tunes.earshot --limit 5 --json"],
    action: ListenCommand.run)

  /// `consent …`.
  static let consent: [CommandSpecification] = [
    CommandSpecification(
      ["consent", "status"], "Show whether earshot may listen and save", options: [json, socket],
      action: StatusCommand.consent),
    CommandSpecification(
      ["consent", "list"], "List every choice that is recorded", options: [json, socket],
      action: ConsentCommand.list),
    CommandSpecification(
      ["consent", "show"], "Show one choice with all that it covers", operands: [consentID],
      options: [json, socket], action: ConsentCommand.show),
    CommandSpecification(
      ["consent", "grant"], "Allow a program to listen",
      [
        "It asks on the controlling terminal, and takes a person there; a program cannot answer. "
          + "With an ID the choice of that record is changed, else a new one is made. Where no "
          + "person is, it is refused unless the administrator's file permits granting by "
          + "command, and then the record says so."
      ],
      operands: [optionalConsentID],
      options: [
        executable, purpose, limit, device, .flag("once", "Allow one listening only"), socket,
      ],
      examples: ["earshot consent grant", "earshot consent grant --once"],
      action: ConsentChange.grant),
    CommandSpecification(
      ["consent", "deny"], "Deny a program to listen, until you change it",
      operands: [optionalConsentID], options: [executable, purpose, limit, device, socket],
      action: ConsentChange.deny),
    CommandSpecification(
      ["consent", "revoke"], "Withdraw a consent; a listening under it ends at once",
      operands: [
        OperandSpecification("ID", .text, count: 0...Int.max, "The record, or how its id begins")
      ],
      options: [.flag("all", "Withdraw every consent that stands"), socket],
      action: ConsentChange.revoke),
    CommandSpecification(
      ["consent", "receipt"], "Print the receipt of a consent as JSON", operands: [consentID],
      options: [socket], action: ConsentCommand.receipt),
    CommandSpecification(
      ["consent", "log"], "List every use of the microphone", options: [json, socket],
      action: ConsentCommand.log),
    CommandSpecification(
      ["consent", "verify"], "Check that no record was changed, removed or added",
      options: [json, socket], action: ConsentCommand.verify),
    CommandSpecification(
      ["consent", "lint"], "Check purposes and explanations in files by the rules of asking",
      ["Each finding names the file, the rule and the word that breaks it."],
      operands: [
        OperandSpecification(
          "FILE", .file(ending: "json"), count: 0...Int.max, "A file of purposes, or an explanation"
        )
      ],
      examples: ["earshot consent lint purposes.json"], action: ConsentLint.run),
    CommandSpecification(
      ["consent", "export"], "Print everything that is recorded as JSON", options: [socket],
      action: ConsentCommand.export),
  ]

  /// `library …`.
  static let library: [CommandSpecification] = [
    CommandSpecification(
      ["library", "list"], "List what is saved, newest first", options: [json, socket],
      action: LibraryCommand.list),
    CommandSpecification(
      ["library", "remove"], "Remove one saved match for good",
      ["It asks once on the controlling terminal, and takes a person there."],
      operands: [OperandSpecification("ID", .text, "The match, by its id in the list")],
      options: [socket], action: LibraryCommand.remove),
    CommandSpecification(
      ["library", "erase"], "Remove all saved matches for good",
      ["It asks once on the controlling terminal, and takes a person there."],
      options: [
        .value("requester", "NAME", .text, "Only those that this program saved"), socket,
      ], action: LibraryCommand.erase),
    CommandSpecification(
      ["library", "export"], "Print what is saved, one JSON object a line", options: [socket],
      action: LibraryCommand.export),
    CommandSpecification(
      ["library", "allow"], "Let a program save every match",
      ["It asks on the controlling terminal, and takes a person there."],
      options: [executable, socket], action: LibraryCommand.allow),
    CommandSpecification(
      ["library", "forbid"], "Let a program save no match any more",
      options: [executable, socket], action: LibraryCommand.forbid),
  ]

  private static let consentID = OperandSpecification(
    "ID", .text, "The record, or how its id begins")
  private static let optionalConsentID = OperandSpecification(
    "ID", .text, count: 0...1, "The record to change, or how its id begins")
}
