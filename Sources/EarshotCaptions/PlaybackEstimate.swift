internal import Glibc

/// Where playing is and how fast it goes, with what is known about the errors of both.
///
/// A Kalman filter of two values, place and speed, fed by the places of listenings. What it knows of
/// the speed by itself is laid against the usual rates only when it is asked, so that a rate that was
/// taken for usual by mistake leaves nothing behind. So is the speed that a listening told: a short
/// one is wrong by several hundredths now and then, and such a speed must not outlive the next place.
struct PlaybackEstimate: Sendable, Hashable {
  /// The time the values stand for, in seconds of the monotonic clock.
  private var time: Double
  private var position: Double
  private var speed: Double
  /// Variance of the place, covariance, variance of the speed.
  private var spread: (position: Double, both: Double, speed: Double)
  private var knowsRates: Bool
  /// The best speed that a listening told, and its variance.
  private var told: (speed: Double, variance: Double)?
  /// The place that the last listening jumped to, until one confirms it.
  private var lastJump: (time: Double, position: Double)?

  /// How much a player's speed wanders by itself, as variance of the speed gained in a second.
  /// Crystals warm up by some ten parts in a million within minutes.
  private static let wander = 30e-6 * 30e-6 / 60
  /// What is known of a speed that nobody measured, as a standard deviation.
  private static let speedDeviationUnknown = 0.03
  /// The speeds that two jumps in a row may mean.
  private static let speedsBetweenJumps = 0.8...1.25

  /// The estimate after the first listening.
  init(_ sighting: PlaceSighting) {
    (time, position) = sighting.middle(known: 1)
    speed = 1
    let deviation = Self.speedDeviationUnknown
    spread = (Self.variance(sighting, speedError: deviation), 0, deviation * deviation)
    knowsRates = true
    told = sighting.speed.map { ($0, sighting.speedError * sighting.speedError) }
  }

  /// A place and speed that a person named. They are taken as true.
  init(position: Double, speed: Double, at time: Double) {
    self.time = time
    self.position = position
    self.speed = speed
    spread = (0, 0, 0)
    knowsRates = false
  }

  /// The place's variance in a listening's middle. Without a speed the middle is itself unsure.
  private static func variance(_ sighting: PlaceSighting, speedError: Double) -> Double {
    let unsure = sighting.speed == nil ? speedError * sighting.heard / 2 : 0
    return sighting.offsetError * sighting.offsetError + unsure * unsure
  }

  /// One reading of what is known at a time.
  struct Reading: Sendable, Hashable {
    var position: Double
    var speed: Double
    /// Standard deviations.
    var positionError: Double
    var speedError: Double
    /// The usual rate that the evidence supports; nil while it does not single one out.
    var rate: UsualRate?
  }

  /// How much more likely than all else a usual rate must be to be named.
  private static let rateProbabilityMin = 0.99

  /// What is known at a time: a mixture of the usual rates and of every other speed, drawn together
  /// into one place, one speed and their errors.
  func reading(at now: Double) -> Reading {
    let own = predicted(at: now)
    guard knowsRates else {
      return Reading(position: own.position, speed: own.speed, positionError: 0, speedError: 0)
    }
    let parts = weighted.map { part in
      (weight: part.weight, estimate: part.estimate.predicted(at: now), rate: part.rate)
    }
    let total = parts.reduce(0) { $0 + $1.weight }
    let position = parts.reduce(0) { $0 + $1.weight / total * $1.estimate.position }
    let speed = parts.reduce(0) { $0 + $1.weight / total * $1.estimate.speed }
    var positionVariance = 0.0
    var speedVariance = 0.0
    for part in parts {
      let (fromPlace, fromSpeed) = (
        part.estimate.position - position, part.estimate.speed - speed
      )
      positionVariance +=
        part.weight / total * (part.estimate.spread.position + fromPlace * fromPlace)
      speedVariance += part.weight / total * (part.estimate.spread.speed + fromSpeed * fromSpeed)
    }
    let best = parts.max { $0.weight < $1.weight }
    let isSingledOut = (best?.weight ?? 0) / total >= Self.rateProbabilityMin
    return Reading(
      position: position, speed: speed, positionError: positionVariance.squareRoot(),
      speedError: speedVariance.squareRoot(), rate: isSingledOut ? best?.rate : nil)
  }

  /// How likely a told speed is wrong by far more than its error says, and how likely each speed is to
  /// be told then, for each unit of speed: one of a range of a tenth. Of the places that two seconds
  /// of music in a noisy room settled, about one in twenty had such a speed.
  private static let strayProbability = 0.05
  private static let strayDensity = 10.0

