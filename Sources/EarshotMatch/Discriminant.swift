import Glibc

/// What tells an alignment that is right from the best wrong one, beside its margin: a logistic regression
/// over what stands behind it.
///
/// Wrong alignments that leave all others behind are music of the same band: the same samples, chords or
/// drums. They hold much of what a right one has, but not what a right one has *in sound so clear*. Music in
/// noise misses half of the promised peaks and explains few of its own; clean music that does so is
/// something else. So coverage, misses and what is explained count beside the clarity of what is heard. The
/// weights are counted by `Scripts/train`; Documentation/Recognition.md says what they are worth.
struct Discriminant {
  private let terms: [Double]

  /// Margins beyond this, in scales, say no more by themselves.
  private static let marginMax = 20.0
  /// The least spread that is told from none.
  private static let spreadMin = 0.05
  /// The most misses for what is found that are told apart.
  private static let missedMax = 1.2
  /// The coverage of music in some noise.
  private static let usualCoverage = 0.6

  /// Weighs a look's best track: its margin as it is, and as spread, bands and what moves let it count.
  init(
    seconds: Double, margin: Double, weighedMargin: Double, isOwnSpeed: Bool,
    score: AlignmentScore, support: AlignmentSupport
  ) {
    let weighed = log(1 + max(0, weighedMargin))
    let root = max(1, seconds).squareRoot()
    let missed = min(Self.missedMax, support.missedEvidence / max(1, support.foundEvidence))
    let clarity = support.explained.clarity / 10
    terms = [
      1, weighed, weighed * weighed, log(1 + min(Self.marginMax, max(0, margin))), log(seconds),
      isOwnSpeed ? 1 : 0, log(max(Self.spreadMin, support.spread * root)),
      log(max(Self.spreadMin, support.spreadOfAll * root)),
      min(1, Double(support.bandCount) / Decision.bandCountFull), support.bandSpread,
      score.coverage, support.strongCoverage, missed,
      support.evidence / Double(max(1, score.peakCount)), support.clean, support.noisy, clarity,
      support.explained.share, support.explained.shareOfHeight,
      (score.coverage - Self.usualCoverage) * clarity, missed * clarity,
    ]
  }

  /// The logarithm of the odds, but for a constant.
  func value(isFirstStage: Bool) -> Double {
    let weights = Calibration.discriminantWeights[isFirstStage ? 0 : 1]
    precondition(weights.count == terms.count, "every term has a weight")
    return zip(weights, terms).reduce(0) { $0 + $1.0 * $1.1 }
  }
}
