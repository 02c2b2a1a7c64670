import EarshotSignature
import Glibc

/// How certain the best item of a ranking is, judged against what wrong items reach.
///
/// The tail of wrong items' scores is exponential. Its scale comes from the query's own losers: the
/// mean excess of the best fifteen over the sixteenth, drawn halfway to the scale that is usual at
/// this length. The margin over the best other item in these units is then compared with how large
/// it gets for wrong items, which training counted look by look, and then listening by listening:
/// apart for the first second and for other speeds than the reference's own, where wrong items get
/// further, because there is so much more to choose from.
struct Decision {
  /// Losers whose excess gives the scale.
  private static let loserCount = 15
  /// 1 + 1/2 + … + 1/15: the expected excess, in units of the scale, of the best of fifteen.
  private static let expectedExcess = 3.318
  /// Half octaves that have to speak for an alignment for its margin to count in full.
  private static let bandCountFull = 6.0
  /// The share of the bounded evidence that has to come from what moves for the same: a steady sound
  /// matches held notes with no more than a twentieth, music that is there has a tenth at least.
  private static let movingShareFull = 0.1
  /// The least scale, in nats.
  private static let scaleMin = 0.3
  /// The accepted certainty: minus the logarithm of the probability that a wrong item gets as far in
  /// a listening, by the tail that was counted.
  ///
  /// That tail is kind to other music of the same band: of 254 later listenings to such music, three
  /// got as far as 10.6 to 11.5, so the bar stands above what any of them reached.
  static let acceptedCertainty = 13.0
  /// The same for a place that is expected: there is so much less to choose from.
  static let expectedCertainty = 10.6

  let calibration: Calibration.Look
  private let isFirstStage: Bool

  init(heardSampleCount: Int) {
    calibration = Calibration.look(
      at: Double(heardSampleCount) / Double(AnalyzerSettings.sampleRate))
    isFirstStage = LookSchedule.stage(atSampleCount: heardSampleCount) == 0
  }

  /// What a ranking's evidence says.
  struct Verdict {
    /// Certainty of the best track, or of the least certain one where several are certain.
    var certainty: Double
    /// Tracks at the top that are certain against all below; 0 when nothing is certain.
    var certainTrackCount: Int
    /// Whether the best of several certain tracks leaves the others far behind.
    var bestStandsOut: Bool
  }

  /// The most tracks that can hold the same sound and still be an answer.
  static let sharingTrackCountMax = 3
  /// Nats, and share of its evidence, by which one of several certain tracks has to lead.
  private static let standingOut = (nats: 15.0, share: 0.2)

  /// Judges evidence, best first. One track may be certain; or two or three that share the sound,
  /// each certain against all the rest, where only their likeness had hidden it.
  func verdict(_ ranking: [RankedTrack]) -> Verdict {
    let evidence = ranking.map(\.score.evidence)
    var first = -Double.infinity
    for count in 1...Self.sharingTrackCountMax where count <= evidence.count {
      let certainty = certainty(
        of: ranking[count - 1], others: Array(evidence[count...]))
      if count == 1 { first = certainty }
      guard certainty > Self.acceptedCertainty else { continue }
      let lead = evidence[0] - evidence[min(1, evidence.count - 1)]
      return Verdict(
        certainty: certainty, certainTrackCount: count,
        bestStandsOut: lead > Self.standingOut.nats
          && lead > Self.standingOut.share * evidence[0])
    }
    return Verdict(certainty: first, certainTrackCount: 0, bestStandsOut: false)
  }

  /// Minus the logarithm of the probability that a wrong best item beats the others by so much in one
  /// listening.
  func certainty(of best: RankedTrack, others: [Double]) -> Double {
    let tail = Calibration.tail(
      isFirstStage: isFirstStage, isOwnSpeed: best.alignment.isAboutOwnSpeed)
    let look = certaintyAtLook(
      best: best.score.evidence, others: others, support: best.score.support)
    return tail.certainty + (look - tail.beginning) / tail.scale
  }

  /// The same in one look, at whatever speed.
  ///
  /// `others` holds the scores of all items that count as others, best first.
  private func certaintyAtLook(best: Double, others: [Double], support: AlignmentSupport?)
    -> Double
  {
    var losers = others
    // A small catalog has few losers: what is missing is what a large one would usually have.
    var rank = losers.count
    while losers.count <= Self.loserCount {
      rank += 1
      let expected = calibration.bestWrong - calibration.scale * Self.harmonic(rank - 1)
      losers.append(min(losers.last ?? expected, expected))
    }
    let floor = losers[Self.loserCount]
    let excess = losers.prefix(Self.loserCount).reduce(0) { $0 + ($1 - floor) }
    let own = max(Self.scaleMin, excess / Double(Self.loserCount))
    let scale = (own + calibration.scale) / 2
    let runnerUp = max(
      losers[0], others.count < Self.loserCount ? calibration.bestWrong : losers[0])
    let bar = (runnerUp + floor + Self.expectedExcess * scale) / 2
    var margin = (best - bar) / scale
    if margin > 0 { margin *= Self.weight(of: support ?? AlignmentSupport()) }
    return log(5) + (margin - calibration.margin80) / calibration.marginScale
  }

  /// The share in which a margin counts.
  private static func weight(of support: AlignmentSupport) -> Double {
    let moving = support.movingEvidence / max(support.evidence, 1)
    return min(1, Double(support.bandCount) / bandCountFull)
      * min(1, max(0, moving / movingShareFull))
  }

  /// 1 + 1/2 + … + 1/n.
  private static func harmonic(_ n: Int) -> Double {
    n < 1 ? 0 : (1...n).reduce(0) { $0 + 1 / Double($1) }
  }
}
