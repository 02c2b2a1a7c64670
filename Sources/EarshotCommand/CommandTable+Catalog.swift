internal import EarshotCatalog

extension CommandTable {
  /// `catalog …` and `signature …`.
  static let catalog: [CommandSpecification] = [
    create, add, remove, update, merge, export, list, info, verify, duplicates, signatureCreate,
    signatureInfo,
  ]

  static let create = CommandSpecification(
    ["catalog", "create"], "Build a catalog from sound files, folders and signatures",
    [
      "Reads every sound file that is named, and every one in the folders that are named, and "
        + "writes what is needed to recognise them into one file. The catalog never holds sound. "
        + "WAV, FLAC, Ogg Vorbis, Opus and MP3 are read by earshot itself; other kinds, such as "
        + "AAC in MP4, through ffmpeg when it is installed. What a file is, is told by its content.",
      "ITEMS is a table in CSV or JSON with at least id and path, and any other property of an "
        + "item: title, subtitle, artist, album, genres, isrc, language, explicit, artwork, "
        + "captions, signLanguageVideo, webURL, timeRanges, speedRange, custom. Paths in it are "
        + "relative to the table's folder. Several items may name the same file, each with its "
        + "own time ranges. Where the table is silent, the file's tags are used. Commas, semicolons or "
        + "tabs divide values. All faults of a table are told by line and column, before anything is "
        + "read; --dry-run stops there.",
      "A file that can't be read doesn't stop the others: it is listed with its cause, and the "
        + "exit status is 7. The catalog appears under its name only when it is whole. An interrupted "
        + "command leaves what was there before, and what it had finished in a hidden file beside "
        + "it (.FILE.journal): the same command goes on from there.",
    ],
    operands: [
      OperandSpecification(
        "PATH", .file(ending: nil), count: 0...Int.max,
        "Sound files, folders, signatures (.earsig) or catalogs to copy from")
    ],
    options: [
      .value(
        "output", letter: "o", "FILE", .file(ending: "earshot"), required: true,
        "The catalog to write")
    ] + buildOptions,
    examples: [
      "earshot catalog create -o music.earshot ~/Music",
      "earshot catalog create -o tour.earshot --items tour.csv",
    ],
    action: { (typed, console) throws(CommandError) in
      let arguments = buildArguments(
        typed, output: typed.bytes("output") ?? [], paths: typed.operands)
      return try CatalogCreate(arguments: arguments, console: console).run()
    })

  /// For shipping a large catalog.
  static let withoutIndex = OptionSpecification.flag(
    "without-index", "Leave out the index that catalogs of 200 hours and more are searched by",
    "The file is smaller by more than half. The index is built in memory each time the catalog "
      + "is searched; 'catalog merge' puts it back into the file.")

  /// For whoever wants a catalog sooner.
  static let noPassages = OptionSpecification.flag(
    "no-passages", "Don't look for passages that several sounds share",
    "They are what tells that a title theme stands in every episode, or a loop in two pieces. The "
      + "catalog records that they are left for later; 'catalog update' fills them in.")

  /// The options that `create` and `add` share.
  static let buildOptions: [OptionSpecification] = [
    .value("items", letter: "i", "ITEMS", .file(ending: "csv"), "The items, as CSV or JSON"),
    .flag(
      "keep-duplicates", "Keep an item for each copy of the same sound",
      "Without it, a file with exactly the sound of an earlier one is reported and left out, "
        + "unless the table names it."),
    .flag(
      "drop-copies", "Leave out a file that is likely an earlier recording, or a mix of it",
      "Such files are reported without it, and kept. Files that the table names are always kept."),
    withoutIndex, noPassages,
    .flag("strict", "Write nothing when any input can't be used"),
    .flag("dry-run", "Check the table and list what would be read, then stop"),
    .value(
      "jobs", letter: "j", "N", .count(1...1024),
      "Files worked on at once; as many as there are cores unless told"),
    json,
  ]

  static func buildArguments(
    _ typed: TypedArguments, output: [UInt8], paths: [[UInt8]]
  ) -> CatalogCreate.Arguments {
    var arguments = CatalogCreate.Arguments(
      output: output, table: typed.bytes("items"), paths: paths)
    arguments.keepsDuplicates = typed.has("keep-duplicates")
    arguments.dropsCopies = typed.has("drop-copies")
    if typed.has("without-index") { arguments.indexChoice = .never }
    if typed.has("no-passages") { arguments.passageChoice = .later }
    arguments.isStrict = typed.has("strict")
    arguments.isDryRun = typed.has("dry-run")
    arguments.json = typed.has("json")
    if let count = typed.count("jobs") { arguments.threadCount = count }
    return arguments
  }

  private static let one = OperandSpecification("FILE", .file(ending: "earshot"), "The catalog")

  static let info = CommandSpecification(
    ["catalog", "info"], "Show what a catalog holds, in numbers", operands: [one], options: [json],
    action: { (typed, console) throws(CommandError) in
      try CatalogLooks.info(typed.operands[0], json: typed.has("json"), console: console)
    })

  static let list = CommandSpecification(
    ["catalog", "list"], "List the items of a catalog", operands: [one], options: [json],
    action: { (typed, console) throws(CommandError) in
      try CatalogLooks.list(typed.operands[0], json: typed.has("json"), console: console)
    })

  static let verify = CommandSpecification(
    ["catalog", "verify"], "Check every byte of catalogs",
    [
      "Opening a catalog checks its header and its items; the rest is checked when it is first "
        + "used. This command checks all of it, and says where a file is damaged."
    ],
    operands: [
      OperandSpecification(
        "FILE", .file(ending: "earshot"), count: 1...Int.max, "The catalogs")
    ],
    options: [json],
    action: { (typed, console) throws(CommandError) in
      try CatalogLooks.verify(typed.operands, json: typed.has("json"), console: console)
    })
}
