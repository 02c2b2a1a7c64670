/// One thing that is wrong with an explanation, with the rule and the word that it rests on.
public struct ExplanationFinding: Codable, Sendable, Hashable {
  /// The rules that words can break.
  public enum Rule: String, Codable, Sendable, Hashable, CaseIterable {
    /// Says that the person's decision comes next.
    case announces = "E1"
    /// Words only, few of them, and none that imitate the prompt or point at it.
    case plain = "E4"
    /// No incentive.
    case noIncentive = "E5"
  }

  /// The words' language.
  public var language: PromptLanguage
  /// The rule.
  public var rule: Rule
  /// The word, mark or count that breaks it.
  public var word: String

  /// A finding.
  public init(language: PromptLanguage, rule: Rule, word: String) {
    self.language = language
    self.rule = rule
    self.word = word
  }
}

/// Checks an explanation's words by the rules E1, E4 and E5; its form allows nothing else.
public enum ExplanationLint {
  /// The most sentences, that of rule E1 among them.
  public static let sentencesMax = 3
  /// The most characters of the title.
  public static let titleCharactersMax = 60

  /// All that is wrong; empty for a right explanation.
  public static func findings(_ explanation: PromptExplanation) -> [ExplanationFinding] {
    var findings = [ExplanationFinding]()
    if explanation.texts[.english] == nil {
      findings.append(ExplanationFinding(language: .english, rule: .announces, word: "en"))
    }
    for language in PromptLanguage.allCases {
      guard let text = explanation.texts[language], let words = PurposeWords.shipped[language]
      else { continue }
      findings += faults(text, words).map {
        ExplanationFinding(language: language, rule: $0, word: $1)
      }
    }
    return findings
  }

  private static func faults(_ text: PromptExplanation.Text, _ words: PurposeWords)
    -> [(ExplanationFinding.Rule, String)]
  {
    var faults = [(ExplanationFinding.Rule, String)]()
    if !text.sentences.contains(words.announcement) {
      faults.append((.announces, words.announcement))
    }
    if text.sentences.count > sentencesMax { faults.append((.plain, "\(text.sentences.count)")) }
    if text.title.isEmpty || text.title.count > titleCharactersMax {
      faults.append((.plain, "\(text.title.count)"))
    }
    // The shipped sentence is right by itself; only what the deployer wrote is looked at.
    for sentence in [text.title] + text.sentences where sentence != words.announcement {
      if sentence != text.title {
        let marks = sentence.filter { ".!?。！？".contains($0) }
        if marks.count != 1 || sentence.count > words.charactersMax {
          faults.append((.plain, marks.count != 1 ? String(marks) : "\(sentence.count)"))
        }
      }
      if DisplayName.hidesText(sentence) { faults.append((.plain, "invisible character")) }
      if let mark = ["<", ">", "://", "www.", "&#"].first(where: sentence.lowercased().contains) {
        faults.append((.plain, mark))
      }
      if let word = words.first(of: words.promptWords + words.pointing, in: sentence) {
        faults.append((.plain, word))
      }
      if let word = words.first(of: words.incentives, in: sentence) {
        faults.append((.noIncentive, word))
      }
    }
    return faults
  }
}
