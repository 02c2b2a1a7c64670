import Testing

@testable import EarshotCapture

@Suite("The time of the first sample")
struct FirstSampleClockTests {
  @Test("is the median of what the reports say, so that single late ones do not move it")
  func median() {
    var clock = FirstSampleClock()
    #expect(clock.median == nil)
    for period in 1...20 {
      // The first sample was in the air at 1 s; every fifth report is 15 ms late.
      let late: UInt64 = period.isMultiple(of: 5) ? 15_000_000 : 0
      let isBroken = clock.report(
        now: 1_000_000_000 + UInt64(period) * 20_000_000 + late, delayFrames: 960,
        framesRead: (period - 1) * 960, rate: 48_000)
      #expect(!isBroken)
    }
    #expect(clock.median == 1_000_000_000)
  }

  @Test(
    "O-55: reports that stay away from the others mean that sound was lost, a twentieth of a second too",
    arguments: [51, 80, 199, 450])
  func loss(milliseconds: Int) {
    var clock = FirstSampleClock()
    func report(_ period: Int, lostMilliseconds: Int) -> Bool {
      clock.report(
        now: UInt64(1_000_000_000 + period * 20_000_000 + lostMilliseconds * 1_000_000),
        delayFrames: 960, framesRead: (period - 1) * 960, rate: 48_000)
    }
    for period in 1...20 { #expect(!report(period, lostMilliseconds: 0)) }
    // Exactly at the limit is still a late report; one past it counts.
    #expect((21...30).allSatisfy { !report($0, lostMilliseconds: 50) })
    let broken = (31...36).map { report($0, lostMilliseconds: milliseconds) }
    #expect(broken == [false, false, false, false, false, true])
  }

  @Test("late reports that differ from one another mean a server that is held up, and no loss")
  func heldUp() {
    var clock = FirstSampleClock()
    for period in 1...80 {
      // From the twentieth on each is late by another amount, as behind a queue that fills and empties.
      let late = period < 20 ? 0 : 60 + period * 37 % 200
      let isBroken = clock.report(
        now: UInt64(1_000_000_000 + period * 20_000_000 + late * 1_000_000),
        delayFrames: 960, framesRead: (period - 1) * 960, rate: 48_000)
      #expect(!isBroken, "report \(period)")
    }
    #expect(clock.median == 1_000_000_000)
  }
}