  /// What may be so, each with its weight: the usual rates, any other speed that the listening told
  /// rightly, and any other that it did not.
  private var weighted: [(weight: Double, estimate: PlaybackEstimate, rate: UsualRate?)] {
    var parts: [(weight: Double, estimate: PlaybackEstimate, rate: UsualRate?)] = []
    for rate in UsualRate.allCases {
      let variance = UsualRate.deviation * UsualRate.deviation
      var estimate = self
      estimate.update(speed: rate.speed, variance: variance)
      let density = Self.density(speed - rate.speed, variance: spread.speed + variance)
      parts.append((rate.prior * density * likelihood(of: rate.speed), estimate, rate))
    }
    guard let told else { return parts + [(UsualRate.otherDensity, self, nil)] }
    var estimate = self
    estimate.update(speed: told.speed, variance: told.variance)
    let density = Self.density(told.speed - speed, variance: spread.speed + told.variance)
    return parts + [
      (UsualRate.otherDensity * (1 - Self.strayProbability) * density, estimate, nil),
      (UsualRate.otherDensity * Self.strayProbability * Self.strayDensity, self, nil),
    ]
  }

  /// How likely the told speed is where the true one is known.
  private func likelihood(of speed: Double) -> Double {
    guard let told else { return 1 }
    return (1 - Self.strayProbability)
      * Self.density(told.speed - speed, variance: told.variance)
      + Self.strayProbability * Self.strayDensity
  }

  /// How far a listening is from what was expected, in seconds and in standard deviations.
  ///
  /// A speed that was wrongly taken for a usual one is no jump, so that the filter's own, wider
  /// knowledge is asked too.
  func surprise(_ sighting: PlaceSighting) -> (seconds: Double, deviations: Double) {
    let known = reading(at: sighting.firstSample + sighting.heard / 2)
    let middle = sighting.middle(known: known.speed)
    let own = predicted(at: middle.time)
    let variance = Self.variance(sighting, speedError: known.speedError)
    let difference = middle.position - known.position
    let deviation = (known.positionError * known.positionError + variance).squareRoot()
    let ownDeviation = (own.spread.position + variance).squareRoot()
    let deviations = min(
      abs(difference) / deviation, abs(middle.position - own.position) / ownDeviation)
    return (difference, deviations)
  }

  /// Takes a listening that fits what was expected; as a stray one it counts for little.
  mutating func take(_ sighting: PlaceSighting, asStray isStray: Bool = false) {
    let known = reading(at: sighting.firstSample)
    let middle = sighting.middle(known: known.speed)
    let variance = Self.variance(sighting, speedError: known.speedError)
    knowsRates = true
    lastJump = nil
    advance(to: max(time, middle.time))
    update(
      position: middle.position,
      variance: variance + (isStray ? Self.strayPlace * Self.strayPlace : 0))
    if !isStray { takeSpeed(of: sighting) }
  }

  /// How far off a short listening's place is where it is wrong, as a standard deviation in seconds.
  /// Of the places that 0.8 s in a room told, about one in twenty was 50 to 70 ms off.
  private static let strayPlace = 0.06

  /// Whether a listening is more likely one of the few that are off than one that tells something new.
  func isStray(_ sighting: PlaceSighting) -> Bool {
    logLikelihood(of: sighting, asStray: true) > logLikelihood(of: sighting, asStray: false)
  }

  /// The logarithm of how likely it was to hear a listening's place, for each second, as one of the few
  /// that are off or as one of the others.
  private func logLikelihood(of sighting: PlaceSighting, asStray isStray: Bool) -> Double {
    let known = reading(at: sighting.firstSample + sighting.heard / 2)
    let middle = sighting.middle(known: known.speed)
    let variance =
      Self.variance(sighting, speedError: known.speedError)
      + (isStray ? Self.strayPlace * Self.strayPlace : 0)
    var (sum, total) = (0.0, 0.0)
    for part in weighted {
      let expected = part.estimate.predicted(at: middle.time)
      sum +=
        part.weight
        * Self.density(
          middle.position - expected.position, variance: expected.spread.position + variance)
      total += part.weight
    }
    let prior = isStray ? Self.strayProbability : 1 - Self.strayProbability
    return log(max(prior * sum / total, .leastNormalMagnitude))
  }

