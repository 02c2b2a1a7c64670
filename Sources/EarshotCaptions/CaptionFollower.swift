internal import EarshotMatch

/// Follows playing through listenings: when to listen, what an answer means, and whether cues may
/// be shown.
///
/// A pure value. It opens nothing and waits for nothing: the caller tells it the time and what
/// listenings brought, and asks it what to do. Cues are hidden from the moment the place is in doubt,
/// so that no wrong one is shown for longer than one check and two seconds.
public struct CaptionFollower: Sendable {
  /// Who decides about a listening.
  public enum Consent: Sendable, Hashable {
    /// One press, one listening: when the place can't be trusted any more it is lost, and found
    /// again by another press (rule B7).
    case onceEach
    /// The person allowed listening while captions are on.
    case whileOn
  }

  /// Why there is no place.
  public enum Loss: String, Sendable, Hashable {
    /// No listening was made yet.
    case notFoundYet = "not-found-yet"
    /// Nothing is heard: playing is paused, or the scene is silent.
    case silence
    /// Something else is heard: commercials, talk, or playing stopped.
    case otherSound = "other-sound"
    /// Another item of the catalog is heard.
    case otherItem = "other-item"
    /// Several places or items fit.
    case ambiguous
    /// The machine was suspended; the time that passed says nothing of playing.
    case suspended
    /// The last listening is too long ago.
    case untrusted
    /// The item has ended.
    case ended
    /// Nobody allowed to listen.
    case denied
    /// Listening failed.
    case failed
  }

  /// What is known.
  public enum State: Sendable, Hashable {
    /// The first listening is due or runs.
    case searching
    /// The place is known, and cues are shown.
    case following
    /// A check has not confirmed the place within two seconds: cues are hidden until it does, or the next
    /// listening.
    case inDoubt
    /// The place is lost.
    case lost(Loss)
  }

  /// How a listening ended.
  public enum Answer: Sendable, Hashable {
    /// One item, at one place.
    case place(item: String, PlaceSighting)
    /// Several items or places fit.
    case ambiguous([Candidate])
    case noMatch
    case noSignal
    case tooShort
    /// Too much was listened; seconds to wait.
    case tooOften(retryAfter: Double)
    case denied
    case failed

    /// One of several that fit.
    public struct Candidate: Sendable, Hashable {
      /// The item's identifier.
      public var item: String
      /// Where it would be.
      public var sighting: PlaceSighting

      /// A candidate.
      public init(item: String, sighting: PlaceSighting) {
        self.item = item
        self.sighting = sighting
      }
    }
  }

  /// A listening that should be made now.
  public struct Order: Sendable, Hashable {
    /// What is expected, to be tested first; nil searches everything.
    public var expected: Expected?
    /// The longest the microphone may stay open, in seconds.
    public var limit: Double

    /// An item, and where in it playing is expected.
    public struct Expected: Sendable, Hashable {
      /// The item's identifier.
      public var item: String
      /// The place, and how well it is known.
      public var place: CaptionClock.Expectation
    }
  }

  /// What is known now.
  public private(set) var state = State.searching
  /// The item that is followed; it stays known while its place is lost.
  public private(set) var item: String?
  /// What the last listening that found a place meant for the clock; nil for a first place.
  public private(set) var change: CaptionClock.Change?
  /// The clock; nil before the first place.
  public private(set) var clock: CaptionClock?
  /// The item's sound, where it is known.
  public var sound: FollowedSound?

  /// Who decides about a listening. It may change while captions are on, when the person says so.
  public var consent: Consent
  private let settings: CaptionClock.Settings
  /// An item that the person chose; others are told as `otherItem`.
  private let wanted: String?
  private var listeningSince: Double?
  private var isAsked = true
  /// Whether the listening that runs is a check after which a doubted place is tested once more.
  private var isCheck = false
  private var nextTry: Double?
  private var failureCount = 0
  private var suspendedSeconds: Double?
  private var isDenied = false
  /// No listening is made by itself before this time, whatever else is due.
  private var heldUntil = -Double.infinity

