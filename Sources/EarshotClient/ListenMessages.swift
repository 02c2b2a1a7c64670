/// What a requester asks of `POST /v1/listen`.
public struct ListenRequest: Codable, Sendable, Hashable {
  /// What has to be known before the microphone closes (rule L1).
  public enum Goal: String, Codable, Sendable, Hashable {
    /// The item.
    case identify
    /// The item, and the offset and speed well enough for captions.
    case place
  }

  /// Whether the question to save may come (rule S7); never an answer to it.
  public enum Save: String, Codable, Sendable, Hashable {
    case never
    case ask
  }

  /// The place where the item is expected to be, tested before the whole catalog.
  public struct Expected: Codable, Sendable, Hashable {
    /// The item's id.
    public var id: String
    /// Seconds in the reference at `monotonic`, or where that is nil at the query's first sample.
    public var offset: Double
    /// The playback rate against the reference at which it is expected.
    public var speed: Double
    /// The time at which playing is expected at the offset, in nanoseconds of the monotonic clock.
    public var monotonic: UInt64?
    /// Seconds to each side within which the offset is known; nil means two.
    public var within: Double?
    /// Whether it is enough to know that playing is there; nil means that it is not, and the place is
    /// to be told exactly.
    public var confirmsOnly: Bool?

    /// Takes a place and how exactly it is known.
    public init(
      id: String, offset: Double, speed: Double, monotonic: UInt64? = nil, within: Double? = nil,
      confirmsOnly: Bool? = nil
    ) {
      self.id = id
      self.offset = offset
      self.speed = speed
      self.monotonic = monotonic
      self.within = within
      self.confirmsOnly = confirmsOnly
    }
  }

  /// Paths of catalog files; empty means those in the data folder.
  public var catalogs: [String]
  /// The code of a shipped or configured purpose.
  public var purpose: String
  /// What has to be known before the microphone closes.
  public var goal: Goal
  /// The place that is tested first; nil where nothing is expected.
  public var expected: Expected?
  /// The longest the microphone may stay open, in seconds, at most 30 (rule L9).
  public var limit: Double
  /// The source's configured name; nil means the configured default.
  public var source: String?
  /// Whether the question to save may come.
  public var save: Save
  /// The language to ask in, as a BCP 47 tag; nil means the person's.
  public var language: String?
  /// Seconds after which listening is given up, at most `limit`, which is what the consent covers;
  /// nil means the limit.
  public var patience: Double?
  /// The captions whose place this listening finds again, by the id that they told.
  public var captions: String?
  /// Whether the asking program shows captions for as long as it runs, so that the question may be
  /// answered with 'Allow While Captions Are On' (rule B7).
  public var whileCaptions: Bool

  /// Takes what is asked; what is left out has its default.
  public init(
    catalogs: [String] = [], purpose: String = "identify", goal: Goal = .identify,
    expected: Expected? = nil, limit: Double = 12, source: String? = nil, save: Save = .never,
    language: String? = nil, patience: Double? = nil, captions: String? = nil,
    whileCaptions: Bool = false
  ) {
    self.catalogs = catalogs
    self.purpose = purpose
    self.goal = goal
    self.expected = expected
    self.limit = limit
    self.source = source
    self.save = save
    self.language = language
    self.patience = patience
    self.captions = captions
    self.whileCaptions = whileCaptions
  }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      catalogs: try values.decodeIfPresent([String].self, forKey: .catalogs) ?? [],
      purpose: try values.decodeIfPresent(String.self, forKey: .purpose) ?? "identify",
      goal: try values.decodeIfPresent(Goal.self, forKey: .goal) ?? .identify,
      expected: try values.decodeIfPresent(Expected.self, forKey: .expected),
      limit: try values.decodeIfPresent(Double.self, forKey: .limit) ?? 12,
      source: try values.decodeIfPresent(String.self, forKey: .source),
      save: try values.decodeIfPresent(Save.self, forKey: .save) ?? .never,
      language: try values.decodeIfPresent(String.self, forKey: .language),
      patience: try values.decodeIfPresent(Double.self, forKey: .patience),
      captions: try values.decodeIfPresent(String.self, forKey: .captions),
      whileCaptions: try values.decodeIfPresent(Bool.self, forKey: .whileCaptions) ?? false)
  }
}

/// One item that fits, as told to the outside.
public struct MatchedItem: Codable, Sendable, Hashable {
  /// The item's id.
  public var id: String
  /// The item's title, as the catalog has it.
  public var title: String
  /// The item's artist; nil where the catalog names none.
  public var artist: String?
  /// The name of the catalog that holds it.
  public var catalog: String?
  /// Seconds in the reference at the query's first sample.
  public var offset: Double
  /// The playback rate against the reference; nil until it is known to 1 %.
  public var speed: Double?
  /// The probability that the answer is right.
  public var confidence: Double
  /// The share of the query that fits the reference.
  public var coverage: Double
  /// All equal places, in seconds, when the sound comes more than once.
  public var places: [Double]?

  /// Takes an item and the place in it that fits.
  public init(
    id: String, title: String, artist: String? = nil, catalog: String? = nil, offset: Double,
    speed: Double?, confidence: Double, coverage: Double, places: [Double]? = nil
  ) {
    self.id = id
    self.title = title
    self.artist = artist
    self.catalog = catalog
    self.offset = offset
    self.speed = speed
    self.confidence = confidence
    self.coverage = coverage
    self.places = places
  }
}

