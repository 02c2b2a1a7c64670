/// A playback rate that players and broadcasters are known to use, against the reference.
public enum UsualRate: String, Sendable, Hashable, CaseIterable {
  /// The reference's own speed.
  case same = "1"
  /// Film at 24 frames a second slowed to 23.976 for television.
  case film = "1000/1001"
  /// The same the other way round.
  case filmReversed = "1001/1000"
  /// 25 frames a second played at 24.
  case slowed = "24/25"
  /// 24 frames a second played at 25, as European television does.
  case television = "25/24"
  /// 23.976 frames a second played at 25.
  case filmOnTelevision = "25/23.976"
  /// 25 frames a second played at 23.976.
  case televisionOnFilm = "23.976/25"

  /// The rate; the reference's own speed is 1.
  public var speed: Double {
    switch self {
    case .same: 1
    case .film: 1000 / 1001
    case .filmReversed: 1001 / 1000
    case .slowed: 24.0 / 25
    case .television: 25.0 / 24
    case .filmOnTelevision: 25 / 24 * 1001 / 1000
    case .televisionOnFilm: 24.0 / 25 * 1000 / 1001
    }
  }

  /// How common it is before anything was heard. What is left of 1 is for every other rate.
  var prior: Double {
    switch self {
    case .same: 0.6
    case .film, .filmReversed, .slowed, .television: 0.06
    case .filmOnTelevision: 0.08
    case .televisionOnFilm: 0.04
    }
  }

  /// How far players' crystals stray from the rate they mean. The greatest difference found between
  /// two devices in public reports is 145 parts in a million, so that this is about one deviation.
  static let deviation = 100e-6

  /// The probability of a rate that is none of these, for each unit of speed: what the priors leave,
  /// spread over a range of 5 % around 1.
  static let otherDensity = 0.04 / 0.05
}
