@_spi(Training) import EarshotMatch
import EarshotSignature
import Foundation

/// The flags as typed: `--name value`.
struct Flags {
  private var values: [String: String] = [:]

  init(_ arguments: [String]) {
    var rest = arguments.makeIterator()
    while let name = rest.next() { values[String(name.drop { $0 == "-" })] = rest.next() ?? "" }
  }

  func callAsFunction(_ name: String, _ fallback: String = "") -> String {
    values[name] ?? fallback
  }
}

let flag = Flags(Array(CommandLine.arguments.dropFirst()))
let setup = try Setup(
  split: flag("split"), music: flag("music"), cache: flag("cache"), more: flag("more"))
let excerpts = try Corpus.excerpts(folder: flag("queries"))
switch flag("do") {
case "count":
  let trainer = Trainer(setup: setup, folder: flag("queries"))
  let initial = try flag("tables").isEmpty ? nil : TableFile.read(flag("tables"))
  let values = try trainer.train(excerpts, from: initial)
  try TableFile.write(values, to: flag("output"))
case "ablate":
  // The tables without each part, in files named after it, beside the whole ones.
  let trainer = Trainer(setup: setup, folder: flag("queries"))
  let initial = try flag("tables").isEmpty ? nil : TableFile.read(flag("tables"))
  let tally = try trainer.counted(excerpts, from: initial)
  try TableFile.write(trainer.tables(tally), to: "\(flag("output"))/whole")
  for part in Ablation.allCases {
    try TableFile.write(
      trainer.tables(tally, without: part), to: "\(flag("output"))/\(part.rawValue)")
  }
case "rank":
  let tables =
    try flag("tables").isEmpty ? .trained : EvidenceTables(values: TableFile.read(flag("tables")))
  try Ranker(
    setup: setup, folder: flag("queries"), tables: tables,
    seconds: Double(flag("seconds", "16")) ?? 16, onlyNegatives: flag("only") == "negatives"
  ).run(
    excerpts.filter { flag("conditions").isEmpty || flag("conditions").contains($0.condition) },
    speeds: flag("speeds", "1") == "1" ? .trueSpeed : .all, output: flag("output"))
case "precision":
  try Precision(setup: setup, folder: flag("queries"), output: flag("output")).run(
    excerpts.filter { !$0.reference.isEmpty })
case "expected":
  try Expectations(setup: setup, folder: flag("queries")).run(
    excerpts.filter { !$0.reference.isEmpty })
case "clarity":
  // How clear each excerpt is after the seconds from which absence may be told.
  try concurrently(excerpts.count) { index in
    let analyzer = try SoundFile.analyzed(
      "\(flag("queries"))/\(excerpts[index].name)", seconds: Absence.seconds)
    print(
      "\(excerpts[index].condition)\t\(Absence.clarity(of: analyzer, seconds: Absence.seconds))\t"
        + excerpts[index].name)
  }
default:
  print("count, ablate, rank, precision, expected or clarity")
}
