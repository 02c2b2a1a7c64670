public import EarshotMatch

/// What is known of the sound that is followed, before anything of it was heard.
public struct FollowedSound: Sendable, Hashable {
  /// Its length in seconds.
  public var duration: Double
  /// Where a short listening is likely to know it again; nil where that is not known.
  public var moments: TellingMoments?

  /// Makes one of its parts.
  public init(duration: Double, moments: TellingMoments? = nil) {
    self.duration = duration
    self.moments = moments
  }
}
