import Foundation
import Testing

/// Sound that several items share, from outside.
@Suite("Shared passages at the command line", .serialized)
struct SharedPassageTests {
  private static func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").filter { $0.first == "{" }.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  @Test(
    "O-17: found when a catalog is written, left for later when asked, kept right by every edit")
  func edits() throws {
    let person = try PersonalFolder()
    let intro = TuneFile.samples(seed: 40, seconds: 12)
    for number in 1...4 {
      try TuneFile.write(
        intro + TuneFile.samples(seed: UInt64(40 + number), seconds: 12),
        to: person.path + "/ep\(number).wav")
    }
    try TuneFile.write(
      Array(intro[(TuneFile.rate * 3)..<(TuneFile.rate * 8)]), to: person.path + "/q.wav")
    let ended = try person.run(
      """
      earshot catalog create -o a.earshot --drop-copies ep1.wav ep2.wav ep3.wav
      earshot catalog create -o b.earshot --no-passages ep1.wav ep2.wav ep3.wav
      earshot catalog info --json a.earshot; earshot catalog info --json b.earshot
      earshot catalog info b.earshot | grep passages | tr '{' '('
      earshot catalog update b.earshot; earshot catalog info --json b.earshot
      earshot catalog add b.earshot ep4.wav; earshot catalog info --json b.earshot
      earshot match -c b.earshot --json q.wav
      earshot catalog remove b.earshot ep2.wav ep3.wav; earshot catalog info --json b.earshot
      earshot match -c b.earshot --json q.wav
      earshot catalog remove b.earshot ep1.wav; earshot catalog info --json b.earshot
      earshot match -c b.earshot --json q.wav
      earshot catalog merge -o c.earshot a.earshot b.earshot; earshot catalog info --json c.earshot
      earshot catalog duplicates --json c.earshot; earshot catalog verify c.earshot
      """)
    let objects = try Self.objects(ended.output)
    let counts = objects.filter { $0["sections"] != nil }.map { $0["passages"] as? Int }
    #expect(counts == [3, nil, 3, 6, 1, 0, 6], "\(ended.output)")
    #expect(ended.output.contains("not looked for"))
    let answers = objects.filter { $0["outcome"] != nil }
    let found = answers.map { answer in
      (answer["matches"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }.sorted()
    }
    #expect(answers.map { $0["outcome"] as? String } == ["ambiguous", "ambiguous", "match"])
    #expect(
      found == [
        ["ep1.wav", "ep2.wav", "ep3.wav", "ep4.wav"], ["ep1.wav", "ep4.wav"], ["ep4.wav"],
      ], "\(ended.output)")
    let duplicates = objects.filter { $0["duplicates"] != nil }
    #expect(duplicates.count == 6)
    #expect(
      duplicates.allSatisfy { abs(($0["seconds"] as? Double ?? 0) - 12) < 1 }, "\(ended.output)")
  }
}
