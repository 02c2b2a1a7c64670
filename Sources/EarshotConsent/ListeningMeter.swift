/// How long each requester has listened lately under consents that last longer than once (L9).
///
/// Times are nanoseconds of the present run of the machine; sound heard before it started has a
/// negative time.
struct ListeningMeter: Sendable {
  static let windowNanoseconds: Int64 = 600 * 1_000_000_000
  static let budgetNanoseconds: Int64 = 60 * 1_000_000_000

  private struct Interval: Sendable {
    var use: String
    var start: Int64
    var end: Int64
  }

  private var intervals: [String: [Interval]] = [:]

  /// Counts a use from its opening for its whole limit, until its closing tells better.
  mutating func open(_ opening: UseOpening, now: Moment) {
    guard opening.isMetered else { return }
    let start = Self.instant(opening.time, now: now)
    let end = start + Int64(opening.limitMilliseconds) * 1_000_000
    guard end > Self.windowStart(now) else { return }
    intervals[opening.requester.subject, default: []].append(
      Interval(use: opening.id, start: start, end: end))
  }

  /// Counts what the microphone was open for; a closing that doesn't know leaves the whole limit.
  mutating func close(_ opening: UseOpening, _ closing: UseClosing, now: Moment) {
    let subject = opening.requester.subject
    guard let milliseconds = closing.milliseconds,
      let index = intervals[subject]?.firstIndex(where: { $0.use == opening.id })
    else { return }
    let end = Self.instant(closing.time, now: now)
    intervals[subject]?[index].start = end - Int64(max(0, milliseconds)) * 1_000_000
    intervals[subject]?[index].end = end
  }

  /// Seconds until `limitMilliseconds` more fit into the minute, 0 when they fit now.
  mutating func secondsToWait(subject: String, limitMilliseconds: Int, now: Moment) -> Int {
    let begin = Self.windowStart(now)
    intervals[subject]?.removeAll { $0.end <= begin }
    let recent = intervals[subject, default: []].sorted { $0.start < $1.start }
    if recent.isEmpty { intervals[subject] = nil }
    let lengths = recent.map { $0.end - max($0.start, begin) }
    let needed = lengths.reduce(Int64(limitMilliseconds) * 1_000_000, +)
    guard needed > Self.budgetNanoseconds else { return 0 }
    // The oldest sound leaves the window first; the wait ends when enough of it has left.
    var excess = needed - Self.budgetNanoseconds
    for (interval, length) in zip(recent, lengths) {
      guard length < excess else {
        let wait = max(interval.start, begin) + excess - begin
        return Int((wait + 999_999_999) / 1_000_000_000)
      }
      excess -= length
    }
    return Int(Self.windowNanoseconds / 1_000_000_000)
  }

  private static func windowStart(_ now: Moment) -> Int64 {
    Int64(clamping: now.monotonicNanoseconds) - windowNanoseconds
  }

  /// An instant on the present run's clock; across a restart only the wall clock can tell.
  private static func instant(_ time: Moment, now: Moment) -> Int64 {
    if time.boot == now.boot { return Int64(clamping: time.monotonicNanoseconds) }
    // A clock that was set by years must not overflow; more than a day ago is all the same here.
    let day: Int64 = 86_400_000
    let age = min(max(now.utcMilliseconds - time.utcMilliseconds, 0), day)
    return Int64(clamping: now.monotonicNanoseconds) - age * 1_000_000
  }
}
