/// The clock that cues follow: position = offset + speed × time since the first sample was in the air.
///
/// A pure value; every call takes the time, in seconds of the monotonic clock. It carries its own
/// uncertainty, which grows until the next listening, and says when that should be. Small corrections
/// are spread over time, so that no cue stutters; a place far off is taken at once.
public struct CaptionClock: Sendable, Hashable {
  /// What a clock is held to.
  public struct Settings: Sendable, Hashable {
    /// The uncertainty at which to listen again, in seconds.
    public var uncertaintyMax = 0.045
    /// The longest time between two listenings, in seconds.
    public var checkInterval: Double
    /// The uncertainty up to which cues are shown at all, in seconds.
    public var trustMax = 0.2

    /// Settings with the interval at which a steady player is checked. Unit: seconds, 10 to 600.
    public init(checkInterval: Double = 60) {
      self.checkInterval = min(max(checkInterval, 10), 600)
    }
  }

  /// What the clock shows at a time.
  public struct Reading: Sendable, Hashable {
    /// The place in the reference that is played, in seconds.
    public var position: Double
    /// The playback rate against the reference.
    public var speed: Double
    /// The distance from the true place that is passed only once in twenty, in seconds.
    public var uncertainty: Double
    /// The usual rate that the evidence supports; nil while it singles none out.
    public var rate: UsualRate?
  }

  /// What a listening meant for the clock.
  public enum Change: Sendable, Hashable {
    /// Playing goes on where it was expected; the correction, in seconds.
    case steady(correction: Double)
    /// Playing goes on elsewhere: a seek, a pause, a cut. By how much, in seconds; forwards is above zero.
    case moved(by: Double)
  }

  /// How it is held.
  public var settings: Settings
  private var estimate: PlaybackEstimate
  /// When the last listening that told a place had heard enough, in seconds of the monotonic clock.
  public private(set) var lastSighting: Double
  private let firstSighting: Double
  /// What is still to be corrected, and since when that is so.
  private var residue = 0.0
  private var residueTime = 0.0
  private var shifted = 0.0
  private let isByHand: Bool
  /// Whether the last listening was taken for one of the few whose place is off.
  private var isUnconfirmed = false
  /// Whether the last listening that told the place moved the clock by much: the next one tells it too.
  private var isMoved = false
  /// The first listenings, weighed together until there are enough; nil from then on, and after a jump.
  private var early: [PlaceSighting]?
  private static let earlyCount = 6
  /// How many of them tell the place, whatever is known by then.
  private static let earlyExactCount = 4

  /// A listening farther off than this is no error of measurement at all, in seconds.
  static let strayMax = 0.2
  /// How fast a correction is worked in: a twentieth faster or slower is not seen on captions.
  static let slewSpeed = 0.05
  /// The longest that it takes, in seconds: what is farther off is worked in faster, never backwards.
  static let slewSeconds = 1.0
  /// A correction beyond this is made at once, in seconds: to be late for ten seconds would be worse.
  static let slewMax = 0.5
  /// The least time between two listenings, in seconds.
  static let gapMin = 3.0
  /// How much longer than all time before it a gap may be while the rate is not known, and the gap that
  /// is always allowed, in seconds.
  static let gapGrowth = 1.2
  static let gapGrowing = 6.0
  /// How long a listening takes as a rule, so that it is begun that much before it is due, in seconds.
  static let lead = 2.0
  /// How long opening the microphone takes as a rule, in seconds.
  static let openingLead = 0.3
  /// A listening this many deviations away is no error of measurement any more.
  static let surpriseMax = 4.5
  /// Nor is one this far away, whatever the deviations say, in seconds; below it is never a jump.
  static let jumpMin = 0.06

  /// A clock placed by a first listening.
  public init(_ sighting: PlaceSighting, settings: Settings = Settings()) {
    self.settings = settings
    estimate = PlaybackEstimate(sighting)
    lastSighting = sighting.firstSample + sighting.heard
    firstSighting = lastSighting
    early = [sighting]
    isByHand = false
  }

  /// A clock set by hand, without a microphone: it is trusted for as long as it runs.
  ///
  /// `position` is the place in the reference at `time`, both in seconds.
  public init(position: Double, speed: Double, at time: Double) {
    settings = Settings()
    estimate = PlaybackEstimate(position: position, speed: speed, at: time)
    lastSighting = time
    firstSighting = time
    isByHand = true
  }

  /// What the clock shows.
  public func reading(at now: Double) -> Reading {
    let known = estimate.reading(at: now)
    return Reading(
      position: known.position + remaining(at: now) + shifted, speed: known.speed,
      uncertainty: 2 * known.positionError, rate: known.rate)
  }

  /// Whether cues may be shown by it.
  public func isTrusted(at now: Double) -> Bool {
    2 * estimate.reading(at: now).positionError <= settings.trustMax
  }

  /// How long from a time on the clock is trusted without a listening, in seconds; at most a day.
  public func trustedSeconds(from now: Double) -> Double {
    secondsUntil(uncertainty: settings.trustMax, from: now, atMost: 86_400)
  }

