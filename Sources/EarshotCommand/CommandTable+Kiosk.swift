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
    CommandSpecification(
      ["kiosk", "preview"], "Draw every screen of the page, in every language and size",
      [
        "An installed Chromium draws the page of a private daemon with your settings into PNG files; "
          + "what is on the screens is made up, and the microphone is not touched."
      ],
      options: [
        .value(
          "output", letter: "o", "FOLDER", .text, "Where the pictures go; default is kiosk-preview"),
        .value(
          "configuration", "FILE", .file(ending: "json"), "Draw the page of this earshot.json",
          "Without it the page is that of a kiosk with the shipped theme."),
        .value(
          "language", "TAG", .choice(["en", "ru", "zh-Hans", "ko"]), "Only this language"),
        .value("size", "WxH", .text, "Only this size of screen, for example 1080x1920"),
        .value(
          "text", "PERCENT", .choice(["100", "125", "150", "175", "200"]), "Only this text size"),
      ],
      examples: ["earshot kiosk preview --size 1920x1080 --language ko --text 100"],
      action: KioskPreview.run),
  ]
}
