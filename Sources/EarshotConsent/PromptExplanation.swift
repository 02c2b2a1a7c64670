internal import Foundation

/// What may be shown before a prompt: words and one icon, never markup (rules E1 to E5).
///
/// It has one action, which brings up the prompt; that is not part of the data, because there is no
/// other.
public struct PromptExplanation: Sendable, Hashable {
  /// What the one action is called (rule E2).
  public enum Action: String, Codable, Sendable, Hashable, CaseIterable {
    case `continue`
    case next

    /// The label in a language.
    public func label(in language: PromptLanguage) -> String {
      switch (self, language) {
      case (.continue, .english): "Continue"
      case (.continue, .russian): "Продолжить"
      case (.continue, .simplifiedChinese): "继续"
      case (.continue, .korean): "계속"
      case (.next, .english): "Next"
      case (.next, .russian): "Далее"
      case (.next, .simplifiedChinese): "下一步"
      case (.next, .korean): "다음"
      }
    }
  }

  /// The icons that are shipped.
  public enum Icon: String, Codable, Sendable, Hashable, CaseIterable {
    case microphone
    case ear
    case captions
    case note
  }

  /// One language's words.
  public struct Text: Codable, Sendable, Hashable {
    /// The title.
    public var title: String
    /// One to three sentences, that of rule E1 among them.
    public var sentences: [String]

    /// Words.
    public init(title: String, sentences: [String]) {
      self.title = title
      self.sentences = sentences
    }
  }

  /// The words by language; English is always there.
  public var texts: [PromptLanguage: Text]
  /// The icon, if there is one.
  public var icon: Icon?
  /// The action.
  public var action: Action

  /// An explanation.
  public init(texts: [PromptLanguage: Text], icon: Icon?, action: Action) {
    self.texts = texts
    self.icon = icon
    self.action = action
  }

  /// The most bytes of a file with an explanation.
  public static let bytesMax = 64 * 1024

  /// The shipped sentence that says that a question comes next.
  public static func announcement(in language: PromptLanguage) -> String {
    PurposeWords.shipped[language]?.announcement ?? ""
  }

  /// Reads a file's bytes and refuses whatever breaks a rule, and every key that isn't known.
  public init(parsing bytes: [UInt8]) throws(ExplanationError) {
    guard bytes.count <= Self.bytesMax else { throw .tooLarge(limitBytes: Self.bytesMax) }
    let file: File
    do {
      file = try JSONDecoder().decode(File.self, from: Data(bytes))
    } catch {
      throw .malformed(place: PurposeList.place(of: error))
    }
    guard file.version == 1 else { throw .unreadableVersion(found: file.version, newest: 1) }
    texts = file.texts
    icon = file.icon
    action = file.action
    let findings = ExplanationLint.findings(self)
    guard findings.isEmpty else { throw .refused(findings) }
  }

  private struct File: Decodable {
    var version: Int
    var texts: [PromptLanguage: Text]
    var icon: Icon?
    var action: Action

    private struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }

      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      let known: Set<String> = ["version", "texts", "icon", "action"]
      if let other = values.allKeys.first(where: { !known.contains($0.stringValue) }) {
        throw DecodingError.dataCorruptedError(
          forKey: other, in: values, debugDescription: "only words and one icon may be shown")
      }
      version = try values.decode(Int.self, forKey: Key(stringValue: "version"))
      texts = try values.decode([PromptLanguage: Text].self, forKey: Key(stringValue: "texts"))
      icon = try values.decodeIfPresent(Icon.self, forKey: Key(stringValue: "icon"))
      action = try values.decode(Action.self, forKey: Key(stringValue: "action"))
    }
  }
}

/// The ways a file with an explanation can be wrong.
public enum ExplanationError: Error, Sendable, Hashable {
  /// The file is larger than `limitBytes`.
  case tooLarge(limitBytes: Int)
  /// The bytes aren't JSON of the expected form, or hold a key that isn't known (rule E4); `place`
  /// is the path of keys that it fails at.
  case malformed(place: String)
  /// The file's version is newer than this build.
  case unreadableVersion(found: Int, newest: Int)
  /// Words break rules; each finding names rule and word.
  case refused([ExplanationFinding])
}
