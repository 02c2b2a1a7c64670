/// The bounds of the daemon, in one place (wall W6); Documentation/Limits.md lists them.
enum ServiceLimits {
  /// Connections at once; further ones wait in the socket's backlog.
  static let connections = 256
  /// The socket's backlog.
  static let backlog = 64
  /// Memory of one connection for its request line and headers, in bytes.
  static let connectionMemory = 32 << 10
  /// Seconds without a byte after which a connection is closed, suspended ones excepted.
  static let idleSeconds = 30
  /// The largest body of a request in JSON, in bytes.
  static let bodyBytes = 64 << 10
  /// A larger body than this is refused before it is read, in bytes.
  static let swallowedBytes = 1 << 20
  /// The largest body of sound, in bytes: half an hour of stereo in CD quality.
  static let soundBytes = 320 << 20
  /// The sound that one answer can rest on, in seconds: what an analyzer keeps.
  static let matchSoundSeconds = 32.0
  /// Seconds from a worker's start until its sound has to be there and recognised.
  static let matchSeconds = 600.0
  /// Sounds that are matched at once.
  static let matches = 4
  /// The longest path with its query, in bytes.
  static let targetBytes = 4 << 10
  /// Events waiting for one slow client; when full, levels are dropped first, then the client.
  static let queuedEvents = 64
  /// Bytes waiting for one slow client.
  static let queuedBytes = 256 << 10
  /// Seconds between the comments that keep an event stream alive.
  static let heartbeatSeconds = 5.0
  /// Agents and indicators that follow events at once.
  static let streams = 64
  /// Listenings at once, waiting for a prompt or open.
  static let listenings = 16
  /// Captions that run at once.
  static let captions = 16
  /// Found places that wait for their captions at once, and for how long, in seconds.
  static let keptPlaces = 16
  static let keptPlaceSeconds = 60.0
  /// Catalogs that one request may name.
  static let catalogs = 64
  /// Prompts that wait behind the one that is shown (rule C9).
  static let waitingPrompts = 8
  /// Seconds until a prompt goes away unanswered, and that one may wait its turn (rules C7, C9).
  static let promptSeconds = 60.0
  /// Seconds for which no prompt comes after two dismissals in a row (rule C7).
  static let quietSeconds = 600.0
  /// The longest listening that may be asked for, in seconds (rule L9).
  static let listenSeconds = 30.0
  /// Seconds of open microphone in a rolling window for a requester (rule L9).
  static let openSeconds = 60.0
  /// The rolling window, in seconds (rule L9).
  static let windowSeconds = 600.0
  /// Seconds for which a kiosk's visit may be idle, and while captions run (rule K1).
  static let visitIdleSeconds = 60.0
  static let captionIdleSeconds = 300.0
  /// Seconds beyond that after which the daemon ends a visit that the page has not ended.
  static let visitGraceSeconds = 15.0
  /// Seconds without a connected page after which its visit is over (rule K1).
  static let pageLostSeconds = 5.0
  /// Seconds within which a press has to be used, and how many wait at most (rule B1).
  static let pressSeconds = 2.0
  static let presses = 8
  /// Uses among which a visitor's own are looked for.
  static let visitUses = 100
  /// The largest picture that the page is given, in bytes.
  static let artworkBytes = 8 << 20
  /// The largest piece of a video in one answer, in bytes.
  static let videoPieceBytes = 2 << 20
  /// Items of one sound that the page is told of.
  static let itemParts = 500
  /// Entries in one answer that lists something.
  static let listEntries = 1000
  /// Log lines in a minute; what is over it is counted.
  static let logLinesPerMinute = 120
}
