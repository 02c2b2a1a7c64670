import Foundation

/// Ends with a sentence on standard error.
func fail(_ text: String, status: Int32) -> Never {
  FileHandle.standardError.write(Data("earshot-benchmarks: \(text)\n".utf8))
  exit(status)
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 3, words[0] == "create" else {
  fail("usage: earshot-benchmarks create EARSHOT SOUND-FILE...", status: 64)
}
let here = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
do {
  try CreateBenchmark(
    earshot: words[1], baseline: "\(here)/baseline", files: Array(words.dropFirst(2))
  ).run()
} catch {
  fail("\(error)", status: 2)
}