  /// When to listen again: before the uncertainty passes its bound, and at the check interval.
  ///
  /// Never for a clock set by hand (nil).
  public func nextListening() -> Double? {
    guard !isByHand else { return nil }
    let wait = secondsUntil(
      uncertainty: settings.uncertaintyMax, from: lastSighting, atMost: settings.checkInterval)
    let early = wait - (wait < settings.checkInterval ? Self.lead : Self.openingLead)
    let soon = isUnconfirmed ? Self.gapGrowing : .infinity
    return lastSighting + max(min(early, growing, soon), Self.gapMin)
  }

  /// The longest gap that what is known of the speed so far allows: while no usual rate is certain, one
  /// that is off by a thousandth must show before it is seen, so that gaps grow with what they rest on.
  private var growing: Double {
    let known = lastSighting - firstSighting
    guard known > 0, estimate.reading(at: lastSighting).rate == nil else { return .infinity }
    return max(Self.gapGrowth * known, Self.gapGrowing)
  }

  /// Where playing is expected, for a listening to test first.
  public struct Expectation: Sendable, Hashable {
    /// The time, in seconds of the monotonic clock.
    public var time: Double
    /// The place in the reference then, in seconds.
    public var position: Double
    /// The playback rate against the reference.
    public var speed: Double
    /// Seconds to each side within which the place is known.
    public var within: Double
    /// Whether the clock is so well known that it is enough to hear that playing goes on there.
    public var confirmsOnly: Bool
  }

  /// The uncertainty, in seconds, up to which a listening need not tell the place anew: half of what
  /// a cue may be off.
  static let settledMax = 0.0225
  /// A correction beyond this, in seconds, is to be seen a second time.
  static let correctionUsual = 0.015
  /// Deviations of the place that are looked at, and the least distance, in seconds.
  static let expectedDeviations = 5.0
  static let expectedWithinMin = 0.25

  /// The place where playing is expected at a time, for a listening to test first.
  public func expectation(at now: Double) -> Expectation {
    let known = estimate.reading(at: now)
    let within = Self.expectedWithinMin + Self.expectedDeviations * known.positionError
    let isSettled =
      (early?.count ?? .max) >= Self.earlyExactCount && !isUnconfirmed && !isMoved
      && !estimate.hasJumped && known.rate != nil
      && 2 * known.positionError <= Self.settledMax
    return Expectation(
      time: now, position: known.position, speed: known.speed, within: min(within, 2),
      confirmsOnly: isSettled)
  }

  /// Whether a listening is where playing is expected.
  public func expects(_ sighting: PlaceSighting) -> Bool {
    let surprise = estimate.surprise(sighting)
    return abs(surprise.seconds) <= Self.jumpMin || surprise.deviations <= Self.surpriseMax
  }

  /// Takes a listening. `now` is when its answer came.
  @discardableResult
  public mutating func take(_ sighting: PlaceSighting, at now: Double) -> Change {
    let before = reading(at: now).position
    lastSighting = max(lastSighting, sighting.firstSample + sighting.heard)
    let surprise = abs(estimate.surprise(sighting).seconds)
    if surprise <= Self.slewMax, let few = early.map({ $0 + [sighting] }),
      let fit = PlaybackEstimate.fitting(few)
    {
      estimate = fit.estimate
      isUnconfirmed = fit.isLastStray
      early = few.count < Self.earlyCount ? few : nil
    } else {
      early = nil
      // One that is off by little stands alone; where a second one agrees, playing has moved.
      let isStray = !isUnconfirmed && surprise <= Self.strayMax && estimate.isStray(sighting)
      isUnconfirmed = isStray
      guard isStray || expects(sighting) else {
        estimate.jump(to: sighting)
        residue = 0
        return .moved(by: reading(at: now).position - before)
      }
      estimate.take(sighting, asStray: isStray)
    }
    residue = 0
    let correction = reading(at: now).position - before
    if sighting.offsetError < PlaceSighting.offsetErrorConfirming {
      isMoved = abs(correction) > Self.correctionUsual
    }
    if abs(correction) <= Self.slewMax {
      residue = -correction
      residueTime = now
    }
    return .steady(correction: correction)
  }

  /// Moves the cues by hand; `seconds` above zero shows them earlier. It stays across listenings.
  public mutating func shift(by seconds: Double) { shifted += seconds }

  /// The shift made by hand so far, in seconds.
  public var shift: Double { shifted }

  /// The time at which a place is reached, by what is known now; nil when it was passed.
  public func time(of position: Double, from now: Double) -> Double? {
    let reading = reading(at: now)
    guard position > reading.position, reading.speed > 0 else { return nil }
    return now + (position - reading.position) / reading.speed
  }

  /// What is left of the last correction.
  private func remaining(at now: Double) -> Double {
    let worked =
      max(Self.slewSpeed, abs(residue) / Self.slewSeconds) * max(0, now - residueTime)
    return residue > 0 ? max(0, residue - worked) : min(0, residue + worked)
  }

  /// Seconds until the uncertainty passes a bound. It only grows, so that halving finds it.
  private func secondsUntil(uncertainty: Double, from now: Double, atMost limit: Double) -> Double {
    func isWithin(_ seconds: Double) -> Bool {
      2 * estimate.reading(at: now + seconds).positionError <= uncertainty
    }
    guard isWithin(0) else { return 0 }
    guard !isWithin(limit) else { return limit }
    var (low, high) = (0.0, limit)
    while high - low > 0.01 {
      let middle = (low + high) / 2
      if isWithin(middle) { low = middle } else { high = middle }
    }
    return low
  }
}
