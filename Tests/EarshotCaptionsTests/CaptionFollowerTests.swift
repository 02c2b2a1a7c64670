import Testing

@testable import EarshotCaptions
@testable import EarshotMatch

@Suite("Caption follower") struct CaptionFollowerTests {
  /// A follower that found the place at 10 s and was told the time since.
  static func following(
    _ consent: CaptionFollower.Consent = .whileOn, check: Double = 60
  ) -> CaptionFollower {
    var follower = CaptionFollower(
      consent: consent, settings: CaptionClock.Settings(checkInterval: check))
    follower.listeningBegan(at: 10)
    follower.listeningEnded(.place(item: "film", sighting(at: 10, offset: 100)), at: 13)
    return follower
  }

  static func sighting(at time: Double, offset: Double, speed: Double? = 1) -> PlaceSighting {
    PlaceSighting(firstSample: time, offset: offset, speed: speed, heard: 3)
  }

  @Test("it listens at once, then shows the place")
  func begins() {
    var follower = CaptionFollower(consent: .onceEach)
    #expect(follower.order(at: 0)?.expected == nil)
    #expect(follower.order(at: 0)?.limit == CaptionFollower.searchLimit)
    #expect(follower.position(at: 0) == nil)
    follower.listeningBegan(at: 0)
    #expect(follower.order(at: 1) == nil)
    follower.listeningEnded(.place(item: "film", Self.sighting(at: 0, offset: 50)), at: 3)
    #expect(follower.state == .following)
    #expect(abs((follower.position(at: 4) ?? 0) - 54) < 0.1)
    #expect(follower.item == "film")
  }

  @Test("B7: without consent for it no listening is made by itself, and the place is lost in time")
  func onceEach() {
    var follower = Self.following(.onceEach)
    var lostAt: Double?
    for now in stride(from: 13.0, to: 4000, by: 1) {
      follower.tick(ClockReading(seconds: now))
      #expect(follower.order(at: now) == nil)
      if lostAt == nil, follower.state == .lost(.untrusted) { lostAt = now }
    }
    #expect(lostAt ?? 0 > 60)
    follower.findAgain(at: 4000)
    #expect(follower.order(at: 4000)?.expected?.item == "film")
  }

  @Test("B7: with consent it checks again by itself, the expected place first")
  func whileOn() {
    let follower = Self.following()
    let due = follower.nextListening() ?? 0
    #expect(due > 13 && due < 75)
    let order = follower.order(at: due)
    #expect(order?.limit == CaptionFollower.checkLimit)
    #expect(abs((order?.expected?.place.position ?? 0) - (100 + due - 10)) < 0.1)
  }

  @Test("a check comes sooner, never later, where what is heard then has more to tell")
  func telling() {
    let plain = Self.following()
    let due = plain.nextListening() ?? 0
    // The place at which the check is due lies in a silence that begins a second before it.
    let position = 100 + due - 10
    let step = 0.256
    let counts = (0..<800).map { index in
      UInt8(Double(index) * step < position - 1 ? 12 : 0)
    }
    var follower = plain
    follower.sound = FollowedSound(duration: 200, moments: TellingMoments(counts: counts))
    let sooner = follower.nextListening() ?? 0
    #expect(sooner < due - 1 && sooner > due - 2.5)
    #expect(sooner > 13)
    // The same sound all over: nothing is gained by going sooner.
    follower.sound = FollowedSound(
      duration: 200, moments: TellingMoments(counts: [UInt8](repeating: 12, count: 800)))
    #expect(follower.nextListening() == due)
    // The clock's own bound holds, whatever there is to tell later.
    for seconds in stride(from: 20.0, to: 120, by: 10) {
      let silent = (0..<800).map { UInt8(Double($0) * step < seconds ? 0 : 20) }
      follower.sound = FollowedSound(duration: 200, moments: TellingMoments(counts: silent))
      #expect(follower.nextListening() ?? .infinity <= due)
    }
  }

  @Test("a check that is not confirmed within two seconds hides the cues until it is")
  func doubt() {
    var follower = Self.following()
    follower.listeningBegan(at: 30)
    follower.tick(ClockReading(seconds: 31.5))
    #expect(follower.state == .following)
    follower.tick(ClockReading(seconds: 32))
    #expect(follower.state == .inDoubt)
    #expect(follower.position(at: 32) == nil)
    follower.listeningEnded(.place(item: "film", Self.sighting(at: 30, offset: 120)), at: 33)
    #expect(follower.state == .following)
    #expect(follower.position(at: 33) != nil)
  }

