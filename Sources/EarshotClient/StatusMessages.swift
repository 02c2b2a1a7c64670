/// A program that wants to listen, as the kernel and the files owned by root tell who it is.
public struct RequesterMessage: Codable, Sendable, Hashable {
  /// The name that prompts show.
  public var name: String
  /// How the name was found: `executable`, `unit`, `flatpak`, `desktop-file`.
  public var identifiedBy: String
  /// The path of the executable, where it could be read.
  public var executable: String?
  /// The user's number.
  public var user: UInt32

  /// Makes one of its fields.
  public init(name: String, identifiedBy: String, executable: String?, user: UInt32) {
    self.name = name
    self.identifiedBy = identifiedBy
    self.executable = executable
    self.user = user
  }
}

/// The answer of `GET /v1/status`: the daemon and the requester's own standing (rule R6).
public struct StatusMessage: Codable, Sendable, Hashable {
  /// The version of this message's form.
  public var version: Int = 1
  /// The daemon's version.
  public var daemon: String
  /// The daemon's process.
  public var process: Int32
  /// Whether the daemon was started for one requester.
  public var isPrivate: Bool
  /// Who the daemon takes the asking program for.
  public var requester: RequesterMessage
  /// Whether the asking program may show prompts and answer them.
  public var isAgent: Bool
  /// The requester's own status: `undetermined`, `denied`, `allowed`, `restricted`.
  public var microphone: String
  /// The requester's own status for saving: the same words.
  public var library: String
  /// Why the microphone is denied or restricted, and where to change it.
  public var explanation: Explanation?
  /// Whether the microphone is open now, for anybody.
  public var isListening: Bool
  /// How many agents wait for prompts.
  public var agents: Int
  /// The source's name that is used where a request names none.
  public var source: String
  /// All names that a request may give.
  public var sources: [String]
  /// The longest that a request may ask for, in seconds.
  public var limit: Double
  /// How many catalogs are configured or found.
  public var catalogs: Int

  /// Makes one of its fields.
  public init(
    daemon: String, process: Int32, isPrivate: Bool, requester: RequesterMessage, isAgent: Bool,
    microphone: String, library: String, explanation: Explanation?, isListening: Bool,
    agents: Int, source: String, sources: [String], limit: Double, catalogs: Int
  ) {
    self.daemon = daemon
    self.process = process
    self.isPrivate = isPrivate
    self.requester = requester
    self.isAgent = isAgent
    self.microphone = microphone
    self.library = library
    self.explanation = explanation
    self.isListening = isListening
    self.agents = agents
    self.source = source
    self.sources = sources
    self.limit = limit
    self.catalogs = catalogs
  }
}

/// One catalog that the daemon would search, in the answer of `GET /v1/catalogs`.
public struct CatalogMessage: Codable, Sendable, Hashable {
  /// The file's name without its folder and ending; names it in `/v1/catalogs/{name}/items`.
  public var name: String
  /// The whole path.
  public var path: String
  /// How many items it holds; 0 where it cannot be read.
  public var items: Int
  /// The file's size in bytes.
  public var bytes: Int
  /// What is wrong with it, where it cannot be read.
  public var problem: Explanation?

  /// Makes one of its fields.
  public init(name: String, path: String, items: Int, bytes: Int, problem: Explanation?) {
    self.name = name
    self.path = path
    self.items = items
    self.bytes = bytes
    self.problem = problem
  }
}

/// One item in the answer of `GET /v1/catalogs/{name}/items`.
public struct ItemMessage: Codable, Sendable, Hashable {
  /// The item's name in its catalog.
  public var id: String
  /// The title.
  public var title: String
  /// The artist, where there is one.
  public var artist: String?
  /// The languages of its captions.
  public var captions: [String]

  /// Makes one of its fields.
  public init(id: String, title: String, artist: String?, captions: [String]) {
    self.id = id
    self.title = title
    self.artist = artist
    self.captions = captions
  }
}

