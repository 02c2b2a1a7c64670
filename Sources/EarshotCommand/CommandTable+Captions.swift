extension CommandTable {
  /// `captions`, which also checks files.
  static let captions = CommandSpecification(
    ["captions"], "Show captions in time with what is heard, or check caption files",
    [
      "It listens for a moment, finds the place and the speed, closes the microphone, and shows "
        + "each cue at its time: those of FILE, or those that the catalog has for the item that "
        + "was recognised. The daemon asks for consent where none is recorded; 'Allow While "
        + "Captions Are On' lets it check the place by itself, for a moment each time.",
      "With --at no microphone is needed: the cues start at that time, now.",
      "Keys: the arrows left and right show the cues 0.1 s earlier or later, < and > a second; "
        + "f finds the place again; Space holds captions that were started with --at; q ends.",
      "'earshot captions check FILE…' only reads the files and lists all that is wrong in them; a "
        + "file that is called check is given as ./check.",
    ],
    operands: [
      OperandSpecification(
        "FILE", .file(ending: nil), count: 0...Int.max,
        "A WebVTT, SRT or TTML file; 'check' and files only checks them")
    ],
    options: [
      .value(
        "catalog", letter: "c", "FILE", .file(ending: "earshot"), repeatable: true,
        "Search this catalog; default are those that are configured"),
      .value("item", "ID", .text, "Show this item's captions, and follow no other"),
      .value("at", "TIME", .time, "Start at this time of the film, without a microphone"),
      .value(
        "speed", "S", .number(0.5...2, unit: "times the film's own speed"),
        "How fast it plays; only with --at, default is 1"),
      .value("language", letter: "l", "TAG", .text, "Show captions of this language, as in 'en'"),
      .flag(
        "descriptions", "Show what is seen too, where the item has descriptions",
        "They stand at the top, in brackets; piped, each is a line of its own."),
      .value(
        "encoding", "NAME", .text, "Read a file in this encoding",
        "UTF-8, and UTF-16 with a mark, need none. 'iconv -l' lists the names."),
      .flag(
        "timestamp-map", "Make the shift that X-TIMESTAMP-MAP in a WebVTT file asks for",
        "As it stands cue times are the film's own, and the file is only told to ask for a shift."),
      .value(
        "check", "S", .number(10...600, unit: "seconds"),
        "How often to listen again while captions are on; default is 60",
        "It is done only with your consent for as long as captions are on."),
      .flag("large", "Show letters of double size, where the terminal has them"),
      json, socket,
    ],
    examples: [
      "earshot captions film.vtt --at 12:30", "earshot captions --catalog films.earshot",
      "earshot captions check film.srt",
    ],
    action: CaptionsCommand.run)
}
