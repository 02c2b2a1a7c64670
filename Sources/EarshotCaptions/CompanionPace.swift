/// How a video that runs along, as one in sign language does, is kept in step with the clock.
///
/// A pure rule, to be asked about once a second: a video that is a little off plays a little faster or
/// slower, which nobody sees, and one that is far off is moved.
public enum CompanionPace: Sendable, Hashable {
  /// Play on at this rate.
  case play(rate: Double)
  /// Go to this place, in seconds, and play on at this rate.
  case seek(to: Double, rate: Double)

  /// Farther off than this, in seconds, a video is moved: worked in it would be late for too long.
  public static let seekMin = 0.3
  /// Seconds in which a difference is worked in.
  public static let settleSeconds = 2.0
  /// The most that the rate is changed for it; signing stays readable.
  public static let rateChangeMax = 0.15

  /// What a video at `video` seconds has to do where the film is at `position` and plays at `speed`.
  ///
  /// Rate 0 holds it: the film is held too.
  public init(video: Double, position: Double, speed: Double) {
    let off = position - video
    guard abs(off) <= Self.seekMin else {
      self = .seek(to: max(0, position), rate: speed)
      return
    }
    let change = min(max(off / Self.settleSeconds, -Self.rateChangeMax), Self.rateChangeMax)
    self = .play(rate: speed == 0 ? 0 : max(0, speed + change))
  }
}
