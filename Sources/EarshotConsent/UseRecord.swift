/// One use of the microphone: the opening record, and the closing one when it is there (rule L8).
public struct UseRecord: Codable, Sendable, Hashable {
  /// The opening's number in the ledger, from 1.
  public var sequence: Int64
  /// What was written before the device was touched.
  public var opening: UseOpening
  /// What was written when the microphone was closed; nil while it is open.
  public var closing: UseClosing?

  enum CodingKeys: String, CodingKey {
    case sequence = "ledger_sequence"
    case opening
    case closing
  }
}

/// What is written and synced before the device is touched (rules C1, L8).
public struct UseOpening: Codable, Sendable, Hashable {
  /// The use's id, which is the opening record's UUID.
  public var id: String
  /// The consent that it rests on.
  public var consent: String
  /// Whose microphone it is.
  public var person: Person
  /// The program that listens.
  public var requester: Requester
  /// The only process that may redeem it.
  public var worker: ProcessIdentity
  /// The source that it may open.
  public var source: String
  /// The longest the microphone may stay open, in milliseconds.
  public var limitMilliseconds: Int
  /// The monotonic instant, in nanoseconds, after which it is worthless.
  public var deadlineNanoseconds: UInt64
  /// Whether the consent lasts longer than once, so that rule L9's hourglass counts it.
  public var isMetered: Bool
  /// When it was written.
  public var time: Moment

  enum CodingKeys: String, CodingKey {
    case id = "record_id"
    case consent
    case person = "pii_principal_id"
    case requester = "party_identification"
    case worker
    case source
    case limitMilliseconds = "limit_milliseconds"
    case deadlineNanoseconds = "deadline_nanoseconds"
    case isMetered = "metered"
    case time = "event_time"
  }
}

/// What is written when the microphone is closed. It holds no title, no sound, nothing computed
/// from sound.
public struct UseClosing: Codable, Sendable, Hashable {
  /// The record's own UUID.
  public var id: String
  /// The opening that it closes.
  public var use: String
  /// Milliseconds that the microphone was open; nil where nobody is left to tell.
  public var milliseconds: Int?
  /// Samples taken at 16 kHz; nil where nobody is left to tell.
  public var samples: Int?
  /// Why it was closed: `decided`, `limit`, `cancelled`, `revoked`, `daemon lost` …
  public var reason: String
  /// The outcome's word, nil where there was none.
  public var outcome: String?
  /// Whether the sound's pages were kept out of swap (rule L5); nil where it isn't known.
  public var isMemoryLocked: Bool?
  /// When it was written.
  public var time: Moment

  enum CodingKeys: String, CodingKey {
    case id = "record_id"
    case use
    case milliseconds
    case samples
    case reason
    case outcome
    case isMemoryLocked = "memory_locked"
    case time = "event_time"
  }
}

/// What a caller knows about a microphone that has been closed.
public struct UseFacts: Sendable, Hashable {
  /// Milliseconds that the microphone was open; nil where it isn't known.
  public var milliseconds: Int?
  /// Samples taken at 16 kHz; nil where it isn't known.
  public var samples: Int?
  /// Why it was closed, as one of the product's reason words.
  public var reason: String
  /// The outcome's word.
  public var outcome: String?
  /// Whether the sound's pages were kept out of swap; nil where it isn't known.
  public var isMemoryLocked: Bool?

  /// The facts of one closing.
  public init(
    milliseconds: Int?, samples: Int?, reason: String, outcome: String?,
    isMemoryLocked: Bool? = nil
  ) {
    self.milliseconds = milliseconds
    self.samples = samples
    self.reason = reason
    self.outcome = outcome
    self.isMemoryLocked = isMemoryLocked
  }
}