  /// How long a check may run before the place counts as doubtful, in seconds. With the time that
  /// opening takes, cues are hidden within two seconds of a check that is due.
  static let doubtSeconds = 1.6
  /// The longest listening that searches everything, in seconds: what the consent covers.
  public static let searchLimit = 12.0
  /// The same where it is made again by itself. By then playing has come to where more can be told; of a
  /// minute in ten, which is all there is (rule L9), three long ones leave nothing for the checks.
  static let aloneLimit = 8.0
  /// The longest check of an expected place after which it is tested again by itself, in seconds. What is
  /// expected shows within two, or is hidden by a quiet scene that passes sooner than it is heard through.
  static let checkLimit = 2.1
  /// The longest test of a place that is in doubt, in seconds: from two on everything is searched.
  static let doubtLimit = 6.0
  /// When a place in doubt is tested again, in seconds after the check: at the moment between that tells most.
  static let doubtWait = 1.5...3.0
  /// The first wait after a listening that found no place, in seconds; it doubles up to the interval.
  static let retryFirst = 5.0
  /// How much sooner a check may be made than it is due, in seconds, and as a share of the time since the
  /// listening before it.
  static let soonerMax = 20.0
  static let soonerShare = 1.0 / 3
  /// Listenings in a row that may fail before no more are made by themselves.
  static let failuresMax = 12
  /// Suspension that is noticed, in seconds; the two clocks never differ by so much otherwise.
  static let suspendMin = 0.02

  /// A follower that has heard nothing yet. `wanted` is the item that the person chose, if they did.
  public init(
    consent: Consent, settings: CaptionClock.Settings = CaptionClock.Settings(),
    wanted: String? = nil
  ) {
    self.consent = consent
    self.settings = settings
    self.wanted = wanted
    item = wanted
  }

  /// A follower of a clock that a person set, which never listens.
  public init(byHand clock: CaptionClock, item: String? = nil) {
    consent = .onceEach
    settings = clock.settings
    wanted = item
    self.item = item
    self.clock = clock
    isAsked = false
    state = .following
  }

  // MARK: What the caller asks

  /// The place whose cues may be shown; nil while there is none.
  public func position(at now: Double) -> Double? {
    guard state == .following, let clock else { return nil }
    return clock.reading(at: now).position
  }

  /// The listening that should be begun at a time; nil when there is none to begin.
  public func order(at now: Double) -> Order? {
    guard listeningSince == nil, let due = nextListening(), now >= due else { return nil }
    guard let clock, let item, state != .lost(.otherItem) else {
      return Order(expected: nil, limit: searchPatience)
    }
    var place = clock.expectation(at: now)
    var limit = searchPatience
    switch state {
    case .following: limit = isTestedTwice ? Self.checkLimit : Self.doubtLimit
    case .inDoubt: limit = Self.doubtLimit
    case .searching, .lost: place.confirmsOnly = false
    }
    return Order(expected: Order.Expected(item: item, place: place), limit: limit)
  }

  /// Whether a check that would begin now may leave the rest to a second one.
  private var isTestedTwice: Bool { state == .following && consent == .whileOn && !isAsked }

  /// How long a search of everything may take now.
  private var searchPatience: Double {
    consent == .whileOn ? Self.aloneLimit : Self.searchLimit
  }

  /// When the next listening is due; nil when none will be made by itself.
  public func nextListening() -> Double? {
    guard listeningSince == nil, !isDenied || isAsked else { return nil }
    let due: Double?
    if isAsked {
      due = -Double.infinity
    } else if consent == .onceEach || failureCount >= Self.failuresMax {
      due = nil
    } else {
      due = state == .following ? checkTime : nextTry
    }
    return due.map { max($0, heldUntil) }
  }

  /// When a check is due: as late as the clock allows, or sooner where what is played then has more to
  /// tell, so that the microphone is open for less.
  private var checkTime: Double? {
    guard let clock, let due = clock.nextListening() else { return nil }
    guard let moments = sound?.moments else { return due }
    let place = clock.expectation(at: due + CaptionClock.openingLead)
    let ahead = min(Self.soonerMax, (due - clock.lastSighting) * Self.soonerShare)
    let best = moments.best(in: place.position - ahead * place.speed...place.position)
    return due - (place.position - best) / place.speed
  }

  /// The next time at which something may change by itself: a doubt, a listening, the end of trust.
  public func nextChange(after now: Double) -> Double {
    var times = [now + 1]
    if let due = nextListening(), due > now { times.append(due) }
    if let since = listeningSince, state == .following { times.append(since + Self.doubtSeconds) }
    return times.filter { $0 > now }.min() ?? now + 1
  }

  // MARK: What the caller tells

