/// What a matcher is asked to do.
public struct MatchOptions: Sendable, Hashable {
  /// What has to be known before the answer counts as certain (rule L1).
  public enum Goal: Sendable, Hashable {
    /// The item.
    case identify
    /// The item, its one place, and the speed well enough to follow it with captions.
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
  /// Default `all`.
  public var speeds: Speeds
  /// The most candidates an answer lists, 1 to 20. Default 5.
  public var candidateCountMax: Int
  /// Whether a second of silence ends the listening with `noSignal`. Default true; for files, which
  /// may begin with silence, false.
  public var endsAtSilence: Bool
  /// Whether answers carry an `Explanation`. Default false: it costs a little time.
  public var explains: Bool

  /// Makes options; the defaults are those of listening.
  public init(
    goal: Goal = .identify, speeds: Speeds = .all, candidateCountMax: Int = 5,
    endsAtSilence: Bool = true, explains: Bool = false
  ) {
    self.goal = goal
    self.speeds = speeds
    self.candidateCountMax = min(max(candidateCountMax, 1), 20)
    self.endsAtSilence = endsAtSilence
    self.explains = explains
  }
}
