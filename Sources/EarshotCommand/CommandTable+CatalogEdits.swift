internal import EarshotCatalog

extension CommandTable {
  private static let target = OperandSpecification("FILE", .file(ending: "earshot"), "The catalog")

  static let add = CommandSpecification(
    ["catalog", "add"], "Add sound files, folders and signatures to a catalog",
    [
      "Sound that the catalog has already is told and left as it is; nothing is decoded again that "
        + "is in it. Several commands may add to one catalog at the same time."
    ],
    operands: [
      OperandSpecification(
        "PATH", .file(ending: nil), count: 1...Int.max,
        "The catalog, then sound files, folders, signatures (.earsig) or catalogs to copy from")
    ],
    options: buildOptions, examples: ["earshot catalog add music.earshot ~/Music/new"],
    action: { (typed, console) throws(CommandError) in
      let arguments = buildArguments(
        typed, output: typed.operands[0], paths: Array(typed.operands.dropFirst()))
      return try CatalogAdd(arguments: arguments, console: console).run()
    })

  static let remove = CommandSpecification(
    ["catalog", "remove"], "Remove items from a catalog",
    ["Nothing of them stays in the file: it is written anew without them."],
    operands: [
      target, OperandSpecification("ID", .text, count: 1...Int.max, "The items' identifiers"),
    ],
    options: [json],
    action: { (typed, console) throws(CommandError) in
      try CatalogEdit.remove(
        typed.operands.dropFirst().map { String(decoding: $0, as: UTF8.self) },
        from: typed.operands[0], json: typed.has("json"), console: console)
    })

  static let update = CommandSpecification(
    ["catalog", "update"], "Change properties of a catalog's items, and fill in what is missing",
    [
      "ITEMS is a table as for 'catalog create', in which paths may be left out. What it doesn't "
        + "say stays as it is; null in JSON empties a property. No sound is needed.",
      "Shared passages that were left for later are looked for, with ITEMS or without.",
    ],
    operands: [target],
    options: [
      .value(
        "items", letter: "i", "ITEMS", .file(ending: "csv"), "The changes, as CSV or JSON"), json,
    ],
    action: { (typed, console) throws(CommandError) in
      try CatalogEdit.update(
        typed.operands[0], table: typed.bytes("items"), json: typed.has("json"),
        console: console)
    })

  static let merge = CommandSpecification(
    ["catalog", "merge"], "Put several catalogs and signatures into one",
    [
      "The same sound under the same identifier is taken once. Catalogs that were made with other "
        + "analyzer settings are refused before anything is written."
    ],
    operands: [
      OperandSpecification(
        "FILE", .file(ending: "earshot"), count: 1...Int.max, "The catalogs and signatures")
    ],
    options: [
      .value(
        "output", letter: "o", "FILE", .file(ending: "earshot"), required: true,
        "The catalog to write; it may be one of the inputs"),
      .flag("keep-duplicates", "Keep an item for each copy of the same sound"),
      CommandTable.withoutIndex, CommandTable.noPassages, json,
    ],
    examples: ["earshot catalog merge -o all.earshot one.earshot two.earshot"],
    action: { (typed, console) throws(CommandError) in
      try CatalogEdit.merge(
        typed.operands, into: typed.bytes("output") ?? [],
        keepsDuplicates: typed.has("keep-duplicates"),
        indexChoice: typed.has("without-index") ? .never : .whereNeeded,
        passageChoice: typed.has("no-passages") ? .later : .record,
        json: typed.has("json"), console: console)
    })

  static let export = CommandSpecification(
    ["catalog", "export"], "Print a catalog's items as a table",
    ["The table has all properties, and 'catalog update' reads it again."],
    operands: [target],
    options: [.value("format", "FORMAT", .choice(["csv", "json"]), "csv, or json")],
    action: { (typed, console) throws(CommandError) in
      try CatalogExport.run(
        typed.operands[0], format: typed.text("format") ?? "csv", console: console)
    })

  static let duplicates = CommandSpecification(
    ["catalog", "duplicates"], "List sound that catalogs hold more than once",
    [
      "Finds the same recording in another coding too, and sound that is mostly the same. Each line "
        + "names an item, those that have its sound, and how much they share."
    ],
    operands: [
      OperandSpecification("FILE", .file(ending: "earshot"), count: 1...Int.max, "The catalogs")
    ],
    options: [json],
    action: { (typed, console) throws(CommandError) in
      try CatalogDuplicates.run(typed.operands, json: typed.has("json"), console: console)
    })

  static let signatureCreate = CommandSpecification(
    ["signature", "create"], "Make signatures of sound files",
    [
      "A signature is what is needed to recognise a sound, without the sound: so a catalog can be "
        + "made where the sound may not go. 'catalog create', 'add' and 'merge' take signatures."
    ],
    operands: [
      OperandSpecification(
        "AUDIO", .file(ending: nil), count: 1...Int.max, "The sound files and folders")
    ],
    options: [
      .value(
        "output", letter: "o", "PLACE", .file(ending: "earsig"), required: true,
        "The folder for the signatures, or the file for a single one"),
      .value("id", "ID", .text, "The item's identifier, for a single one"),
      .value("title", "TITLE", .text, "The item's title"), json,
    ],
    action: { (typed, console) throws(CommandError) in
      try CatalogSignatures.create(
        typed.operands, output: typed.bytes("output") ?? [], identifier: typed.text("id"),
        title: typed.text("title"), json: typed.has("json"), console: console)
    })

  static let signatureInfo = CommandSpecification(
    ["signature", "info"], "Show what signatures hold",
    operands: [
      OperandSpecification(
        "FILE", .file(ending: "earsig"), count: 1...Int.max, "The signatures or catalogs")
    ],
    options: [json],
    action: { (typed, console) throws(CommandError) in
      try CatalogSignatures.info(typed.operands, json: typed.has("json"), console: console)
    })
}
