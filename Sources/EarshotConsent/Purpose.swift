/// Why sound is wanted, in one sentence a language.
public struct Purpose: Codable, Sendable, Hashable {
  /// What the sound is used for, from the closed list of rule P3.
  public enum Use: String, Codable, CodingKeyRepresentable, Sendable, Hashable, CaseIterable {
    /// To tell what is playing.
    case identify
    /// To show captions in time.
    case captions
    /// To keep a match that was found.
    case save
    /// To show what belongs to an exhibit or a passage.
    case guide
  }

  /// The name that requests use: lower-case letters, digits and hyphens.
  public var code: String
  /// Counts up whenever a sentence changes; consents hold for one version (rule C13).
  public var version: Int
  /// What the sound is used for.
  public var use: Use
  /// The sentence by language; English is always there.
  public var sentences: [PromptLanguage: String]

  /// A purpose with its sentences.
  public init(code: String, version: Int, use: Use, sentences: [PromptLanguage: String]) {
    self.code = code
    self.version = version
    self.use = use
    self.sentences = sentences
  }

  /// The sentence in a language, or the English one where it isn't translated (rule C12).
  public func sentence(in language: PromptLanguage) -> (text: String, language: PromptLanguage) {
    if let text = sentences[language] { return (text, language) }
    return (sentences[.english] ?? "", .english)
  }

  /// Whether a shown text is this version's sentence in any language, by its SHA-256.
  func contains(textSHA256: String) -> Bool {
    sentences.values.contains { Digest.hexadecimal(of: Array($0.utf8)) == textSHA256 }
  }
}