  @Test("a check in vain hides the cues and is made once more before all is lost")
  func twice() {
    for isConfirmed in [true, false] {
      var follower = Self.following()
      follower.listeningBegan(at: 40)
      follower.listeningEnded(.noMatch, at: 42.3)
      #expect(follower.state == .inDoubt)
      #expect(follower.position(at: 42.3) == nil)
      #expect(follower.order(at: 43) == nil)
      let due = follower.nextListening() ?? 0
      #expect(due >= 43.8 && due <= 45.3)
      let order = follower.order(at: due)
      #expect(order?.limit == CaptionFollower.doubtLimit)
      #expect(abs((order?.expected?.place.position ?? 0) - (100 + due - 10)) < 0.1)
      follower.listeningBegan(at: due)
      // A long time in doubt is no trust in the clock.
      follower.tick(ClockReading(seconds: due + 1))
      #expect(follower.state == .inDoubt)
      if isConfirmed {
        let offset = 100 + due - 10
        follower.listeningEnded(
          .place(item: "film", Self.sighting(at: due, offset: offset)), at: due + 1)
        #expect(follower.state == .following)
        #expect(follower.position(at: due + 1) != nil)
      } else {
        follower.listeningEnded(.noMatch, at: due + 6)
        #expect(follower.state == .lost(.otherSound))
      }
    }
  }

  @Test("where a place in doubt is tested again tells more than what is played until then")
  func tellingDoubt() {
    var follower = Self.following()
    // A silence begins at 134.5 s, which is heard 44.5 s on the clock.
    let counts = (0..<800).map { UInt8(Double($0) * 0.256 < 134.5 ? 12 : 0) }
    follower.sound = FollowedSound(duration: 200, moments: TellingMoments(counts: counts))
    follower.listeningBegan(at: 40)
    follower.listeningEnded(.noMatch, at: 42)
    let due = follower.nextListening() ?? 0
    #expect(due >= 42 + CaptionFollower.doubtWait.lowerBound && due < 44)
  }

  @Test("a place elsewhere that a check finds is taken at once")
  func farOff() {
    var follower = Self.following()
    follower.listeningBegan(at: 40)
    follower.listeningEnded(.place(item: "film", Self.sighting(at: 40, offset: 160)), at: 42)
    #expect(follower.state == .following)
    #expect(abs((follower.position(at: 42) ?? 0) - 162) < 0.1)
  }

  @Test("a place in doubt is lost where no second test is allowed or comes about")
  func doubtWithoutConsent() {
    var follower = Self.following()
    follower.listeningBegan(at: 40)
    follower.listeningEnded(.noMatch, at: 42)
    follower.consent = .onceEach
    follower.tick(ClockReading(seconds: 43))
    #expect(follower.state == .lost(.otherSound))
    for answer in [CaptionFollower.Answer.failed, .denied, .tooOften(retryAfter: 30)] {
      var follower = Self.following()
      follower.listeningBegan(at: 40)
      follower.listeningEnded(.noMatch, at: 42)
      follower.listeningBegan(at: 44)
      follower.listeningEnded(answer, at: 44)
      guard case .lost = follower.state else {
        Issue.record("cues of a doubted place are shown after \(answer)")
        continue
      }
    }
  }

  @Test("a press is tested once, and for as long as that takes")
  func pressed() {
    var follower = Self.following(.onceEach)
    follower.findAgain(at: 40)
    #expect(follower.order(at: 40)?.limit == CaptionFollower.doubtLimit)
    follower.listeningBegan(at: 40)
    follower.listeningEnded(.noMatch, at: 46)
    #expect(follower.state == .lost(.otherSound))
  }

