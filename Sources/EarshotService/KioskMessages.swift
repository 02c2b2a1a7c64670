internal import EarshotClient
internal import EarshotConsent

/// What the page is set up with, `GET /v1/kiosk`.
struct KioskSetupMessage: Encodable, Sendable, Hashable {
  struct Button: Encodable, Sendable, Hashable {
    var label: [String: String]
    var icon: String
    /// Whether it grants nothing, because it can't be read (rule B6).
    var isFaulty: Bool
  }

  struct ExplanationMessage: Encodable, Sendable, Hashable {
    struct Text: Encodable, Sendable, Hashable {
      var title: String
      var sentences: [String]
      var action: String
    }

    var icon: String?
    var texts: [String: Text]
  }

  var name: String
  var responsible: String
  var contact: String
  var language: String
  var limit: Double
  var page: String
  var button: Button
  var explanation: ExplanationMessage?
  var purpose: [String: String]
  /// What the product says of itself (rule T1), in every language.
  var privacyLabel: [String: [PrivacyLabel.Section]]

  init(_ kiosk: Kiosk, limit: Double, configuration: Configuration, paths: ServicePaths) {
    let setup = kiosk.setup
    let languages = PromptLanguage.allCases
    let byLanguage = { (text: (PromptLanguage) -> String) in
      Dictionary(uniqueKeysWithValues: languages.map { ($0.rawValue, text($0)) })
    }
    name = DisplayName.shown(setup.name)
    responsible = setup.controller.name
    contact = setup.controller.contact
    language = setup.settings.language.rawValue
    self.limit = limit
    page = setup.theme.page.rawValue
    button = Button(
      label: byLanguage { setup.theme.label.text(in: $0) }, icon: setup.theme.icon.rawValue,
      isFaulty: !setup.theme.faults.isEmpty)
    purpose = byLanguage { setup.purpose.sentence(in: $0).text }
    privacyLabel = Dictionary(
      uniqueKeysWithValues: languages.map { language in
        let label = PrivacyLabel(configuration: configuration, paths: paths, language: language)
        return (language.rawValue, label.sections)
      })
    explanation = setup.explanation.map { explanation in
      var texts: [String: ExplanationMessage.Text] = [:]
      for language in languages {
        guard let text = explanation.texts[language] ?? explanation.texts[.english] else {
          continue
        }
        texts[language.rawValue] = ExplanationMessage.Text(
          title: text.title, sentences: text.sentences,
          action: explanation.action.label(in: language))
      }
      return ExplanationMessage(icon: explanation.icon?.rawValue, texts: texts)
    }
  }
}

/// The visitor's own, `GET /v1/visit`.
struct VisitMessage: Encodable, Sendable, Hashable {
  /// What the visitor decided, or has not yet.
  struct Choice: Encodable, Sendable, Hashable {
    var capability: String
    /// `ask`, `allow` or `deny`.
    var choice: String
    /// The purpose, in every language.
    var purpose: [String: String]
  }

  /// One use of the microphone.
  struct Use: Encodable, Sendable, Hashable {
    var opened: Int64
    var milliseconds: Int?
    var outcome: String?
  }

  struct Saved: Encodable, Sendable, Hashable {
    var id: String
    var title: String
    var artist: String?
  }

  var requester: String
  /// `undetermined`, `denied`, `allowed` or `restricted`.
  var status: String
  /// Whether an explanation comes before the next prompt (rule E3).
  var explains: Bool
  var choices: [Choice]
  var uses: [Use]
  var saved: [Saved]
}
