/// What a matcher is asked to do.
public struct MatchOptions: Sendable, Hashable {
  /// What has to be known before the answer counts as certain (rule L1).
  public enum Goal: Sendable, Hashable {
    /// The item.
    case identify
    /// The item, its one place, and the speed well enough to follow it with captions. Where the sound
    /// comes several times, the listening goes on until the places part, or to its end.
    case place
  }

  /// The playback speeds that are tried.
  public enum Speeds: Sendable, Hashable {
    /// Only the reference's own speed.
    case trueSpeed
    /// The reference's own, ±4 % of speed and ±4 % of tempo at the same pitch, and all between.
    case all
  }

  /// Default `identify`.
  public var goal: Goal
  /// Tested before all else: the answer comes sooner when it is right, and two seconds later than
  /// otherwise at most when it is not. Default nil.
  public var expected: ExpectedPlace?
  /// Default `all`.
  public var speeds: Speeds
  /// The most candidates an answer lists, 1 to 20. Default 5.
  public var candidateCountMax: Int
  /// Seconds after which whoever asks stops listening. Several items are told before it where the
  /// catalog knows that they stay alike until then. Default nil: not known.
  public var limitSeconds: Double?
  /// Whether a second of silence ends the listening with `noSignal`. Default true; for files, which
  /// may begin with silence, false.
  public var endsAtSilence: Bool
  /// Whether clear sound that shows no sign of being in a catalog for six seconds ends the listening with
  /// `noMatch`. Default true; for files, which may go on with something else, false.
  public var endsAtAbsence: Bool
  /// Whether answers carry an `Explanation`. Default false: it costs a little time.
  public var explains: Bool

  /// Makes options; the defaults are those of listening.
  public init(
    goal: Goal = .identify, expected: ExpectedPlace? = nil, speeds: Speeds = .all,
    candidateCountMax: Int = 5, limitSeconds: Double? = nil, endsAtSilence: Bool = true,
    endsAtAbsence: Bool = true, explains: Bool = false
  ) {
    self.goal = goal
    self.expected = expected
    self.speeds = speeds
    self.candidateCountMax = min(max(candidateCountMax, 1), 20)
    self.limitSeconds = limitSeconds
    self.endsAtSilence = endsAtSilence
    self.endsAtAbsence = endsAtAbsence
    self.explains = explains
  }
}