  /// The estimate that the first few listenings make, of which one may be off: the one that is likeliest
  /// so is found by what the others say, before and after it.
  ///
  /// Nil where not even then the last fits in, as after a seek; `isLastStray` tells that it is the one.
  static func fitting(
    _ sightings: [PlaceSighting]
  ) -> (estimate: PlaybackEstimate, isLastStray: Bool)? {
    guard let first = sightings.first else { return nil }
    var best: (estimate: PlaybackEstimate, score: Double, last: Double, stray: Int)?
    for stray in 0..<sightings.count {
      // The first one, which all begins with, stands for none.
      var estimate = PlaybackEstimate(first)
      var (score, last) = (0.0, 0.0)
      for index in 1..<max(1, sightings.count) {
        last = estimate.logLikelihood(of: sightings[index], asStray: index == stray)
        score += last
        estimate.take(sightings[index], asStray: index == stray)
      }
      if score > best?.score ?? -.infinity { best = (estimate, score, last, stray) }
    }
    guard let best, best.last > fittingMin else { return nil }
    return (best.estimate, best.stray == sightings.count - 1)
  }

  /// The least logarithm of the likelihood with which a listening fits in: some five deviations away.
  private static let fittingMin = -8.0

  /// Remembers the speed that a listening told, where it says more than what is remembered; places
  /// far apart soon say more than either.
  private mutating func takeSpeed(of sighting: PlaceSighting) {
    let variance = sighting.speedError * sighting.speedError
    if let measured = sighting.speed, variance < (told?.variance ?? spread.speed) {
      told = (measured, variance)
    }
    if let known = told, known.variance > Self.saysLittle * spread.speed { told = nil }
  }

  /// Times as much variance as that of the places a told speed may have; beyond, it says nothing new.
  private static let saysLittle = 4.0

  /// Takes a listening after which playing goes on elsewhere, most likely in the same player.
  ///
  /// Two jumps in a row are more likely a speed that changed: it is then taken from the two.
  mutating func jump(to sighting: PlaceSighting) {
    let known = reading(at: sighting.firstSample)
    let middle = sighting.middle(known: known.speed)
    let placeVariance = Self.variance(sighting, speedError: known.speedError)
    if let before = lastJump, middle.time - before.time >= 1,
      case let between = (middle.position - before.position) / (middle.time - before.time),
      Self.speedsBetweenJumps.contains(between)
    {
      let step = middle.time - before.time
      speed = between
      spread = (placeVariance, placeVariance / step, 2 * placeVariance / (step * step))
      told = nil
    } else {
      advance(to: max(time, middle.time))
      spread = (placeVariance, 0, spread.speed)
    }
    (time, position) = middle
    lastJump = middle
    knowsRates = true
    takeSpeed(of: sighting)
  }

  /// Whether the last listening jumped, and none has confirmed that yet.
  var hasJumped: Bool { lastJump != nil }

  /// Moves the place by hand.
  mutating func shift(by seconds: Double) { position += seconds }

  /// The estimate carried to another time.
  private func predicted(at now: Double) -> PlaybackEstimate {
    var estimate = self
    estimate.advance(to: now)
    return estimate
  }

  private mutating func advance(to now: Double) {
    let step = now - time
    let size = abs(step)
    position += speed * step
    let wander = knowsRates ? Self.wander : 0
    spread.position +=
      2 * spread.both * step + spread.speed * step * step + wander * size * size * size / 3
    spread.both += spread.speed * step + wander * step * size / 2
    spread.speed += wander * size
    spread.position = max(spread.position, 0)
    time = now
  }

  private mutating func update(position measured: Double, variance: Double) {
    let gain = (
      spread.position / (spread.position + variance), spread.both / (spread.position + variance)
    )
    let difference = measured - position
    position += gain.0 * difference
    speed += gain.1 * difference
    spread.speed -= gain.1 * spread.both
    spread.both -= gain.0 * spread.both
    spread.position -= gain.0 * spread.position
  }

  private mutating func update(speed measured: Double, variance: Double) {
    let gain = (spread.both / (spread.speed + variance), spread.speed / (spread.speed + variance))
    let difference = measured - speed
    position += gain.0 * difference
    speed += gain.1 * difference
    spread.position -= gain.0 * spread.both
    spread.both -= gain.1 * spread.both
    spread.speed -= gain.1 * spread.speed
  }

  /// The normal density.
  private static func density(_ distance: Double, variance: Double) -> Double {
    let exponent = -distance * distance / (2 * variance)
    return exp(exponent) / (2 * Double.pi * variance).squareRoot()
  }

  static func == (left: PlaybackEstimate, right: PlaybackEstimate) -> Bool {
    left.time == right.time && left.position == right.position && left.speed == right.speed
      && left.spread == right.spread && left.knowsRates == right.knowsRates
      && left.told?.speed == right.told?.speed
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(time)
    hasher.combine(position)
  }
}
