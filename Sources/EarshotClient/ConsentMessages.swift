/// One consent as the person sees it, in the answers of `GET /v1/consents…`.
public struct ConsentMessage: Codable, Sendable, Hashable {
  /// The record's id.
  public var id: String
  /// `microphone` or `library`.
  public var capability: String
  /// Whom it was given to or refused.
  public var requester: RequesterMessage
  /// The purpose's code.
  public var purpose: String
  /// The sentence that was shown, as it was shown.
  public var text: String
  /// The sentence's language.
  public var language: String
  /// The name of the source that it covers.
  public var source: String
  /// What may be asked: `identify` or `place`.
  public var scope: String
  /// The longest listening that it covers, in seconds.
  public var limit: Double
  /// The decision: `allow-once`, `allow-open`, `allow-until`, `allow`, `deny`, `ask-again`.
  public var decision: String
  /// What it stands for now: `allowed`, `denied`, `spent`, `withdrawn`, `expired`.
  public var standing: String
  /// Where it was answered: `terminal`, `page`, `desktop`, `command`.
  public var agent: String
  /// Whether it was granted by command (rule C10).
  public var isByCommand: Bool
  /// When it was decided: UTC, ISO 8601.
  public var decided: String
  /// When it ends: UTC, ISO 8601; nil where no time was set.
  public var until: String?

  /// Makes one of its fields.
  public init(
    id: String, capability: String, requester: RequesterMessage, purpose: String, text: String,
    language: String, source: String, scope: String, limit: Double, decision: String,
    standing: String, agent: String, isByCommand: Bool, decided: String, until: String?
  ) {
    self.id = id
    self.capability = capability
    self.requester = requester
    self.purpose = purpose
    self.text = text
    self.language = language
    self.source = source
    self.scope = scope
    self.limit = limit
    self.decision = decision
    self.standing = standing
    self.agent = agent
    self.isByCommand = isByCommand
    self.decided = decided
    self.until = until
  }
}

/// How a listed executable knows that a person decided (rule C10).
public enum Confirmation: String, Codable, Sendable, Hashable {
  /// The person answered on the controlling terminal, from its foreground group.
  case terminal
  /// Nobody was asked: refused unless the administrator's file permits it, and recorded as such.
  case command
}

/// What `POST /v1/consents` takes: a consent that no prompt brought up.
public struct GrantRequest: Codable, Sendable, Hashable {
  /// The path of the executable that is to be allowed or denied; nil means the asking one.
  public var executable: String?
  /// The purpose's code.
  public var purpose: String
  /// `allow-once`, `allow-until`, `allow`, `deny`.
  public var decision: String
  /// How long `allow-until` lasts, in seconds.
  public var seconds: Double?
  /// What may be asked.
  public var goal: ListenRequest.Goal
  /// The longest listening, in seconds, at most 30.
  public var limit: Double
  /// The name of the source; nil means the configured default.
  public var source: String?
  /// The language of the purpose's sentence that the person read.
  public var language: String?
  /// How the person decided.
  public var confirmation: Confirmation

  /// Makes one of its fields.
  public init(
    executable: String? = nil, purpose: String = "identify", decision: String = "allow",
    seconds: Double? = nil, goal: ListenRequest.Goal = .identify, limit: Double = 12,
    source: String? = nil, language: String? = nil, confirmation: Confirmation
  ) {
    self.executable = executable
    self.purpose = purpose
    self.decision = decision
    self.seconds = seconds
    self.goal = goal
    self.limit = limit
    self.source = source
    self.language = language
    self.confirmation = confirmation
  }
}

/// What `POST /v1/consents/{id}/decision` takes: the person changes a choice (rule R5).
public struct DecisionRequest: Codable, Sendable, Hashable {
  /// `revoke` (ask again next time), `deny`, `allow`.
  public var decision: String
  /// How the person decided; withdrawing and denying need no confirmation at all.
  public var confirmation: Confirmation

  /// Makes one of its fields.
  public init(decision: String, confirmation: Confirmation) {
    self.decision = decision
    self.confirmation = confirmation
  }
}

/// One use of the microphone, opening and closing as one entry (rule L8), of `GET /v1/uses`.
public struct UseMessage: Codable, Sendable, Hashable {
  /// The use's id.
  public var id: String
  /// The consent that it rested on.
  public var consent: String
  /// The requester's name.
  public var requester: String
  /// The worker's process.
  public var process: Int32
  /// When it was opened: UTC, ISO 8601.
  public var opened: String
  /// When it was closed: UTC, ISO 8601; nil while it is open.
  public var closed: String?
  /// How long the microphone was open, in milliseconds.
  public var milliseconds: Double?
  /// How many samples were taken, at 16 kHz.
  public var samples: Int?
  /// Why it was closed.
  public var reason: String?
  /// The kind of the outcome; never its title.
  public var outcome: String?

