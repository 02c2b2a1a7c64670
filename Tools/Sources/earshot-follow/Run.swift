import EarshotCaptions
import EarshotCatalog
import EarshotMatch
import EarshotSignature
import Foundation

/// Follows a film in simulated time, to measure how long the microphone is open and how exact places are.
///
///     earshot-follow --catalog FILMS.earshot --item film --sound PLAYED.wav [--speed S] [--minutes M]
///     earshot-follow … --probe STEP
///     earshot-follow … --find STEP
///
/// The sound is what is in the air: the item played at the speed from its beginning on, with noise or a
/// room. The follower, the clock and the matcher are the product's own; only time is not waited for.
/// `--starts N` begins the run at N moments, evenly spread over what the sound leaves. `--probe` tests
/// the expected place every so many seconds, and eight places where the film is not (`--wrong N`); `--within`,
/// `--limit` and `--confirm` say how. `--find` searches everything every so many seconds, up to `--until`.
struct Run {
  let sound: Sound
  let space: SearchSpace
  let catalog: Catalog
  let item: String
  let speed: Double
  let check: Double
  let isVerbose: Bool

  /// Seconds from an order to the first sample, and that the microphone is open beyond what is heard:
  /// what the real path shows.
  static let openingSeconds = 0.25
  static let overheadSeconds = 0.06

  /// Seconds of open microphone in ten minutes (rule L9).
  private static let meter = (seconds: 60.0, window: 600.0)

  /// Seconds until another listening of so many seconds fits into the minute in ten.
  private func secondsToWait(
    _ uses: [ClosedRange<Double>], limit: Double, at now: Double
  ) -> Double {
    var wait = 0.0
    while true {
      let from = now + wait - Self.meter.window
      let open = uses.reduce(0) { $0 + max(0, $1.upperBound - max($1.lowerBound, from)) }
      if open + limit <= Self.meter.seconds { return wait }
      wait += 1
    }
  }

  /// The share of the time that the microphone may be open.
  static let openShareMax = 0.02

  struct Result {
    var openSeconds = 0.0
    var seconds = 0.0
    /// Seconds until the place was known for the first time, and the microphone open until then.
    var first: (seconds: Double, openSeconds: Double)?
    var listenings = 0
    var lost = 0
    var placeErrors: [Double] = []
    var clockErrors: [Double] = []

    var openShare: Double { openSeconds / seconds }

    func line(from start: Double) -> String {
      func at(_ share: Double, of errors: [Double]) -> Double {
        let sorted = errors.map { abs($0) * 1000 }.sorted()
        return sorted.isEmpty
          ? .nan : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
      }
      let known = first ?? (seconds, openSeconds)
      return String(
        format:
          "from %6.1f s: %4.1f min, %3d listenings, open %5.2f %% (found after %4.1f s; from there %5.2f %%), "
          + "lost %d, clock off %4.1f ms in the median, %4.1f for 95 of 100, %5.1f at worst%@",
        start, seconds / 60, listenings, 100 * openShare, known.seconds,
        100 * (openSeconds - known.openSeconds) / max(1, seconds - known.seconds), lost,
        at(0.5, of: clockErrors), at(0.95, of: clockErrors), at(1, of: clockErrors),
        openShare < Run.openShareMax ? "" : "  OVER")
    }
  }

  /// What an answer of the matcher is to the follower.
  private func answer(_ found: MatchAnswer, first: Double) throws -> CaptionFollower.Answer {
    let outcome: String =
      switch found.kind {
      case .match: "match"
      case .ambiguous: "ambiguous"
      case .noMatch: "no-match"
      case .noSignal: "no-signal"
      case .tooShort: "too-short"
      }
    var places: [CaptionFollower.Answer.Place] = []
    for candidate in found.candidates {
      let id = try catalog.item(candidate.itemIndex).id
      places += (candidate.places.count > 1 ? candidate.places : [candidate.offset]).map {
        .init(item: id, offset: $0, speed: candidate.speed)
      }
    }
    return CaptionFollower.Answer(
      outcome: outcome, reason: nil, retryAfter: nil, heard: found.heardSeconds,
      firstSampleNanoseconds: UInt64(first * 1e9), places: places)
  }

  /// One run of so many seconds from a moment of the sound on.
  func follow(from start: Double, seconds: Double) throws -> Result {
    var result = Result()
    var follower = CaptionFollower(
      consent: .whileOn, settings: CaptionClock.Settings(checkInterval: check))
    follower.sound = try CaptionedItem(item, in: catalog, path: [])?.sound
    let known = follower.sound
    var now = start
    var uses: [ClosedRange<Double>] = []
    while now < start + seconds {
      follower.tick(reading(now))
      note(follower, now, &result)
      guard let order = follower.order(at: now) else {
        now += 0.1
        continue
      }
      let wait = secondsToWait(uses, limit: order.limit, at: now)
      if wait > 0 {
        follower.listeningEnded(.tooOften(retryAfter: wait), at: now)
        if isVerbose { print(String(format: "%8.1f  too often: %.0f s to wait", now, wait)) }
        continue
      }
      follower.listeningBegan(at: now)
      let first = now + Self.openingSeconds
      let expected = order.expected.map {
        ExpectedPlace(
          itemID: $0.item, offset: $0.place.position + $0.place.speed * Self.openingSeconds,
          speed: $0.place.speed, within: $0.place.within, confirmsOnly: $0.place.confirmsOnly)
      }
      let options = MatchOptions(goal: .place, expected: expected, limitSeconds: order.limit)
      guard
        let found = try sound.listening(
          from: first, limit: order.limit, in: space, options: options)
      else { break }
      let open = found.startSeconds + found.heardSeconds + Self.overheadSeconds
      let end = first + open
      while now + 0.1 < end {
        now += 0.1
        follower.tick(reading(now))
        note(follower, now, &result)
      }
      now = end
      uses.append(first...end)
      let decided = first + found.startSeconds
      follower.listeningEnded(try answer(found, first: decided), at: now)
      follower.sound = known
      result.openSeconds += open
      if result.first == nil, follower.state == .following {
        result.first = (now - start, result.openSeconds)
      }
      result.listenings += 1
      if let offset = found.candidates.first?.offset, found.kind == .match {
        let middle = found.heardSeconds / 2
        let told = offset + (found.candidates[0].speed ?? speed) * middle
        result.placeErrors.append(told - speed * (decided + middle))
      }
      if case .lost = follower.state { result.lost += 1 }
      if isVerbose {
        let error = result.placeErrors.last ?? .nan
        let line = String(
          format: "%8.1f  heard %5.2f  off %6.1f ms  ", first,
          found.startSeconds + found.heardSeconds, error * 1000)
        print(line, found.kind, follower.state)
      }
    }
    result.seconds = now - start
    return result
  }

  private func reading(_ seconds: Double) -> ClockReading {
    let count = UInt64(seconds * 1e9)
    return ClockReading(monotonicNanoseconds: count, bootNanoseconds: count)
  }

  private func note(_ follower: CaptionFollower, _ now: Double, _ result: inout Result) {
    guard let position = follower.position(at: now) else { return }
    result.clockErrors.append((position - speed * now) / speed)
  }
}
