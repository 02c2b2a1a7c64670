/// Everything that one consent covers, and that has to be equal for it to hold (rule C13).
public struct ConsentQuestion: Sendable, Hashable {
  /// Who asks.
  public var requester: Requester
  /// For what.
  public var capability: Capability
  /// Why, in all its languages.
  public var purpose: Purpose
  /// The language that the person is asked in.
  public var language: PromptLanguage
  /// The source's configured name; empty where the capability isn't the microphone.
  public var source: String
  /// What has to be known before the microphone closes.
  public var goal: ConsentGoal
  /// The longest the microphone may stay open, in milliseconds, at most `limitMillisecondsMax`.
  public var limitMilliseconds: Int
  /// What kinds of data are taken.
  public var dataKinds: [String]
  /// How long they are kept.
  public var retention: String
  /// The requester's session, which a 'while open' consent is bound to; nil where there is none.
  public var session: String?
  /// Whether the session is one of captions, so that 'Allow While Captions Are On' can be answered
  /// and is bound to it (rule B7).
  public var isForCaptions = false

  /// The longest limit that may be asked for, whoever asks (rule L9).
  public static let limitMillisecondsMax = 30_000

  /// A question about listening.
  public static func microphone(
    requester: Requester, purpose: Purpose, language: PromptLanguage, source: String,
    goal: ConsentGoal, limitMilliseconds: Int, session: String? = nil
  ) -> ConsentQuestion {
    ConsentQuestion(
      requester: requester, capability: .microphone, purpose: purpose, language: language,
      source: source, goal: goal, limitMilliseconds: limitMilliseconds,
      dataKinds: ["sound"], retention: "in memory, until the answer", session: session)
  }

  /// A question about keeping matches.
  public static func library(
    requester: Requester, purpose: Purpose, language: PromptLanguage, session: String? = nil
  ) -> ConsentQuestion {
    ConsentQuestion(
      requester: requester, capability: .library, purpose: purpose, language: language,
      source: "", goal: .none, limitMilliseconds: 0, dataKinds: ["match"],
      retention: "in the library, until removed", session: session)
  }

  /// The text that the person reads below the title, and its language.
  public var shown: (text: String, language: PromptLanguage) { purpose.sentence(in: language) }
}
