/// What is known of a sound that is being read: its form, how much came, and what was odd.
public struct SoundFacts: Sendable, Hashable {
  /// Samples a second and channel, as the file says; 4,000 to 384,000.
  public let rate: Double
  /// The number of channels, 1 to 256.
  public let channels: Int
  /// The kind of content in words a person knows, such as "MP3" or "AAC in MP4".
  public let kind: String
  /// The length that the file's header promises, in seconds; nil where it makes no promise.
  public internal(set) var expectedSeconds: Double?
  /// The length decoded so far, in seconds.
  public internal(set) var decodedSeconds: Double = 0
  /// What the file says of itself.
  public internal(set) var tags = SoundTags()
  /// What was odd, in the order it was met; each kind of warning comes once.
  public internal(set) var warnings: [SoundWarning] = []
}

/// Something odd about a sound that could still be read.
public enum SoundWarning: Sendable, Hashable {
  /// The sound ends early: so many seconds came of those that were promised.
  case cutShort(decodedSeconds: Double, expectedSeconds: Double)
  /// The decoder reported damage after so many seconds; what came before it is used.
  case damaged(afterSeconds: Double)
  /// The decoder met damage after so many seconds, and went on behind it; what follows may be off by a
  /// moment.
  case damagedWithin(atSeconds: Double)
  /// So many samples were not numbers or infinite, and were read as silence.
  case notFinite(sampleCount: Int)
  /// The rate is below 8 kHz, so much of the band that is listened to is missing.
  case lowRate
  /// Side 0 (left) or 1 (right) of the mix is silent while the other is not.
  case deadSide(Int)
  /// The two sides are one signal with opposite signs; their difference is used.
  case invertedPair
  /// The file holds so many streams of sound, of which the first is read.
  case severalStreams(count: Int)
  /// Another file has been put behind this one byte by byte; only one of the two is read, and ends after
  /// so many seconds.
  case followed(afterSeconds: Double)
}

/// How raw samples are written; integers are signed unless said, and little-endian.
public enum RawFormat: String, Sendable, Hashable, CaseIterable {
  /// Unsigned bytes; 128 is zero.
  case u8
  /// Signed bytes.
  case s8
  /// 16-bit integers.
  case s16
  /// 16-bit integers, big-endian.
  case s16be
  /// 24-bit integers in three bytes.
  case s24
  /// 32-bit integers.
  case s32
  /// 32-bit floats.
  case f32
  /// 64-bit floats.
  case f64
  /// 8-bit mu-law of telephone lines.
  case ulaw
  /// 8-bit A-law of telephone lines.
  case alaw

  /// What ALSA's tools and ffmpeg call the format, where that is another name.
  public var otherNames: [String] {
    switch self {
    case .u8: ["U8"]
    case .s8: ["S8"]
    case .s16: ["s16le", "S16_LE"]
    case .s16be: ["S16_BE"]
    case .s24: ["s24le", "S24_3LE"]
    case .s32: ["s32le", "S32_LE"]
    case .f32: ["f32le", "FLOAT_LE"]
    case .f64: ["f64le", "FLOAT64_LE"]
    case .ulaw: ["mulaw", "MU_LAW"]
    case .alaw: ["A_LAW"]
    }
  }

  /// The format of a name of ours, of ALSA's tools, or of ffmpeg's.
  public init?(named name: String) {
    let found = RawFormat.allCases.first { $0.rawValue == name || $0.otherNames.contains(name) }
    guard let found else { return nil }
    self = found
  }
}
