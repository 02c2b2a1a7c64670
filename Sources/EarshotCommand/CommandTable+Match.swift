internal import EarshotAudio

extension CommandTable {
  /// `match`.
  static let match = CommandSpecification(
    ["match"], "Recognise what plays in files or on standard input",
    [
      "Every AUDIO is answered in the order given, by its item, the offset in it, the speed, and "
        + "the probability that the answer is right. A file that cannot be read does not stop the "
        + "others. Any kind of file with sound is read; what libsndfile does not know takes "
        + "ffmpeg. '-' reads standard input, which may be a pipe.",
      "With one AUDIO the exit status is its outcome's. With several it is 0 when all were "
        + "answered and 7 when some could not be read, or with --strict the worst outcome's.",
    ],
    operands: [
      OperandSpecification(
        "AUDIO", .file(ending: nil), count: 1...Int.max,
        "A file with sound, or - for standard input"
      )
    ],
    options: [
      .value(
        "catalog", letter: "c", "FILE", .file(ending: "earshot"), repeatable: true,
        "Search this catalog; default are all in the data folder"),
      .flag("json", "Print one JSON object a query"),
      .flag(
        "earliest", "Stop at the first certain moment, as listening does",
        "There is no limit of 12 s as listening has it; --limit sets one."),
      .flag(
        "follow", "Follow what is found to its end, then search on: a time line",
        "Place and speed get finer while it plays, and its end is told. With --json one object "
          + "an event: match or ambiguous, place once a second, end, end-of-sound; 'at' is in "
          + "seconds of the AUDIO, 'offset' in the item."),
      .value(
        "top", "N", .count(1...20), "List at most so many items; default is 5"),
      .value(
        "limit", "S", .number(0.1...172_800, unit: "seconds"),
        "Use at most so many seconds of each query"),
      .value(
        "speeds", "WHICH", .choice(["all", "1"]), "Try all speeds or only the true one",
        "Default is all: 4 % slower to 4 % faster, with and without a change of pitch."),
      .flag(
        "explain", "Add the peaks expected and hit, and the evidence over time"),
      .flag("strict", "In a batch, exit with the worst outcome's status"),
      .flag(
        "raw", "Read bare samples without a header",
        "--rate, --channels and --format say how they are written."),
      .value("rate", "R", .number(4000...384_000, unit: "samples a second"), "Rate of --raw"),
      .value("channels", "N", .count(1...256), "Channels of --raw"),
      .value(
        "format", "F",
        .choice(
          RawFormat.allCases.map(\.rawValue), alsoKnownAs: RawFormat.allCases.flatMap(\.otherNames)),
        "Format of --raw samples", "The names of ALSA and ffmpeg, such as S16_LE, are taken too."),
    ],
    examples: [
      "earshot match --catalog tunes.earshot recording.wav",
      "earshot match -c tunes.earshot --json --earliest *.ogg",
      "earshot match -c tunes.earshot --follow evening.flac",
      "arecord -f S16_LE -r 48000 -d 5 | earshot match -c tunes.earshot -",
    ],
    action: MatchCommand.run)
}
