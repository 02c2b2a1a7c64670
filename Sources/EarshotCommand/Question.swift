internal import EarshotClient

/// The questions that the program itself asks, in one table; each has one reason (rule A1).
///
/// Whether a program may listen is asked by the daemon alone; these ask about what the person has
/// just commanded.
enum Question {
  /// Reason: consent. Allowing a program by command takes a person (rule C10).
  case allow(requester: String, purpose: String)
  /// Reason: consent. Saving matches is a choice of its own (rule S1).
  case allowSaving(requester: String)
  /// Reason: destructive confirmation. One saved match goes for good.
  case removeMatch(title: String)
  /// Reason: destructive confirmation. Saved matches go for good.
  case eraseMatches(count: Int, requester: String?)
  /// Reason: destructive confirmation. All that is kept of the person goes for good.
  case eraseEverything(isExported: Bool)

  /// The choice that goes ahead.
  static let goAhead = "go-ahead"
  /// The choice that backs out without change.
  static let cancel = "cancel"

  /// What the question looks like to the terminal.
  ///
  /// The backing-out button leads (rule A5).
  func prompt(in language: Language) -> PromptMessage {
    PromptMessage(
      id: "local", capability: "local", title: title, message: message,
      language: language.rawValue,
      buttons: [
        .init(choice: Self.cancel, label: "Cancel"), .init(choice: Self.goAhead, label: action),
      ], secondsLeft: 60)
  }

  /// Whether what is asked cannot be undone; then 'Cancel' has the focus at first (rule S3).
  var isDestructive: Bool {
    switch self {
    case .allow, .allowSaving: false
    case .removeMatch, .eraseMatches, .eraseEverything: true
    }
  }

  private var title: String {
    switch self {
    case .allow(let requester, _): "Allow \(requester) to Use the Microphone?"
    case .allowSaving(let requester): "Allow \(requester) to Save Matches?"
    case .removeMatch: "Remove Saved Match?"
    case .eraseEverything: "Erase Everything That Is Kept?"
    case .eraseMatches(_, nil): "Erase All Saved Matches?"
    case .eraseMatches(_, let requester?): "Erase All Saved by \(requester)?"
    }
  }

  private var message: String {
    switch self {
    case .allow(_, let purpose): purpose
    case .allowSaving:
      "Every match that it finds is kept in your library, until you remove it or withdraw this."
    case .removeMatch(let title): "'\(title)' is removed from your library for good."
    case .eraseEverything(let isExported):
      "Every consent, use, saved match and setting is removed for good. "
        + (isExported ? "The copy that you asked for is written." : "--export FILE keeps a copy.")
    case .eraseMatches(let count, _):
      count == 1
        ? "One saved match is removed for good." : "\(count) saved matches are removed for good."
    }
  }

  private var action: String {
    switch self {
    case .allow, .allowSaving: "Allow"
    case .removeMatch: "Remove"
    case .eraseMatches, .eraseEverything: "Erase"
    }
  }
}
