import Testing

@testable import EarshotClient
@testable import EarshotCommand

@Suite("Results for people")
struct ResultTextTests {
  @Test(
    "seconds as a clock",
    arguments: [
      (0.0, "0:00.0"), (62.54, "1:02.5"), (59.96, "1:00.0"), (-3.2, "-0:03.2"), (-0.01, "0:00.0"),
      (3661.0, "1:01:01.0"), (36_000.0, "10:00:00.0"),
    ])
  func clock(seconds: Double, expected: String) {
    #expect(ResultText.clock(seconds) == expected)
  }

  @Test(
    "a probability is never rounded up to certainty, and never above it",
    arguments: [(1.0, "99.9 %"), (0.99999, "99.9 %"), (0.5, "50 %"), (0.0, "0 %")])
  func percent(probability: Double, expected: String) {
    #expect(ResultText.percent(probability) == expected)
  }

  @Test("titles cannot steer the terminal")
  func escaped() {
    let match = MatchedItem(
      id: "i", title: "a\u{1B}[2J", offset: 1, speed: 1.02, confidence: 0.99, coverage: 1)
    #expect(!ResultText.line(match).contains("\u{1B}"))
    #expect(ResultText.line(match).contains("speed 1.02"))
  }

  @Test("one item of two catalogs is told with the catalog's name, and different items without")
  func catalogs() {
    func lines(_ ids: [String]) -> [String] {
      let matches = zip(ids, ["films", "songs"]).map { id, catalog in
        MatchedItem(
          id: id, title: "t", catalog: catalog, offset: 1, speed: nil, confidence: 0.99,
          coverage: 1)
      }
      return ResultText.lines(
        name: nil, outcome: .ambiguous, heard: 2, matches: matches, explanation: nil)
    }
    #expect(
      lines(["a", "a"]).dropFirst() == [
        "  t (a), at 0:01.0, in films, 99 % certain", "  t (a), at 0:01.0, in songs, 99 % certain",
      ])
    #expect(!lines(["a", "b"]).joined().contains("in films"))
  }
}

@Suite("Exit status of a batch")
struct BatchStatusTests {
  @Test("one query has its outcome's own status", arguments: Outcome.allCases)
  func single(outcome: Outcome) {
    #expect(BatchStatus.of([outcome], isStrict: false) == outcome.exitStatus)
  }

  @Test(
    "a batch is 0 when all were answered, 7 when some could not be read, and strict on request",
    arguments: [
      ([Outcome.match, .noMatch], 0, 1), ([.match, .match], 0, 0), ([.match, .error], 7, 2),
      ([.error, .error], 7, 2), ([.match, .noSignal, .tooShort], 0, 4),
      ([.tooShort, .match], 0, 5),
      ([.ambiguous, .noMatch], 0, 3),
    ] as [([Outcome], Int32, Int32)])
  func batch(outcomes: [Outcome], usual: Int32, strict: Int32) {
    #expect(BatchStatus.of(outcomes, isStrict: false) == usual)
    #expect(BatchStatus.of(outcomes, isStrict: true) == strict)
  }

  @Test("the statuses in the manual are those of the outcomes")
  func manual() {
    for outcome in Outcome.allCases {
      #expect(CommandTable.exitStatuses.contains { $0.status == Int(outcome.exitStatus) })
    }
    #expect(CommandTable.exitStatuses.contains { $0.status == Int(Report.wrongCommandLine) })
  }
}

@Suite("Tables for people")
struct TextTableTests {
  @Test("columns fit their widest cell, and nothing trails")
  func columns() {
    var table = TextTable("ID", "NAME")
    #expect(table.lines.isEmpty)
    table.add("12345", "한글")
    table.add("1", "b\u{1B}")
    #expect(table.lines == ["ID     NAME", "12345  한글", "1      b\\x1b"])
  }

  @Test("names are shortened in the middle, moments to what is needed")
  func short() {
    #expect(TextTable.name("earshot") == "earshot")
    #expect(TextTable.name("/usr/lib/some/where/earshot").count == 18)
    #expect(TextTable.time("2026-01-31T07:10:57.842Z") == "2026-01-31 07:10:57Z")
    #expect(TextTable.minute("2026-01-31T07:10:57.842Z") == "2026-01-31 07:10Z")
    #expect(TextTable.minute("then") == "then")
  }
}