/// The answer of every `GET` that lists something.
public struct ListMessage<Element: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
  /// The version of this message's form.
  public var version: Int = 1
  /// The elements, in the order the request's documentation names.
  public var entries: [Element]
  /// How many more there are behind the last one.
  public var more: Int

  /// Makes one of its fields.
  public init(entries: [Element], more: Int = 0) {
    self.entries = entries
    self.more = more
  }
}

/// One source in the answer of `GET /v1/devices`.
public struct DeviceMessage: Codable, Sendable, Hashable {
  /// The source's name, as `--device` takes it.
  public var name: String
  /// What the sound system calls it.
  public var label: String
  /// Whether it is configured, so that a request may name it.
  public var isConfigured: Bool

  /// Makes one of its fields.
  public init(name: String, label: String, isConfigured: Bool) {
    self.name = name
    self.label = label
    self.isConfigured = isConfigured
  }
}

/// What everybody may hear on `GET /v1/events`: that the microphone is open, never for what.
public enum DaemonEvent: Codable, Sendable, Hashable, ServerEvent {
  /// Sent first: whether the microphone is open.
  case hello(isListening: Bool)
  /// The microphone was opened for a requester.
  case listening(use: String, requester: String, limit: Double)
  /// It is closed again.
  case closed(use: String, reason: String)
  /// A consent was withdrawn.
  case revoked(consent: String)
  /// The daemon stops; the stream ends.
  case stopping

  /// No case carries one whole value.
  public static var wholePayloads: Set<String> { [] }
}

/// One purpose that a request may name, in the answer of `GET /v1/purposes`.
public struct PurposeMessage: Codable, Sendable, Hashable {
  /// The code that requests give.
  public var code: String
  /// What the sound is used for, from the closed list.
  public var use: String
  /// The sentence that prompts show, by language tag; `en` is always there.
  public var texts: [String: String]

  /// Makes one of its fields.
  public init(code: String, use: String, texts: [String: String]) {
    self.code = code
    self.use = use
    self.texts = texts
  }
}

/// The answer of `GET /v1/privacy`: what the product says of itself (rule T1).
public struct PrivacyMessage: Codable, Sendable, Hashable {
  /// One kind of record that is kept.
  public struct Kept: Codable, Sendable, Hashable {
    /// What it is.
    public var what: String
    /// Where it lies.
    public var `where`: String
    /// For how many days; nil where the person alone removes it.
    public var days: Int?
  }

  /// One part of the label as it is shown.
  public struct Section: Codable, Sendable, Hashable {
    /// What the part tells.
    public var title: String
    /// What it says.
    public var entries: [String]
  }

  /// The version of this message's form.
  public var version: Int
  /// The product and its version.
  public var product: String
  /// When the facts last changed, as a date.
  public var date: String
  /// The language of the sections.
  public var language: String
  /// The whole label in that language.
  public var sections: [Section]
  /// What this daemon writes: files, and folders with a slash at their end.
  public var files: [String]
  /// What this daemon serves on and connects to.
  public var sockets: [String]
  /// What is taken.
  public var taken: [String]
  /// What is kept.
  public var kept: [Kept]
  /// What is linked to the person.
  public var linkedToThePerson: [String]
  /// What leaves the machine.
  public var leavesTheMachine: [String]
  /// Tracking.
  public var tracking: [String]
  /// The connections that are made.
  public var network: [String]
}

/// The answer of `POST /v1/kiosk/link`: how a browser comes into the kiosk's page.
public struct KioskLinkMessage: Codable, Sendable, Hashable {
  /// The address, good for one use.
  public var link: String
  /// How long it is good, in seconds.
  public var seconds: Double
  /// What keeps the Listen button from granting anything; empty where it can be read.
  public var theme: [String]

  /// Makes one of its fields.
  public init(link: String, seconds: Double, theme: [String]) {
    self.link = link
    self.seconds = seconds
    self.theme = theme
  }
}
