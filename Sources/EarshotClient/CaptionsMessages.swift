/// The clock by which captions are placed, at one moment.
public struct CaptionsClock: Codable, Sendable, Hashable {
  /// The place in the reference, in seconds.
  public var position: Double
  /// The playback rate against the reference.
  public var speed: Double
  /// The distance from the true place that is passed only once in twenty, in seconds.
  public var uncertainty: Double
  /// The usual rate that is played, as `25/24`; nil while none is certain.
  public var rate: String?
  /// The moment, in nanoseconds of the system's monotonic clock.
  public var monotonic: UInt64

  /// Makes one of its fields.
  public init(
    position: Double, speed: Double, uncertainty: Double, rate: String?, monotonic: UInt64
  ) {
    self.position = position
    self.speed = speed
    self.uncertainty = uncertainty
    self.rate = rate
    self.monotonic = monotonic
  }
}

/// What captions are for, told first.
public struct CaptionsReady: Codable, Sendable, Hashable {
  /// Names the captions in further requests.
  public var listening: String
  /// The item's id.
  public var item: String
  /// The item's title.
  public var title: String
  /// The catalog's name.
  public var catalog: String
  /// The language of the cues; nil where the item has none.
  public var language: String?
  /// All languages that the item has captions in.
  public var languages: [String]
  /// The kinds of tracks that are told in this language: `captions`, `descriptions`, `chapters`.
  public var tracks: [String]
  /// The length of the item's sound, in seconds.
  public var duration: Double
  /// A video in sign language, as a path beside the catalog.
  public var signLanguageVideo: String?
  /// What was left out of the tracks, in words; empty where nothing was.
  public var faults: [String]

  /// Makes one of its fields.
  public init(
    listening: String, item: String, title: String, catalog: String, language: String?,
    languages: [String], tracks: [String], duration: Double, signLanguageVideo: String?,
    faults: [String]
  ) {
    self.listening = listening
    self.item = item
    self.title = title
    self.catalog = catalog
    self.language = language
    self.languages = languages
    self.tracks = tracks
    self.duration = duration
    self.signLanguageVideo = signLanguageVideo
    self.faults = faults
  }
}

/// A place that is known from now on.
public struct CaptionsFollowing: Codable, Sendable, Hashable {
  /// The clock.
  public var clock: CaptionsClock
  /// Seconds until the place is checked; nil where nothing is heard by itself.
  public var nextListening: Double?

  /// Makes one of its fields.
  public init(clock: CaptionsClock, nextListening: Double?) {
    self.clock = clock
    self.nextListening = nextListening
  }
}

/// A place that is not known any more.
public struct CaptionsLost: Codable, Sendable, Hashable {
  /// Why: `silence`, `other-sound`, `other-item`, `ambiguous`, `suspended`, `untrusted`, `ended`,
  /// `denied`, `failed`.
  public var reason: String
  /// Seconds until it is looked for; nil where only the person can have it found again.
  public var nextListening: Double?

  /// Makes one of its fields.
  public init(reason: String, nextListening: Double?) {
    self.reason = reason
    self.nextListening = nextListening
  }
}

/// One piece of a cue's text. It is text, never markup.
public struct CaptionsSpan: Codable, Sendable, Hashable {
  /// The text; lines are parted by a line feed.
  public var text: String
  /// `italic`, `bold`, `underlined`, `reading`; nil for none.
  public var style: [String]?
  /// One of eight names: `red`, `lime` …; nil is the surface's own.
  public var color: String?
  /// Who speaks.
  public var voice: String?
  /// The language as a BCP 47 tag, where it differs from the cue's.
  public var language: String?

  /// Makes one of its fields.
  public init(text: String, style: [String]?, color: String?, voice: String?, language: String?) {
    self.text = text
    self.style = style
    self.color = color
    self.voice = voice
    self.language = language
  }
}

