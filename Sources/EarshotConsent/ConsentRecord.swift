/// One answer of a person, as it stands in the ledger (rule R1).
///
/// Fields that ISO/IEC TS 27560 names carry its names in JSON. A record is never changed; what
/// became of it is told by later records.
public struct ConsentRecord: Codable, Sendable, Hashable {
  /// The words that the person read.
  public struct Notice: Codable, Sendable, Hashable {
    /// The title, or the label of the button that was pressed.
    public var title: String
    /// The purpose, exactly as shown.
    public var text: String
    /// The purpose's language.
    public var language: PromptLanguage
    /// SHA-256 of the purpose in hexadecimal.
    public var sha256: String

    /// What was shown.
    public init(title: String, text: String, language: PromptLanguage) {
      self.title = title
      self.text = text
      self.language = language
      sha256 = Digest.hexadecimal(of: Array(text.utf8))
    }
  }

  /// The answer and its circumstances.
  public struct Event: Codable, Sendable, Hashable {
    /// `given` or `refused`.
    public var state: State
    /// When it was answered.
    public var time: Moment
    /// Who answered.
    public var entity: Person
    /// How the answer was given.
    public var means: ConsentDecision.Means
    /// The agent that showed the question.
    public var agent: String

    /// Yes or no.
    public enum State: String, Codable, Sendable, Hashable {
      case given
      case refused
    }

    enum CodingKeys: String, CodingKey {
      case state = "event_state"
      case time = "event_time"
      case entity = "entity_id"
      case means = "event_type"
      case agent
    }
  }

  /// What the consent is for, by name, version and use.
  public struct PurposeReference: Codable, Sendable, Hashable {
    /// The purpose's code.
    public var code: String
    /// The version whose sentence was shown.
    public var version: Int
    /// What the sound is used for.
    public var use: Purpose.Use

    enum CodingKeys: String, CodingKey {
      case code = "purpose"
      case version = "purpose_version"
      case use = "purpose_type"
    }
  }

  /// The form of this record.
  public var schemaVersion: Int
  /// The record's own UUID.
  public var id: String
  /// Whose consent it is.
  public var person: Person
  /// Who is responsible.
  public var controller: Controller
  /// The program, and how it was identified.
  public var requester: Requester
  /// The capability.
  public var capability: Capability
  /// The purpose's code, version and use.
  public var purpose: PurposeReference
  /// What was shown.
  public var notice: Notice
  /// The source's configured name; empty where the capability isn't the microphone.
  public var source: String
  /// How long an allowance lasts; nil for a denial.
  public var scope: ConsentScope?
  /// What has to be known before the microphone closes.
  public var goal: ConsentGoal
  /// The longest the microphone may stay open, in milliseconds.
  public var limitMilliseconds: Int
  /// The kinds of data.
  public var dataKinds: [String]
  /// How long they are kept.
  public var retention: String
  /// Who else gets them: nobody.
  public var recipients: [String]
  /// How to take it back, as shown.
  public var withdrawal: String
  /// The answer.
  public var event: Event

  /// The newest form of a record.
  public static let newestSchemaVersion = 1

  /// Whether the person said yes.
  public var isAllowance: Bool { event.state == .given }

  init(
    id: String, question: ConsentQuestion, decision: ConsentDecision, title: String,
    controller: Controller, time: Moment
  ) {
    let shown = question.shown
    schemaVersion = Self.newestSchemaVersion
    self.id = id
    person = question.requester.person
    self.controller = controller
    requester = question.requester
    capability = question.capability
    purpose = PurposeReference(
      code: question.purpose.code, version: question.purpose.version, use: question.purpose.use)
    notice = Notice(title: title, text: shown.text, language: shown.language)
    source = question.source
    goal = question.goal
    limitMilliseconds = question.limitMilliseconds
    dataKinds = question.dataKinds
    retention = question.retention
    recipients = []
    withdrawal = PromptTexts.withdrawal(question.language)
    let state: Event.State
    switch decision.choice {
    case .allow(let scope): (state, self.scope) = (.given, scope)
    case .deny: (state, self.scope) = (.refused, nil)
    }
    event = Event(
      state: state, time: time, entity: decision.answeredBy, means: decision.means,
      agent: decision.agent)
  }

  enum CodingKeys: String, CodingKey {
    case schemaVersion = "schema_version"
    case id = "record_id"
    case person = "pii_principal_id"
    case controller = "pii_controller"
    case requester = "party_identification"
    case capability
    case purpose = "purposes"
    case notice = "privacy_notice"
    case source
    case scope
    case goal
    case limitMilliseconds = "limit_milliseconds"
    case dataKinds = "pii_type"
    case retention = "retention_period"
    case recipients = "recipients_third_parties"
    case withdrawal = "withdrawal_method"
    case event
  }
}
