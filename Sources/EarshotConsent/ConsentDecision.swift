/// A person's answer to a prompt, or a choice that they made in settings.
public struct ConsentDecision: Sendable, Hashable {
  /// Yes or no.
  public enum Choice: Sendable, Hashable {
    /// Yes, for so long.
    case allow(ConsentScope)
    /// No, until the person changes it.
    case deny
  }

  /// How the answer was given.
  public enum Means: String, Codable, Sendable, Hashable {
    /// On a prompt, shown by an agent.
    case prompt
    /// By a press on an agent's own button, whose label is the shown text (rule B2).
    case press
    /// On the controlling terminal, from its foreground group.
    case terminal
    /// In an agent's settings.
    case settings
    /// By a command that the administrator's file permits (rule C10).
    case command = "by command"
  }

  /// Yes or no.
  public var choice: Choice
  /// How the answer was given.
  public var means: Means
  /// The agent that showed the question: `terminal`, `kiosk`, `desktop` or an executable's path.
  public var agent: String
  /// Who answered: the person's own identifier, or that of the administrator.
  public var answeredBy: Person

  /// An answer.
  public init(choice: Choice, means: Means, agent: String, answeredBy: Person) {
    self.choice = choice
    self.means = means
    self.agent = agent
    self.answeredBy = answeredBy
  }
}

/// Who is responsible for what is done with the sound, as every record names them (rule R1).
public struct Controller: Codable, Sendable, Hashable {
  /// The person's or organisation's name.
  public var name: String
  /// How to reach them.
  public var contact: String

  /// A controller.
  public init(name: String, contact: String) {
    self.name = name
    self.contact = contact
  }

  enum CodingKeys: String, CodingKey {
    case name = "party_name"
    case contact = "party_contact"
  }
}