  /// Makes one of its fields.
  public init(
    id: String, consent: String, requester: String, process: Int32, opened: String,
    closed: String?, milliseconds: Double?, samples: Int?, reason: String?, outcome: String?
  ) {
    self.id = id
    self.consent = consent
    self.requester = requester
    self.process = process
    self.opened = opened
    self.closed = closed
    self.milliseconds = milliseconds
    self.samples = samples
    self.reason = reason
    self.outcome = outcome
  }
}

/// One record of the ledger as it stands in the chain, of `GET /v1/ledger`.
public struct LedgerRecordMessage: Codable, Sendable, Hashable {
  /// The place in the chain, from 1.
  public var sequence: Int64
  /// What it records: `consent`, `withdrawal`, `opening`, `closing`, `checkpoint`.
  public var kind: String
  /// SHA-256 of the record and the hash before, in hexadecimal.
  public var hash: String
  /// The record's JSON, byte for byte as it was hashed.
  public var record: String

  /// Makes one of its fields.
  public init(sequence: Int64, kind: String, hash: String, record: String) {
    self.sequence = sequence
    self.kind = kind
    self.hash = hash
    self.record = record
  }
}

/// The answer of `GET /v1/ledger/verify` (rule R3).
public struct LedgerVerificationMessage: Codable, Sendable, Hashable {
  /// The version of this message's form.
  public var version: Int = 1
  /// Whether every record fits the chain and the head.
  public var isIntact: Bool
  /// How many records were read.
  public var records: Int64
  /// The newest hash, in hexadecimal.
  public var head: String
  /// The place of the first bad record.
  public var firstBad: Int64?
  /// What is wrong.
  public var problem: Explanation?

  /// Makes one of its fields.
  public init(
    isIntact: Bool, records: Int64, head: String, firstBad: Int64?, problem: Explanation?
  ) {
    self.isIntact = isIntact
    self.records = records
    self.head = head
    self.firstBad = firstBad
    self.problem = problem
  }
}

/// One saved match, of `GET /v1/library` (rule S3).
public struct LibraryEntryMessage: Codable, Sendable, Hashable {
  /// The entry's id, which `DELETE /v1/library/{id}` takes.
  public var id: String
  /// The item's id in its catalog.
  public var item: String
  /// The title.
  public var title: String
  /// The artist, where there is one.
  public var artist: String?
  /// The catalog's name.
  public var catalog: String?
  /// The requester that saved it.
  public var requester: String
  /// When it was saved, or saved again: UTC, ISO 8601.
  public var saved: String

  /// Makes one of its fields.
  public init(
    id: String, item: String, title: String, artist: String?, catalog: String?,
    requester: String, saved: String
  ) {
    self.id = id
    self.item = item
    self.title = title
    self.artist = artist
    self.catalog = catalog
    self.requester = requester
    self.saved = saved
  }
}

/// What `POST /v1/library/consent` takes: whether a requester's matches are saved (rule S1).
public struct LibraryConsentRequest: Codable, Sendable, Hashable {
  /// The path of the requester's executable; nil means the asking one.
  public var executable: String?
  /// `allow`, `deny`, `ask-again`.
  public var decision: String
  /// How the person decided.
  public var confirmation: Confirmation

  /// Makes one of its fields.
  public init(executable: String? = nil, decision: String, confirmation: Confirmation) {
    self.executable = executable
    self.decision = decision
    self.confirmation = confirmation
  }
}

/// What `POST /v1/erase` takes: every record and every saved match goes (rule R8).
public struct EraseRequest: Codable, Sendable, Hashable {
  /// How the person decided.
  public var confirmation: Confirmation

  /// Makes one of its field.
  public init(confirmation: Confirmation) { self.confirmation = confirmation }
}

/// What `POST /v1/uses/{id}/stop` takes: nothing, as an empty object.
public struct StopRequest: Codable, Sendable, Hashable {
  /// Makes one.
  public init() {}
}

/// What a request answers that only changes something.
public struct DoneMessage: Codable, Sendable, Hashable {
  /// The version of this message's form.
  public var version: Int = 1
  /// The id of what was made, where something was.
  public var id: String?
  /// How many entries were changed.
  public var count: Int

  /// Makes one of its fields.
  public init(id: String? = nil, count: Int = 1) {
    self.id = id
    self.count = count
  }
}
