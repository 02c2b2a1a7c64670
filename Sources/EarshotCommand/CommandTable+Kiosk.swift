extension CommandTable {
  /// `kiosk …`.
  static let kiosk: [CommandSpecification] = [
    CommandSpecification(
      ["kiosk", "link"], "Print a one-time link to the visitors' page",
      [
        "The page is served by a daemon whose earshot.json has a \"kiosk\" section, on this machine "
          + "alone. The first browser that opens the link becomes the kiosk; the one before it is "
          + "turned away. A link is good for one use within two minutes."
      ],
      options: [json, socket],
      examples: [#"chromium --kiosk "$(earshot kiosk link)""#], action: KioskCommand.link),
    CommandSpecification(
      ["kiosk", "check"], "Check theme, purposes, explanation and settings of a kiosk",
      [
        "It prints one line for each fault, with file and line where there is one. A button that "
          + "visitors can't read grants nothing, so its colours are checked here as well."
      ],
      options: [
        .value(
          "configuration", "FILE", .file(ending: "json"), "Check this file",
          "Without it the person's own earshot.json is checked."),
        .flag("system", "Check /etc/earshot/earshot.json"),
      ],
      examples: ["earshot kiosk check --configuration earshot.json"], action: KioskCommand.check),
  ]
}