/// Why an outcome is what it is, in three sentences' parts (rule A4).
public struct Explanation: Codable, Sendable, Hashable {
  /// A stable word for programs: `dismissed`, `nobody-to-ask`, `too-often`, `muted`, `device-busy` …
  public var reason: String
  /// What happened.
  public var happened: String
  /// What it means for the person.
  public var means: String
  /// The next step.
  public var next: String
  /// Seconds to wait before trying again can help, where that is known.
  public var retryAfter: Double?

  /// Takes the three parts and the word for programs.
  public init(
    reason: String, happened: String, means: String, next: String, retryAfter: Double? = nil
  ) {
    self.reason = reason
    self.happened = happened
    self.means = means
    self.next = next
    self.retryAfter = retryAfter
  }
}

/// The end of one listening or of one query.
public struct ListenResult: Codable, Sendable, Hashable {
  /// The version of this message.
  public var version: Int = 1
  /// How the listening ended.
  public var outcome: Outcome
  /// Seconds of sound handed to the analyzer up to the deciding look.
  public var heard: Double
  /// Best first; empty where there is none.
  public var matches: [MatchedItem]
  /// The use record's id, where the microphone was opened.
  public var use: String?
  /// When the first sample that the answer rests on, and at which its offsets are, was in the air, by the
  /// monotonic clock.
  public var firstSampleMonotonicNanoseconds: UInt64?
  /// Why it ended so; nil where the outcome says all.
  public var explanation: Explanation?
  /// Whether the match is in the library now.
  public var saved: Bool

  /// Takes an outcome and what belongs to it.
  public init(
    outcome: Outcome, heard: Double = 0, matches: [MatchedItem] = [], use: String? = nil,
    firstSampleMonotonicNanoseconds: UInt64? = nil, explanation: Explanation? = nil,
    saved: Bool = false
  ) {
    self.outcome = outcome
    self.heard = heard
    self.matches = matches
    self.use = use
    self.firstSampleMonotonicNanoseconds = firstSampleMonotonicNanoseconds
    self.explanation = explanation
    self.saved = saved
  }
}

/// One event of a listening, in the order they come: `prompt`, `listening`, `level`, `closed`,
/// `result`, and after it `prompt` and `saved` for the library.
public enum ListenEvent: Codable, Sendable, Hashable {
  /// A prompt is shown to the person by an agent; `id` names it to agents.
  case prompt(id: String)
  /// The microphone is open.
  case listening(use: String, source: String, limit: Double)
  /// Level and time left while the microphone is open.
  case level(seconds: Double, peakDecibels: Double, secondsLeft: Double)
  /// The microphone is closed.
  case closed(milliseconds: Double, reason: String)
  /// The answer.
  case result(ListenResult)
  /// The match is in the library.
  case saved(id: String)
}

/// A question that the daemon wants a person to answer, as agents get it.
public struct PromptMessage: Codable, Sendable, Hashable {
  /// One answer that a prompt offers.
  public struct Button: Codable, Sendable, Hashable {
    /// What the button stands for: `allow-once`, `allow-open`, `deny`, `save`, `not-now`, `never-save`.
    public var choice: String
    /// What stands on it, in the prompt's language.
    public var label: String

    /// Takes an answer and its label.
    public init(choice: String, label: String) {
      self.choice = choice
      self.label = label
    }
  }

  /// The prompt's id, for the answer.
  public var id: String
  /// `microphone` or `library`.
  public var capability: String
  /// The question.
  public var title: String
  /// The purpose sentence, or nil.
  public var message: String?
  /// The language that it is asked in, as a BCP 47 tag.
  public var language: String
  /// In the order they are shown; the one that backs out comes last when stacked (rule A5).
  public var buttons: [Button]
  /// Seconds until the prompt goes away unanswered (rule C7).
  public var secondsLeft: Double

  /// Takes a question and its answers.
  public init(
    id: String, capability: String, title: String, message: String?, language: String,
    buttons: [Button], secondsLeft: Double
  ) {
    self.id = id
    self.capability = capability
    self.title = title
    self.message = message
    self.language = language
    self.buttons = buttons
    self.secondsLeft = secondsLeft
  }
}

/// What agents hear on `GET /v1/prompts`.
public enum PromptEvent: Codable, Sendable, Hashable {
  /// Sent first: from now on this agent counts, so a listening that it starts finds it.
  case ready(agents: Int)
  case shown(PromptMessage)
  /// The prompt is answered, dismissed or timed out.
  case gone(id: String, reason: String)
}

/// What an agent sends to `POST /v1/prompts/{id}/answer`; `dismiss` leaves no answer (rule C7).
public struct PromptAnswer: Codable, Sendable, Hashable {
  /// The answer, as the prompt's buttons name it, or `dismiss`.
  public var choice: String

  /// Takes an answer.
  public init(choice: String) { self.choice = choice }
}

/// A fault as RFC 9457 problem details.
public struct ProblemDetails: Codable, Sendable, Hashable, Error {
  /// A URI that names the kind of fault.
  public var type: String
  /// The kind of fault in a few words.
  public var title: String
  /// The status of the HTTP answer.
  public var status: Int
  /// What happened, what it means, the next step (rule A4).
  public var detail: String
  /// A stable word for programs, where there is one.
  public var reason: String?

  /// Takes a fault and its words.
  public init(type: String, title: String, status: Int, detail: String, reason: String? = nil) {
    self.type = type
    self.title = title
    self.status = status
    self.detail = detail
    self.reason = reason
  }
}
