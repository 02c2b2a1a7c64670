/// The manual page earshot(1) in roff, made from the table.
struct ManualPage {
  /// The commands there are.
  let table: [CommandSpecification]

  /// The whole page.
  func text() -> String {
    var lines = [
      ".\\\" Made by 'earshot --generate man'; change the table of commands, not this file.",
      ".TH EARSHOT 1 \"\" \"Earshot \(Version.text)\" \"User Commands\"", ".SH NAME",
      "earshot \\- recognises sound on this machine, behind a consent that is recorded",
      ".SH SYNOPSIS", ".B earshot", ".I COMMAND", "[\\fIOPTION\\fR\\&...] [\\fIOPERAND\\fR\\&...]",
      ".SH DESCRIPTION",
    ]
    lines += Self.paragraphs([
      "Earshot finds out what is playing: in files that it is given, or through the microphone. "
        + "Everything happens on this machine, and no sound leaves it.",
      "The microphone is opened by the daemon alone, only after a person allowed it, and closes by "
        + "itself at the first certain moment. Consents and every use of the microphone are "
        + "recorded in a ledger that the person can read.",
      "Results go to standard output, everything else to standard error. With --json each result "
        + "is one object on a line of its own. Options and operands may be mixed; -- ends the "
        + "options, so that names may begin with a dash. Standard input is read only where - is "
        + "given in place of a file.",
    ])
    lines.append(".SH COMMANDS")
    for command in table { lines += section(of: command) }
    lines.append(".SH EXIT STATUS")
    for (status, meaning) in CommandTable.exitStatuses {
      lines += [".TP", ".B \(status)", Self.escaped(meaning)]
    }
    lines.append(".SH ENVIRONMENT")
    for (name, meaning) in Self.environment {
      lines += [".TP", ".B \(name)", Self.escaped(meaning)]
    }
    lines.append(".SH FILES")
    for (name, meaning) in Self.files {
      lines += [".TP", ".I \(Self.escaped(name))", Self.escaped(meaning)]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func section(of command: CommandSpecification) -> [String] {
    var lines = [".SS \"\(Self.escaped(command.name))\"", ".B \(Self.escaped(command.usage))"]
    lines += [".PP", Self.escaped(command.summary + ".")]
    lines += Self.paragraphs(command.description)
    for operand in command.operands {
      lines += [
        ".TP", ".I \(Self.escaped(operand.placeholder))", Self.escaped(operand.summary + "."),
      ]
    }
    for option in command.options {
      let letter = option.letter.map { "\\fB\\-\($0)\\fR, " } ?? ""
      let value = option.placeholder.map { " \\fI\(Self.escaped($0))\\fR" } ?? ""
      lines += [".TP", "\(letter)\\fB\(Self.escaped("--" + option.name))\\fR\(value)"]
      let often = option.isRepeatable ? " It may be given again." : ""
      let details = option.details.isEmpty ? "" : " " + option.details
      lines.append(Self.escaped(option.summary + "." + details + often))
    }
    if !command.examples.isEmpty {
      lines += [".PP", command.examples.count > 1 ? "Examples:" : "Example:", ".PP", ".RS", ".nf"]
      lines += command.examples.map(Self.escaped)
      lines += [".fi", ".RE"]
    }
    return lines
  }

  private static func paragraphs(_ texts: [String]) -> [String] {
    texts.flatMap { [".PP", escaped($0)] }
  }

  /// Text that roff prints as it is: dashes that can be copied, no leading control character.
  private static func escaped(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
      .replacing("…", with: "\\&...")
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }

  private static let environment: [(String, String)] = [
    ("XDG_RUNTIME_DIR", "The folder of the daemon's socket."),
    ("XDG_DATA_HOME", "The folder of catalogs that are used where none is named."),
    ("LANGUAGE, LC_ALL, LC_MESSAGES, LANG", "The language of questions."),
  ]

  private static let files: [(String, String)] = [
    ("$XDG_RUNTIME_DIR/earshot/socket", "Where the daemon listens."),
    ("$XDG_STATE_HOME/earshot/", "The ledger and the library."),
    ("$XDG_CONFIG_HOME/earshot/earshot.json", "The configuration."),
    ("$XDG_DATA_HOME/earshot/catalogs/", "Catalogs."),
    ("/etc/earshot/administrator.json", "What the administrator permits and limits."),
  ]
}
