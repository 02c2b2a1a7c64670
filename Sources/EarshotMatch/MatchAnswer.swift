/// What a matcher found.
public struct MatchAnswer: Sendable, Hashable {
  /// Why there is nothing to match.
  public enum SignalFault: Sendable, Hashable {
    /// Every sample is zero, or nearly: muted, or nothing is connected.
    case silent
    /// There is something, but far too quiet to carry evidence.
    case faint
  }

  /// The outcome.
  public enum Kind: Sendable, Hashable {
    /// One item, certain enough; the first candidate is it.
    case match
    /// Several items fit equally well; the candidates are they.
    case ambiguous
    /// Good sound, and nothing in the catalogs is certain enough.
    case noMatch
    /// No sound that could be matched.
    case noSignal(SignalFault)
    /// Not enough sound to decide either way.
    case tooShort
  }

  /// What was found.
  public var kind: Kind
  /// Seconds of sound that had been handed to the analyzer at the deciding look, less `startSeconds`.
  public var heardSeconds: Double
  /// Seconds of sound before what decided: above zero where an expected place was known by what was
  /// heard from there on alone. Offsets are those at that moment.
  public var startSeconds = 0.0
  /// The items that fit, best first; empty unless `kind` is `match` or `ambiguous`.
  public var candidates: [MatchCandidate]
  /// The evidence behind the answer, where the options ask for it.
  public var explanation: MatchExplanation?
}

/// One item that fits.
public struct MatchCandidate: Sendable, Hashable {
  /// The catalog, counted in the order the search space was given them.
  public var catalogIndex: Int
  /// The item within its catalog.
  public var itemIndex: Int
  /// The signature within its catalog.
  public var signatureIndex: Int
  /// Seconds in the reference at the query's first sample; negative when the query began earlier.
  public var offset: Double
  /// The playback rate against the reference (1.02 is 2 % fast); nil until it is known to 1 %.
  public var speed: Double?
  /// The probability that the answer is right.
  public var confidence: Double
  /// The share of the expected peaks that were found in the query, 0 to 1.
  public var coverage: Double
  /// All equal places in the same reference, in seconds, this one first.
  public var places: [Double]
  /// Evidence in nats for this alignment against other music.
  public var evidence: Double
}

/// What an answer rests on: for people who want to see why.
public struct MatchExplanation: Sendable, Hashable {
  /// A peak that the reference promises at one place of the query.
  public struct Peak: Sendable, Hashable {
    /// Seconds from the query's first sample.
    public var time: Double
    /// Hertz, in the query.
    public var frequency: Double
    /// Evidence of this peak alone, in nats.
    public var evidence: Double
    /// Whether the query was conspicuously strong there.
    public var isHit: Bool
  }

  /// The state at one look.
  public struct Look: Sendable, Hashable {
    /// Seconds of sound heard.
    public var heardSeconds: Double
    /// Evidence of the best item, in nats.
    public var best: Double
    /// Evidence of the best other item, in nats.
    public var bestOther: Double
    /// Minus the logarithm of the probability that the best is only the luckiest of the wrong ones.
    public var certainty: Double
  }

  /// The peaks expected of the first candidate.
  public var peaks: [Peak]
  /// The looks, in order.
  public var looks: [Look]
}