  @Test(
    "silence loses the place at once, all else at the second test, and it looks again by itself",
    arguments: [
      (CaptionFollower.Answer.noSignal, CaptionFollower.Loss.silence),
      (.noMatch, .otherSound), (.ambiguous([]), .ambiguous),
    ])
  func losses(answer: CaptionFollower.Answer, loss: CaptionFollower.Loss) {
    var follower = Self.following()
    follower.listeningBegan(at: 38)
    follower.listeningEnded(answer, at: 39)
    if loss != .silence { #expect(follower.state == .inDoubt) }
    follower.listeningBegan(at: 40)
    follower.listeningEnded(answer, at: 41)
    #expect(follower.state == .lost(loss))
    #expect(follower.position(at: 41) == nil)
    let wait = loss == .silence ? 10.0 : 5
    #expect(follower.order(at: 41 + wait - 0.1) == nil)
    #expect(follower.order(at: 41 + wait)?.expected?.item == "film")
    // A pause that ended: the place moved by its length.
    follower.listeningBegan(at: 46)
    follower.listeningEnded(.place(item: "film", Self.sighting(at: 46, offset: 126)), at: 49)
    #expect(follower.state == .following)
    guard case .moved(let distance) = follower.change else {
      Issue.record("a pause was not noticed")
      return
    }
    #expect(abs(distance + 10) < 0.1)
  }

  @Test("a search that is made again by itself is shorter, and leaves most of a minute in ten")
  func patience() throws {
    var follower = CaptionFollower(consent: .whileOn)
    var (now, open) = (0.0, 0.0)
    for attempt in 0..<4 {
      now = max(now, follower.nextListening() ?? now)
      let limit = try #require(follower.order(at: now)?.limit)
      #expect(limit == CaptionFollower.aloneLimit, "attempt \(attempt)")
      follower.listeningBegan(at: now)
      (now, open) = (now + limit, open + limit)
      follower.listeningEnded(.noMatch, at: now)
    }
    // Each listening has to leave twelve seconds; as many are left for checks.
    #expect(open <= 60 - 24)
    follower.findAgain(at: now)
    #expect(follower.order(at: now)?.limit == CaptionFollower.aloneLimit)
    follower.consent = .onceEach
    #expect(follower.order(at: now)?.limit == CaptionFollower.searchLimit)
  }

  @Test("waits between attempts double up to the check interval, and end")
  func waits() {
    var follower = Self.following()
    var now = 40.0
    var gaps: [Double] = []
    while let due = follower.nextListening(), gaps.count < 50 {
      gaps.append(due - now)
      now = max(now, due)
      follower.listeningBegan(at: now)
      follower.listeningEnded(.noMatch, at: now)
    }
    // The first is a check's, and the second that of the place in doubt.
    #expect(gaps.dropFirst(2).prefix(5) == [5, 10, 20, 40, 60])
    #expect(gaps.count == CaptionFollower.failuresMax + 1)
    follower.findAgain(at: now)
    #expect(follower.order(at: now) != nil)
  }

  @Test("another episode is told, unless nobody chose; then its captions are due")
  func otherItem() {
    var chosen = CaptionFollower(consent: .whileOn, wanted: "one")
    chosen.listeningBegan(at: 0)
    chosen.listeningEnded(.place(item: "two", Self.sighting(at: 0, offset: 5)), at: 3)
    #expect(chosen.state == .lost(.otherItem))
    #expect(chosen.item == "one")
    var open = Self.following()
    open.listeningBegan(at: 40)
    open.listeningEnded(.place(item: "two", Self.sighting(at: 40, offset: 5)), at: 43)
    #expect(open.state == .following)
    #expect(open.item == "two")
    #expect(abs((open.position(at: 44) ?? 0) - 9) < 0.1)
  }

  @Test("of several places the expected one is believed, and none where none is expected")
  func ambiguous() {
    func answer(_ offsets: [Double]) -> CaptionFollower.Answer {
      .ambiguous(
        offsets.map { .init(item: "film", sighting: Self.sighting(at: 40, offset: $0)) })
    }
    var follower = Self.following()
    follower.listeningBegan(at: 40)
    follower.listeningEnded(answer([20, 130, 400]), at: 43)
    #expect(follower.state == .following)
    for time in [50.0, 56] {
      follower.listeningBegan(at: time)
      follower.listeningEnded(answer([20, 400]), at: time + 3)
    }
    #expect(follower.state == .lost(.ambiguous))
    var new = CaptionFollower(consent: .whileOn)
    new.listeningBegan(at: 0)
    new.listeningEnded(answer([20]), at: 3)
    #expect(new.state == .lost(.ambiguous))
  }

  @Test("a suspended machine loses the place, time set anew does not")
  func suspended() {
    var follower = Self.following()
    follower.tick(ClockReading(seconds: 14, suspended: 3))
    #expect(follower.state == .following)
    follower.tick(ClockReading(seconds: 15, suspended: 3.019))
    #expect(follower.state == .following)
    follower.tick(ClockReading(seconds: 16, suspended: 3.1))
    #expect(follower.state == .lost(.suspended))
  }

  @Test("the end of the item ends it")
  func ended() {
    var follower = Self.following()
    follower.sound = FollowedSound(duration: 120)
    follower.tick(ClockReading(seconds: 30.5))
    #expect(follower.state == .following)
    follower.tick(ClockReading(seconds: 31.5))
    #expect(follower.state == .lost(.ended))
    #expect(follower.nextListening() == nil)
  }

  @Test("a listening that could not be made leaves the cues on while the clock is trusted")
  func failed() {
    for answer in [
      CaptionFollower.Answer.failed, .tooShort, .denied, .tooOften(retryAfter: 30),
    ] {
      var follower = Self.following()
      follower.listeningBegan(at: 40)
      follower.tick(ClockReading(seconds: 43))
      follower.listeningEnded(answer, at: 43)
      #expect(follower.state == .following)
      let due = follower.nextListening()
      switch answer {
      case .denied: #expect(due == nil)
      case .tooOften: #expect(due == 73)
      default: #expect(due ?? 0 >= 48)
      }
    }
    var never = CaptionFollower(consent: .whileOn)
    never.listeningBegan(at: 0)
    never.listeningEnded(.denied, at: 1)
    #expect(never.state == .lost(.denied))
    #expect(never.order(at: 100) == nil)
  }

  @Test("shifts by hand stay when the place is found again")
  func shifts() {
    var follower = Self.following()
    let before = follower.position(at: 13) ?? 0
    follower.shift(by: 0.3)
    #expect(abs((follower.position(at: 13) ?? 0) - before - 0.3) < 1e-9)
    follower.listeningBegan(at: 40)
    follower.listeningEnded(.place(item: "two", Self.sighting(at: 40, offset: 5)), at: 43)
    #expect(abs((follower.position(at: 43) ?? 0) - 8.3) < 0.05)
  }
}
