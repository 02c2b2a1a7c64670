/// A question as the daemon words it: title, purpose and buttons (rule C5).
public struct Prompt: Sendable, Hashable {
  /// What a button stands for; the raw values are those of the wire.
  public enum Choice: String, Codable, Sendable, Hashable, CaseIterable {
    case allowOnce = "allow-once"
    case allowWhileOpen = "allow-open"
    case allowWhileCaptions = "allow-captions"
    case deny
    case save
    case notNow = "not-now"
    case neverSave = "never-save"
  }

  /// One button.
  public struct Button: Sendable, Hashable {
    /// What it stands for.
    public var choice: Choice
    /// The outcome's name, in the prompt's language.
    public var label: String
  }

  /// What the question is about.
  public let capability: Capability
  /// The requester's name and the capability, in one sentence.
  public let title: String
  /// The purpose.
  public let message: String
  /// The language of the title, the buttons and, where it is translated, the purpose.
  public let language: PromptLanguage
  /// The buttons as they are stacked: the one that backs out comes last (rule A5).
  public let buttons: [Button]

  /// Seconds after which a prompt without an answer is dismissed (rule C7).
  public static let secondsMax = 60

  /// Words the question with the buttons for `choices`, which must fit the capability.
  public init(for question: ConsentQuestion, offering choices: [Choice]? = nil) {
    let language = question.language
    capability = question.capability
    self.language = language
    title = PromptTexts.title(
      language, question.capability, name: DisplayName.shown(question.requester.name))
    message = question.shown.text
    let offered = choices ?? Self.usualChoices(question)
    precondition(
      offered.allSatisfy { Self.choices(of: question.capability).contains($0) },
      "a prompt asks about one capability")
    buttons = offered.map { Button(choice: $0, label: PromptTexts.label(language, $0)) }
  }

  /// The answer that a choice stands for, or nil where it leaves none ('Not Now').
  ///
  /// `session` is the one that 'While Open' and 'While Captions Are On' are bound to; without one
  /// the allowance is for once.
  public static func answer(for choice: Choice, session: String?) -> ConsentDecision.Choice? {
    switch choice {
    case .allowOnce, .save: .allow(.once)
    case .allowWhileOpen: .allow(session.map { .whileOpen(session: $0) } ?? .once)
    case .allowWhileCaptions: .allow(session.map { .whileCaptions(session: $0) } ?? .once)
    case .deny, .neverSave: .deny
    case .notNow: nil
    }
  }

  private static func choices(of capability: Capability) -> Set<Choice> {
    switch capability {
    case .microphone: [.allowOnce, .allowWhileOpen, .allowWhileCaptions, .deny]
    case .library: [.save, .notNow, .neverSave]
    }
  }

  private static func usualChoices(_ question: ConsentQuestion) -> [Choice] {
    switch question.capability {
    case .microphone where question.session == nil: [.allowOnce, .deny]
    case .microphone:
      [.allowOnce, question.isForCaptions ? .allowWhileCaptions : .allowWhileOpen, .deny]
    case .library: [.save, .neverSave, .notNow]
    }
  }
}
