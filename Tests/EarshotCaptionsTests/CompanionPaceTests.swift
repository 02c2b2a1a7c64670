import Testing

@testable import EarshotCaptions

@Suite("Companion pace") struct CompanionPaceTests {
  /// A video that does what it is told, about once a second.
  private struct Video {
    var position = 0.0
    var rate = 1.0

    mutating func take(_ pace: CompanionPace) {
      switch pace {
      case .play(let rate): self.rate = rate
      case .seek(let to, let rate): (position, self.rate) = (to, rate)
      }
    }
  }

  @Test(
    "stays within 200 ms of a film by the clock's own errors, and is back in step within 2 s",
    arguments: [1, 1.001, 0.96, 1.0427])
  func inStep(speed: Double) throws {
    var playing = Playing(speed: speed, seed: 11)
    var clock = CaptionClock(playing.heard(from: 0, for: 2, tellsSpeed: true))
    var video = Video()
    var offs: [Double] = []
    var checked = 0.0
    var outOfStepSince: Double?
    for step in 20..<1840 {
      let now = Double(step) / 10
      video.position += video.rate / 10
      if step == 900 { playing.seek(to: 700, at: now, speed: speed) }
      if let due = clock.nextListening(), now >= due || (now > 92 && checked < 92) {
        clock.take(playing.heard(from: now - 2, for: 2, tellsSpeed: true), at: now)
        checked = now
      }
      if step % 10 == 0 {
        let known = clock.reading(at: now)
        video.take(
          CompanionPace(video: video.position, position: known.position, speed: known.speed))
      }
      let off = abs(video.position - playing.position(at: now))
      // Between the seek and the listening that finds it the clock itself is elsewhere.
      if (90...92.1).contains(now) { continue }
      offs.append(off)
      if off > 0.2 {
        let since = outOfStepSince ?? now
        outOfStepSince = since
        #expect(now - since < 2, "out of step since \(since) at \(now)")
      } else {
        outOfStepSince = nil
      }
    }
    offs.sort()
    #expect(offs[offs.count / 2] < 0.1)
    #expect(offs[offs.count * 99 / 100] < 0.2)
  }

  @Test("moves a video that is far off, and only paces one that is near", arguments: [-1.0, 1.0])
  func choice(side: Double) {
    let far = CompanionPace(video: 10, position: 10 + side * 0.3125, speed: 1)
    #expect(far == .seek(to: 10 + side * 0.3125, rate: 1))
    // Quarters and sixteenths of a second are exact in binary.
    let near = CompanionPace(video: 10, position: 10 + side * 0.25, speed: 1)
    #expect(near == .play(rate: 1 + side * 0.125))
    let most = CompanionPace(video: 16, position: 16 + side * 0.296875, speed: 1)
    #expect(most == .play(rate: 1 + side * 0.1484375))
    #expect(CompanionPace(video: 10, position: 10.1, speed: 0) == .play(rate: 0))
  }
}
