internal import EarshotClient

/// `earshot status`, `earshot consent status`, `earshot devices` and `earshot privacy`.
enum StatusCommand {
  /// The daemon and the command's own standing.
  static let run = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let status = try daemon.ask { (client) throws(ClientError) in try client.status() }
    if typed.has("json") {
      console.print(VersionedRecord.text(status))
      return 0
    }
    let kind = status.isPrivate ? "started for this command" : "running"
    console.print("Daemon       \(status.daemon), \(kind) (process \(status.process))")
    console.print("Microphone   \(status.isListening ? "open now" : "closed")")
    console.print("Source       \(Shown.text(status.source))")
    console.print("Limit        \(JSONText.plain(status.limit, digits: 1)) s a listening")
    console.print("Catalogs     \(status.catalogs)")
    for line in standing(status) { console.print(line) }
    return 0
  }

  /// The command's own standing alone.
  static let consent = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let status = try daemon.ask { (client) throws(ClientError) in try client.status() }
    if typed.has("json") {
      console.print(VersionedRecord.text(status))
      return 0
    }
    for line in standing(status) { console.print(line) }
    return 0
  }

  /// The sources that the sound system offers.
  static let devices = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let devices = try daemon.ask { (client) throws(ClientError) in try client.devices() }
    DaemonCommand.show(
      devices, typed: typed, console: console, none: "The sound system offers no source."
    ) { devices in
      var table = TextTable("NAME", "MAY BE NAMED", "DESCRIPTION")
      for device in devices {
        table.add(device.name, device.isConfigured ? "yes" : "no", device.label)
      }
      return table.lines
    }
    return 0
  }

  /// What the product says of itself.
  static let privacy = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let language = console.language.rawValue
    let label = try daemon.ask { (client) throws(ClientError) in
      try client.privacy(language: language)
    }
    if typed.has("json") {
      console.print(VersionedRecord.text(label))
      return 0
    }
    let width = (label.sections.map { Cells.width(of: Shown.text($0.title)) }.max() ?? 0) + 2
    for section in label.sections {
      for (index, entry) in section.entries.enumerated() {
        console.print(
          Cells.padded(index == 0 ? Shown.text(section.title) : "", to: width) + Shown.text(entry))
      }
    }
    for file in label.files { console.note(Shown.text(file)) }
    console.note("\(Shown.text(label.product)), \(Shown.text(label.date))")
    return 0
  }

  private static func standing(_ status: StatusMessage) -> [String] {
    var lines = [
      "Requester    \(Shown.text(status.requester.name))",
      "May listen   \(word(status.microphone))", "May save     \(word(status.library))",
    ]
    if let explanation = status.explanation { lines.append(Report.text(explanation)) }
    return lines
  }

  private static func word(_ status: String) -> String {
    status == "undetermined" ? "undetermined (you will be asked)" : Shown.text(status)
  }
}
