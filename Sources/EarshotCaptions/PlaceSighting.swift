/// What one listening says about the place and speed of playing.
public struct PlaceSighting: Sendable, Hashable {
  /// When the first sample heard was in the air, by the monotonic clock, in seconds.
  public var firstSample: Double
  /// The place of that sample in the reference, in seconds.
  public var offset: Double
  /// The playback rate against the reference; nil where the listening was too short to tell.
  public var speed: Double?
  /// Seconds heard.
  public var heard: Double
  /// The offset's standard error, in seconds.
  public var offsetError: Double
  /// The speed's standard error.
  public var speedError: Double

  /// The offset error that measurements of the matcher show: a 95th percentile of 14 ms is
  /// about twice this.
  public static let offsetErrorUsual = 0.007

  /// The error of a listening that only confirms: of held notes it tells no moment. It is wide enough
  /// that a sustained sound, a quarter of a second off at worst, is no jump.
  public static let offsetErrorConfirming = 0.06
  /// The seconds below which a listening can have been no more than that.
  public static let exactSeconds = 0.8

  /// The speed error of a listening of one second; it falls as one over the length. Measured on
  /// 16-second clips at true speeds of +2 and -4 %: 0.5 % at 2 s, 0.2 % at 5 s.
  public static let speedErrorOfOneSecond = 0.0125

  /// A sighting; errors that are not given are those the matcher is known to make.
  public init(
    firstSample: Double, offset: Double, speed: Double?, heard: Double,
    offsetError: Double? = nil, speedError: Double? = nil
  ) {
    self.firstSample = firstSample
    self.offset = offset
    self.speed = speed
    self.heard = heard
    let usual =
      heard < Self.exactSeconds - 0.01 ? Self.offsetErrorConfirming : Self.offsetErrorUsual
    self.offsetError = offsetError ?? usual
    self.speedError = speedError ?? Self.speedErrorOfOneSecond / max(heard, 0.5)
  }

  /// The middle of what was heard. There the error of the speed does not enter the place: an offset
  /// fitted with a speed that is off by a little is off the other way at the first sample.
  ///
  /// `known` is the speed to go by where the listening told none.
  func middle(known: Double) -> (time: Double, position: Double) {
    (firstSample + heard / 2, offset + (speed ?? known) * heard / 2)
  }
}
