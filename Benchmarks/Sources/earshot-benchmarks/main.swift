import Foundation

/// Ends with a sentence on standard error.
func fail(_ text: String, status: Int32) -> Never {
  FileHandle.standardError.write(Data("earshot-benchmarks: \(text)\n".utf8))
  exit(status)
}

let words = Array(CommandLine.arguments.dropFirst())
let here = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
do {
  switch words.first {
  case "create" where words.count >= 3:
    try CreateBenchmark(
      earshot: words[1], baseline: "\(here)/baseline", files: Array(words.dropFirst(2))
    ).run()
  case "match" where words.count == 4:
    try MatchBenchmark(
      earshot: words[1], baseline: "\(here)/baseline", catalog: words[2], query: words[3]
    ).run()
  default:
    fail(
      "usage: earshot-benchmarks create EARSHOT SOUND-FILE... | match EARSHOT CATALOG QUERY",
      status: 64)
  }
} catch {
  fail("\(error)", status: 2)
}
