import EarshotCatalog
import EarshotMatch
import Foundation

let switches: Set = ["--confirm", "--verbose"]
var flags: [String: String] = [:]
var rest = CommandLine.arguments.dropFirst().makeIterator()
while let name = rest.next() { flags[name] = switches.contains(name) ? "" : rest.next() ?? "" }
guard let path = flags["--catalog"], let sound = flags["--sound"] else {
  FileHandle.standardError.write(
    Data("usage: earshot-follow --catalog FILE --sound FILE [--item ID] [--speed S]\n".utf8))
  exit(64)
}

@MainActor func number(_ flag: String, _ usual: Double) -> Double {
  Double(flags[flag] ?? "") ?? usual
}

let catalog = try Catalog(path: path)
let run = Run(
  sound: try Sound(path: sound), space: try SearchSpace([catalog]), catalog: catalog,
  item: flags["--item"] ?? "film", speed: number("--speed", 1), check: number("--check", 60),
  isVerbose: flags["--verbose"] != nil)
if let step = flags["--probe"] {
  let probe = Probe(
    run: run, within: number("--within", 2), confirmsOnly: flags["--confirm"] != nil,
    limit: number("--limit", 2), wrongCount: Int(number("--wrong", 8)))
  try probe.probe(step: Double(step) ?? 5)
  exit(0)
}
if let step = flags["--find"] {
  let find = Find(run: run, limit: number("--limit", 12))
  try find.find(step: Double(step) ?? 5, until: number("--until", .infinity))
  exit(0)
}
let seconds = number("--minutes", 30) * 60
let starts = max(1, Int(number("--starts", 1)))
var isSparing = true
for index in 0..<starts {
  let room = max(0, run.sound.seconds - seconds - 15)
  let start = number("--from", 0.5) + room * Double(index) / Double(max(1, starts - 1))
  let result = try run.follow(from: start, seconds: seconds)
  print(result.line(from: start))
  isSparing = isSparing && result.openShare < Run.openShareMax
}
exit(isSparing ? 0 : 1)
