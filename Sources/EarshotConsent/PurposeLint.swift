/// One thing that is wrong with a purpose, with the rule and the word that it rests on.
public struct PurposeFinding: Codable, Sendable, Hashable {
  /// The rules of a purpose sentence, and that of its translations.
  public enum Rule: String, Codable, Sendable, Hashable, CaseIterable {
    /// One complete sentence, with sentence-style capitals and the language's full stop.
    case oneSentence = "P1"
    /// Short enough for two lines.
    case short = "P2"
    /// Says what the sound is used for.
    case saysUse = "P3"
    /// Doesn't name the program.
    case namesNoProgram = "P4"
    /// Polite and plain.
    case plain = "P5"
    /// Active voice.
    case active = "P6"
    /// No incentive.
    case noIncentive = "P7"
    /// Every shipped language has its sentence; where one is missing, English is shown.
    case translated = "C12"
    /// The code is made of lower-case letters, digits and hyphens, and there once.
    case code
  }

  /// The purpose's code.
  public var code: String
  /// The sentence's language; nil where the finding is about the whole purpose.
  public var language: PromptLanguage?
  /// The rule.
  public var rule: Rule
  /// The word, mark or count that breaks it.
  public var word: String

  /// A finding.
  public init(code: String, language: PromptLanguage?, rule: Rule, word: String) {
    self.code = code
    self.language = language
    self.rule = rule
    self.word = word
  }

  /// Whether a file with this finding is refused at load.
  public var isFatal: Bool { rule != .translated }
}

/// Checks purposes by the rules P1 to P7, with closed word lists for the four languages.
public enum PurposeLint {
  /// All that is wrong with a purpose; empty for a right one.
  ///
  /// `programNames` are names that the sentence may not hold, apart from the product's own.
  public static func findings(_ purpose: Purpose, programNames: [String] = []) -> [PurposeFinding] {
    var findings = [PurposeFinding]()
    let allowed = "abcdefghijklmnopqrstuvwxyz0123456789-"
    if purpose.code.isEmpty || purpose.code.count > 40 || !purpose.code.allSatisfy(allowed.contains)
    {
      findings.append(
        PurposeFinding(code: purpose.code, language: nil, rule: .code, word: purpose.code))
    }
    for language in PromptLanguage.allCases {
      guard let sentence = purpose.sentences[language], let words = PurposeWords.shipped[language]
      else {
        // English is what the others fall back to, so a purpose without it can't be shown at all.
        let rule: PurposeFinding.Rule = language == .english ? .oneSentence : .translated
        findings.append(
          PurposeFinding(
            code: purpose.code, language: language, rule: rule, word: language.rawValue))
        continue
      }
      let names = programNames + ["Earshot"]
      for (rule, word) in faults(sentence, purpose.use, words, names) {
        findings.append(
          PurposeFinding(code: purpose.code, language: language, rule: rule, word: word))
      }
    }
    return findings
  }

  private static func faults(
    _ sentence: String, _ use: Purpose.Use, _ words: PurposeWords, _ names: [String]
  ) -> [(PurposeFinding.Rule, String)] {
    var faults = [(PurposeFinding.Rule, String)]()
    if let mark = sentenceFault(sentence, words) { faults.append((.oneSentence, mark)) }
    if sentence.count > words.charactersMax { faults.append((.short, "\(sentence.count)")) }
    if words.first(of: words.uses[use] ?? [], in: sentence) == nil {
      faults.append((.saysUse, use.rawValue))
    }
    if let name = names.first(where: {
      !$0.isEmpty && sentence.lowercased().contains($0.lowercased())
    }) {
      faults.append((.namesNoProgram, name))
    }
    if let mark = sentence.first(where: { "!！".contains($0) }) {
      faults.append((.plain, String(mark)))
    } else if let word = words.first(of: words.pressure + words.jargon, in: sentence) {
      faults.append((.plain, word))
    }
    if let passive = words.passive(in: sentence) { faults.append((.active, passive)) }
    if let word = words.first(of: words.incentives, in: sentence) {
      faults.append((.noIncentive, word))
    }
    return faults
  }

  /// What keeps a text from being one complete sentence in sentence-style capitals.
  private static func sentenceFault(_ sentence: String, _ words: PurposeWords) -> String? {
    guard sentence.hasSuffix(words.fullStop) else { return sentence.last.map(String.init) ?? "" }
    let body = sentence.dropLast(words.fullStop.count)
    if DisplayName.hidesText(sentence) { return "invisible character" }
    if body.contains("  ") || sentence.first == " " { return "space" }
    // A mark that ends a sentence inside makes it two; one between digits is a decimal point.
    let inner = Array(body)
    for (index, mark) in inner.enumerated() where ".!?。！？…".contains(mark) {
      let isDecimal =
        mark == "." && index > 0 && index + 1 < inner.count && inner[index - 1].isNumber
        && inner[index + 1].isNumber
      if !isDecimal { return String(mark) }
    }
    guard words.separatesWords else { return body.count < 6 ? String(body) : nil }
    let parts = PurposeWords.words(of: String(body))
    guard parts.count >= 3 else { return String(body) }
    guard let first = sentence.first, first.isUppercase || first.isNumber else {
      return String(sentence.prefix(1))
    }
    let long = parts.dropFirst().filter { $0.count > 3 }
    if long.count > 1, long.allSatisfy({ $0.first?.isUppercase == true }) { return "capitals" }
    return parts.first { $0.count > 3 && $0 == $0.uppercased() && $0.contains { $0.isLetter } }
      .map(String.init)
  }
}