  /// Tells the time. It should be told at least once a second.
  public mutating func tick(_ reading: ClockReading) {
    let now = reading.seconds
    let suspended = reading.suspendedSeconds
    if let before = suspendedSeconds, suspended - before > Self.suspendMin, clock != nil {
      // A film on this machine stood still too, and one beside it did not: nobody can tell.
      lose(.suspended, at: now)
    }
    suspendedSeconds = suspended
    // Where a second test is not allowed any more, the first one stands.
    if state == .inDoubt, listeningSince == nil, nextListening() == nil {
      lose(.otherSound, at: now)
    }
    guard state == .following, let clock else { return }
    if let duration = sound?.duration, clock.reading(at: now).position > duration + 1 {
      lose(.ended, at: now)
      failureCount = Self.failuresMax
    } else if let since = listeningSince, now - since >= Self.doubtSeconds {
      state = .inDoubt
    } else if !clock.isTrusted(at: now) {
      lose(.untrusted, at: now)
    }
  }

  /// The person asks for the place to be found again.
  public mutating func findAgain(at now: Double) {
    isAsked = true
    failureCount = 0
    heldUntil = min(heldUntil, now)
  }

  /// The person moves the cues; above zero shows them earlier. It stays across listenings.
  public mutating func shift(by seconds: Double) { clock?.shift(by: seconds) }

  /// The microphone is open, or about to be.
  public mutating func listeningBegan(at now: Double) {
    listeningSince = now
    isCheck = isTestedTwice
    isAsked = false
  }

  /// A listening ended.
  public mutating func listeningEnded(_ answer: Answer, at now: Double) {
    listeningSince = nil
    isAsked = false
    if isCheck, isDoubtful(answer) { return doubt(at: now) }
    switch answer {
    case .place(let found, let sighting): take(found, sighting, at: now)
    case .ambiguous(let candidates):
      // Of several places, the one that was expected is the one to believe.
      let expected = candidates.filter { candidate in
        candidate.item == item && clock?.expects(candidate.sighting) ?? false
      }
      if expected.count == 1, case .some(let candidate) = expected.first {
        take(candidate.item, candidate.sighting, at: now)
      } else {
        lose(.ambiguous, at: now)
      }
    case .noMatch: lose(.otherSound, at: now)
    case .noSignal: lose(.silence, at: now)
    case .tooShort, .failed: keep(.failed, at: now)
    case .denied:
      isDenied = true
      keep(.denied, at: now)
    case .tooOften(let seconds):
      keep(.failed, at: now)
      heldUntil = now + max(seconds, 1)
    }
  }

  /// Whether a check ended without confirming its place, and without telling that nothing is heard.
  private func isDoubtful(_ answer: Answer) -> Bool {
    switch answer {
    case .noMatch: true
    case .ambiguous(let candidates):
      !candidates.contains { $0.item == item && clock?.expects($0.sighting) ?? false }
    case .place, .noSignal, .tooShort, .tooOften, .denied, .failed: false
    }
  }

  /// Hides the cues, and tests the place once more soon, where what is played then tells most.
  private mutating func doubt(at now: Double) {
    state = .inDoubt
    change = nil
    nextTry = now + Self.doubtWait.lowerBound
    guard let moments = sound?.moments, let clock else { return }
    let lead = CaptionClock.openingLead
    let first = clock.expectation(at: now + Self.doubtWait.lowerBound + lead)
    let last = clock.expectation(at: now + Self.doubtWait.upperBound + lead)
    guard first.position < last.position else { return }
    let best = moments.best(in: first.position...last.position)
    nextTry = now + Self.doubtWait.lowerBound + (best - first.position) / first.speed
  }

  /// Nothing was heard, so that nothing is known to be wrong: a clock runs on while it is trusted, unless a
  /// check has made it doubtful.
  private mutating func keep(_ loss: Loss, at now: Double) {
    if state == .inDoubt, nextTry == nil { state = .following }
    guard state == .following else { return lose(loss, at: now) }
    heldUntil = now + Self.retryFirst
  }

  private mutating func take(_ found: String, _ sighting: PlaceSighting, at now: Double) {
    guard wanted == nil || wanted == found else { return lose(.otherItem, at: now) }
    failureCount = 0
    nextTry = nil
    if item == found, clock != nil {
      change = clock?.take(sighting, at: now)
    } else {
      change = nil
      let shift = clock?.shift ?? 0
      var placed = CaptionClock(sighting, settings: settings)
      placed.shift(by: shift)
      clock = placed
      if item != found { sound = nil }
      item = found
    }
    state = .following
  }

  private mutating func lose(_ loss: Loss, at now: Double) {
    state = .lost(loss)
    let wait = Self.retryFirst * Double(1 << min(failureCount, 6))
    failureCount += 1
    nextTry = now + min(wait, settings.checkInterval)
  }
}
