/// The one table of commands and options.
///
/// Parser, help, manual page and the shells' completions are all made from it, so that they
/// cannot differ from each other.
enum CommandTable {
  /// Every command, in the order help shows them.
  static let all: [CommandSpecification] =
    catalog + [match, listen, captions] + consent + library + kiosk + own

  /// Words that group commands, with one line each.
  static let groups: [(word: String, summary: String)] = [
    ("catalog", "Build, look at and check catalogs"),
    ("signature", "Make and look at signatures as files"),
    ("consent", "Everything about who may listen"),
    ("library", "Matches that you saved"),
    ("kiosk", "The page for visitors of a museum, a shop or a school"),
  ]

  /// Commands without a group.
  static let own: [CommandSpecification] = [
    CommandSpecification(
      ["devices"], "List the sources that the sound system offers", options: [json, socket],
      action: StatusCommand.devices),
    CommandSpecification(
      ["status"], "Show the daemon's state and what earshot may do", options: [json, socket],
      action: StatusCommand.run),
    CommandSpecification(
      ["privacy"], "Show what is taken, what is kept, and what leaves this machine",
      options: [json, socket], action: StatusCommand.privacy),
    CommandSpecification(
      ["erase"], "Erase everything that is kept of you",
      [
        "Records of consents and uses, saved matches and settings go, to the last byte. It asks once "
          + "on the controlling terminal, and takes a person there."
      ],
      options: [
        .flag("all", "Everything; nothing less can be named"),
        .value("export", "FILE", .file(ending: nil), "Write a copy into this new file first"),
        socket,
      ],
      examples: ["earshot erase --all", "earshot erase --all --export kept.json"],
      action: EraseCommand.run),
    CommandSpecification(
      ["doctor"], "Check what stands in the way of listening, and say what to do",
      ["It opens no device. Only --probe asks the sound server what it offers."],
      options: [
        .flag("probe", "Ask the sound server for its sources as well"), json, socket,
      ], action: DoctorCommand.run),
    CommandSpecification(
      ["completions"], "Print the completions for a shell",
      operands: [
        OperandSpecification("SHELL", .choice(["bash", "zsh", "fish"]), "The shell")
      ],
      examples: ["earshot completions bash > ~/.local/share/bash-completion/completions/earshot"],
      action: { (typed, console) throws(CommandError) in
        try GeneratedFile.print(typed.operands[0], table: all, console: console)
      }),
    CommandSpecification(
      ["version"], "Show the version",
      action: { (_, console) throws(CommandError) in
        console.print("earshot \(Version.text)")
        return 0
      }),
  ]

  /// The meaning of each exit status, as the outcomes have it.
  static let exitStatuses: [(status: Int, meaning: String)] = [
    (0, "Done; for match and listen: one item, certain enough."),
    (1, "no-match: good sound, and nothing in the catalog fits it."),
    (2, "error: a fault; standard error says what happened, what it means and what to do."),
    (3, "ambiguous: several items fit equally well."),
    (4, "no-signal: silence, a muted source, or sound that is far too quiet."),
    (5, "too-short: not enough sound to decide either way."),
    (6, "denied: no consent, a denial, a restriction, or nobody to ask."),
    (7, "partial: some inputs of a batch could not be read; each is listed with its cause."),
    (64, "The command line is wrong."),
    (130, "cancelled: a person or a signal ended it."),
  ]
}
