import EarshotSignature
import Glibc

/// How certain the best item of a ranking is, judged against what wrong items reach.
///
/// The tail of wrong items' scores is exponential. Its scale comes from the query's own losers: the
/// mean excess of the best fifteen over the sixteenth, drawn halfway to the scale that is usual at
/// this length. The margin over the best other item in these units is then compared with how large
/// it gets for wrong items, which training counted look by look, and then listening by listening:
/// apart for the first second and for other speeds than the reference's own, where wrong items get
/// further, because there is so much more to choose from. The same is done with what the discriminant says
/// of all that stands behind the alignment, and the two are drawn together.
struct Decision {
  /// Losers whose excess gives the scale.
  private static let loserCount = 15
  /// 1 + 1/2 + … + 1/15: the expected excess, in units of the scale, of the best of fifteen.
  private static let expectedExcess = 3.318
  /// Half octaves that have to speak for an alignment for its margin to count in full.
  static let bandCountFull = 6.0
  /// The share of the bounded evidence that has to come from what moves for the same: a steady sound
  /// matches held notes with no more than a twentieth, music that is there has a tenth at least.
  private static let movingShareFull = 0.1
  /// The spread of evidence over time from which a look's certainty counts in full, at one second. What
  /// single moments bring spreads the less, the longer it is heard: it falls with the root of the seconds.
  private static let spreadFullAtOneSecond = 0.65
  /// The share of that which is asked for at an expected place, where there is so much less to choose from.
  private static let expectedSpreadShare = 0.7
  /// How far the discriminant's certainty counts beside the margin's, and the most that it adds or takes:
  /// without a margin nothing is certain; and where only a part of what was heard is what it is taken for, after
  /// a pause or another piece, coverage says little and the margin has to do.
  private static let discriminantShare = 0.8
  private static let discriminantReach = 4.0
  /// The least scale, in nats.
  private static let scaleMin = 0.3
  /// The accepted certainties: minus the logarithm of the probability that a wrong item gets as far in a
  /// listening, by the tail that was counted. In the first second and after it, each first at the reference's
  /// own speed and then at others.
  ///
  /// In the first second little that is right is decided at another speed, and as much that is wrong as at its
  /// own: so more is asked for there, and less later at its own speed. Of 6,061 listenings to music whose own
  /// band is in the catalog five are accepted, of which three play the same piece; none is taken for another
  /// band's.
  static let acceptedCertainties = [8.2, 9, 7.9, 8.2]
  /// The same for an expected place, which the margin alone has to reach.
  static let expectedCertainty = 8.7

  let calibration: Calibration.Look
  private let seconds: Double
  private let isFirstStage: Bool
  private let isExpected: Bool
  private let spreadFull: Double

  init(heardSampleCount: Int, isExpected: Bool = false) {
    seconds = Double(heardSampleCount) / Double(AnalyzerSettings.sampleRate)
    self.isExpected = isExpected
    calibration = Calibration.look(at: seconds)
    spreadFull =
      (isExpected ? Self.expectedSpreadShare : 1) * Self.spreadFullAtOneSecond
      / max(1, seconds).squareRoot()
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
      let certainty = certainty(of: ranking[count - 1], against: ranking[count...])
      if count == 1 { first = certainty }
      guard isCertain(ranking[count - 1], certainty) else { continue }
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
  ///
  /// Where the others are few, their second places stand beside them.
  func certainty(of best: RankedTrack, against others: some Collection<RankedTrack>) -> Double {
    var evidence = others.map(\.score.evidence)
    if evidence.count <= Self.loserCount {
      evidence += others.flatMap(\.otherPlaces)
      evidence.sort(by: >)
    }
    return certainty(of: best, others: evidence, trackCount: others.count)
  }

  /// The same against scores alone, best first, of which `trackCount` are other items: all of them where
  /// it is nil.
  func certainty(of best: RankedTrack, others: [Double], trackCount: Int? = nil) -> Double {
    let support = best.score.support ?? AlignmentSupport()
    let isOwnSpeed = best.alignment.isAboutOwnSpeed
    let margin = margin(
      of: best.score.evidence, over: others, trackCount: trackCount ?? others.count)
    let weight = Self.weight(of: support)
    let spread = min(1, support.spread / spreadFull)
    let weighed = margin > 0 ? margin * weight : margin
    var atLook = log(5) + (weighed - calibration.margin80) / calibration.marginScale
    if atLook > 0 { atLook *= spread }
    let byMargin = Calibration.marginTail(isFirstStage: isFirstStage, isOwnSpeed: isOwnSpeed)
      .certainty(of: atLook)
    if isExpected { return byMargin }
    let discriminant = Discriminant(
      seconds: seconds, margin: margin, weighedMargin: max(0, margin) * weight * spread,
      isOwnSpeed: isOwnSpeed, score: best.score, support: support)
    let byDiscriminant = Calibration.discriminantTail(
      isFirstStage: isFirstStage, isOwnSpeed: isOwnSpeed
    ).certainty(of: discriminant.value(isFirstStage: isFirstStage))
    let drawn = Self.discriminantShare * (byDiscriminant - byMargin)
    return byMargin + min(max(drawn, -Self.discriminantReach), Self.discriminantReach)
  }

  /// Whether so much certainty is enough for a track, at this look and the track's speed.
  func isCertain(_ track: RankedTrack, _ certainty: Double) -> Bool {
    let kind = Calibration.kind(isFirstStage, track.alignment.isAboutOwnSpeed)
    return certainty > Self.acceptedCertainties[kind]
  }

  /// The probability that an answer with the best track is right, when half of what is heard is in no
  /// catalog. What is told as certain by a kind of look that seldom finds something is wrong more often.
  func confidence(of best: RankedTrack, certainty: Double) -> Double {
    let right = Calibration.rightDensity(
      isFirstStage: isFirstStage, isOwnSpeed: best.alignment.isAboutOwnSpeed)
    return 1 / (1 + exp(-certainty) / right)
  }

  /// By how many scales the best score lies above what wrong ones reach in one look.
  ///
  /// `others` holds the scores of all that counts as others, best first.
  private func margin(of best: Double, over others: [Double], trackCount: Int) -> Double {
    var losers = others
    if trackCount <= Self.loserCount {
      // A small catalog has few losers: they reach at least what those of a large one usually do.
      for rank in 0...Self.loserCount {
        let expected = calibration.bestWrong - calibration.scale * Self.harmonic(rank)
        if rank < losers.count {
          losers[rank] = max(losers[rank], expected)
        } else {
          losers.append(expected)
        }
      }
    }
    let floor = losers[Self.loserCount]
    let excess = losers.prefix(Self.loserCount).reduce(0) { $0 + ($1 - floor) }
    let own = max(Self.scaleMin, excess / Double(Self.loserCount))
    let scale = (own + calibration.scale) / 2
    let bar = (losers[0] + floor + Self.expectedExcess * scale) / 2
    return (best - bar) / scale
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