/// A cue that appears or goes away.
public struct CaptionsCue: Codable, Sendable, Hashable {
  /// Names the cue for as long as captions are on: the same when it appears and when it goes away.
  public var id: String
  /// `captions`, `descriptions` or `chapters`.
  public var track: String
  /// From when, on the reference's time line, in seconds.
  public var start: Double
  /// Until when.
  public var end: Double
  /// The text alone, lines parted by a line feed.
  public var text: String
  /// The text in pieces of one setting each.
  public var spans: [CaptionsSpan]
  /// The language as a BCP 47 tag, where the file says so.
  public var language: String?
  /// How far down the picture, 0 to 1; nil is the usual place, below.
  public var fromTop: Double?
  /// How far from the left edge, 0 to 1; nil is the middle.
  public var fromLeft: Double?
  /// `start`, `center`, `end`, `left` or `right`.
  public var alignment: String
  /// `horizontal`, `vertical-rl` or `vertical-lr`.
  public var writing: String
  /// The clock it was placed by.
  public var clock: CaptionsClock?

  /// Makes one of its fields.
  public init(
    id: String, track: String, start: Double, end: Double, text: String, spans: [CaptionsSpan],
    language: String?, fromTop: Double?, fromLeft: Double?, alignment: String, writing: String,
    clock: CaptionsClock?
  ) {
    self.id = id
    self.track = track
    self.start = start
    self.end = end
    self.text = text
    self.spans = spans
    self.language = language
    self.fromTop = fromTop
    self.fromLeft = fromLeft
    self.alignment = alignment
    self.writing = writing
    self.clock = clock
  }
}

/// A part of the sound that an item stands for, which is reached or left.
public struct CaptionsPart: Codable, Sendable, Hashable {
  /// The item's id.
  public var id: String
  /// From when, on the reference's time line, in seconds.
  public var start: Double
  /// Until when.
  public var end: Double
  /// The item's title.
  public var title: String
  /// A second line.
  public var subtitle: String?
  /// A picture, as a path beside the catalog.
  public var artwork: String?
  /// A page about it, which is shown and never fetched.
  public var webURL: String?
  /// Whatever else the owner of the catalog has put there: any JSON.
  public var custom: AnyJSON?
  /// The clock it was placed by.
  public var clock: CaptionsClock?

  /// Makes one of its fields.
  public init(
    id: String, start: Double, end: Double, title: String, subtitle: String?, artwork: String?,
    webURL: String?, custom: AnyJSON?, clock: CaptionsClock?
  ) {
    self.id = id
    self.start = start
    self.end = end
    self.title = title
    self.subtitle = subtitle
    self.artwork = artwork
    self.webURL = webURL
    self.custom = custom
    self.clock = clock
  }
}

/// What `GET /v1/captions/{listening}/{language}` tells.
public enum CaptionsEvent: Codable, Sendable, Hashable, ServerEvent {
  /// Sent first.
  case ready(CaptionsReady)
  /// A prompt is shown: whether listening may go on by itself while captions are on (rule B7).
  case prompt(id: String)
  /// The microphone is open to check or find the place; each is a use in the ledger.
  case listening(use: String, source: String, limit: Double)
  /// Level and time left while the microphone is open.
  case level(seconds: Double, peakDecibels: Double, secondsLeft: Double)
  /// The microphone is closed.
  case closed(milliseconds: Double, reason: String)
  /// The place is known; told whenever it is found or checked.
  case following(CaptionsFollowing)
  /// A check has not confirmed the place: no cue is shown until it does.
  case doubt
  /// The place is lost: 'Lost the place' is to be shown, and why.
  case lost(CaptionsLost)
  /// The place now, about once a second while it is known, for a bar or a video that runs along.
  case position(CaptionsClock)
  /// A cue appears.
  case cue(CaptionsCue)
  /// A cue goes away.
  case cueEnd(CaptionsCue)
  /// A part of the sound that an item stands for is reached.
  case part(CaptionsPart)
  /// It is left.
  case partEnd(CaptionsPart)
  /// Captions are over.
  case ended

  /// The cases that carry one whole value.
  public static var wholePayloads: Set<String> {
    ["ready", "following", "lost", "position", "cue", "cueEnd", "part", "partEnd"]
  }
}

/// What a person changes while captions are on, for `POST /v1/captions/{listening}`.
public struct CaptionsChange: Codable, Sendable, Hashable {
  /// Seconds by which cues come earlier; below zero later. It stays across listenings.
  public var shift: Double?
  /// A place in seconds that the person names: captions go on from there by hand.
  public var position: Double?
  /// The playback rate that the person names, with `position`; 0 holds.
  public var speed: Double?

  /// Makes one of its fields.
  public init(shift: Double? = nil, position: Double? = nil, speed: Double? = nil) {
    self.shift = shift
    self.position = position
    self.speed = speed
  }
}
