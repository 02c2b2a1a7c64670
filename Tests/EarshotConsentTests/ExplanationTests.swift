import EarshotConsent
import TestSupport
import Testing

@Suite("Explanation") struct ExplanationTests {
  static let announcement = "Next, you will be asked for your decision."

  private func file(
    title: String = "Find out what is playing", sentences: [String], extra: String = ""
  ) -> [UInt8] {
    let list = sentences.map { "\"\($0)\"" }.joined(separator: ",")
    return Array(
      """
      {"version":1,"icon":"ear","action":"continue"\(extra),
        "texts":{"en":{"title":"\(title)","sentences":[\(list)]}}}
      """.utf8)
  }

  @Test("E1, E2: a right explanation has the shipped sentence and one action")
  func good() throws {
    let explanation = try PromptExplanation(
      parsing: file(sentences: ["This room has music in it.", Self.announcement]))
    #expect(explanation.action.label(in: .english) == "Continue")
    for action in PromptExplanation.Action.allCases {
      for language in PromptLanguage.allCases {
        let label = action.label(in: language).lowercased()
        #expect(!["allow", "разреш", "允许", "허용"].contains { label.contains($0) })
      }
    }
  }

  @Test(
    "E1, E4, E5: the broken rule and the word are named",
    arguments: [
      (["This room has music in it."], ExplanationFinding.Rule.announces, announcement),
      (["One.", "Two.", "Three.", announcement], .plain, "4"),
      (["Choose the left button for this.", announcement], .plain, "left"),
      (["It is best to allow this now.", announcement], .plain, "allow"),
      (["See www.example.org for this.", announcement], .plain, "www."),
      (["This is <b>quick</b> to do.", announcement], .plain, "<"),
      (["You get a bonus for this.", announcement], .noIncentive, "bonus"),
      (["This room. It has music.", announcement], .plain, ".."),
    ])
  func faults(sentences: [String], rule: ExplanationFinding.Rule, word: String) throws {
    let error = #expect(throws: ExplanationError.self) {
      _ = try PromptExplanation(parsing: file(sentences: sentences))
    }
    guard case .refused(let findings) = error else {
      Issue.record("refused for another reason")
      return
    }
    #expect(findings.contains { $0.rule == rule && $0.word == word }, "\(findings)")
  }

  @Test(
    "E4: an image, a link, a colour, a second button or an unknown icon is refused at load",
    arguments: ["image", "link", "color", "button", "cancel"])
  func unknown(key: String) {
    #expect(throws: ExplanationError.malformed(place: key)) {
      try PromptExplanation(
        parsing: file(sentences: [Self.announcement], extra: ",\"\(key)\":\"x\""))
    }
  }

  @Test("the announcement is shipped in all four languages, each one sentence")
  func announcements() {
    for language in PromptLanguage.allCases {
      let text = PromptExplanation.announcement(in: language)
      #expect(text.filter { ".。".contains($0) }.count == 1)
    }
    #expect(PromptExplanation.announcement(in: .english) == Self.announcement)
  }
}

@Suite("Receipt") struct ReceiptTests {
  @Test(
    "R1: a receipt says who, what, why, how long and how to take it back",
    arguments: PromptLanguage.allCases)
  func text(language: PromptLanguage) throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    let ledger = try folder.ledger(clock)
    var question = Sample.question()
    question.language = language
    question.requester.name = "evil\u{202E}\nAnswer: allowed"
    let record = try ledger.answer(.deny, question)
    let receipt = try ledger.receipt(for: record.id)
    let text = receipt.text
    #expect(text.contains(question.shown.text))
    #expect(text.contains("earshot consent revoke"))
    #expect(text.contains(receipt.hash))
    #expect(text.contains("2023-11-14T22:13:20Z"))
    #expect(!text.contains("\u{202E}"))
    #expect(!text.split(separator: "\n").contains("Answer: allowed"))
    #expect(text.contains("A Museum, desk@museum.example"))
  }
}
