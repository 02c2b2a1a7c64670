import Testing

@testable import EarshotCommand

@Suite("Suggestions")
struct SpellingTests {
  @Test(
    "counts insertions, deletions, replacements and swaps",
    arguments: [
      ("", "", 0), ("a", "", 1), ("match", "match", 0), ("macth", "match", 1), ("mtch", "match", 1),
      ("matchh", "match", 1), ("kitten", "sitting", 3),
    ])
  func distance(left: String, right: String, expected: Int) {
    #expect(Spelling.distance(left, right) == expected)
    #expect(Spelling.distance(right, left) == expected)
  }

  @Test("names what is near, completes a beginning, and is silent about what is far")
  func nearest() {
    #expect(Spelling.nearest(to: "lisen", among: ["listen", "match"]) == "listen")
    #expect(Spelling.nearest(to: "cat", among: ["listen", "catalog"]) == "catalog")
    #expect(Spelling.nearest(to: "xyz", among: ["listen", "match"]) == nil)
  }
}
