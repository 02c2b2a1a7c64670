import EarshotMatch
import Foundation

/// Tests the expected place at many moments, and places where the film is not.
struct Probe {
  let run: Run
  let within: Double
  let confirmsOnly: Bool
  let limit: Double
  /// How many places where the film is not are tested at each moment.
  let wrongCount: Int

  /// Tests every so many seconds.
  func probe(step: Double) throws {
    var heard: [Double] = []
    var errors: [Double] = []
    var wrong = 0
    var tests = 0
    var wrongTests = 0
    var random = Numbers()
    var at = 3.0
    while at + limit + 1 < run.sound.seconds {
      let shifts = (0..<wrongCount).map { _ in Double.random(in: 20...600, using: &random) }
      for shift in [0.0] + shifts {
        let length = run.speed * run.sound.seconds - 4
        let place = (run.speed * at + 0.01 + shift).truncatingRemainder(dividingBy: length)
        let expected = ExpectedPlace(
          itemID: run.item, offset: place, speed: run.speed, within: within,
          confirmsOnly: confirmsOnly)
        // What is told of a wrong place does not depend on the speeds that all else is searched at.
        let options = MatchOptions(
          goal: .place, expected: expected, speeds: shift == 0 ? .all : .trueSpeed,
          limitSeconds: limit)
        guard
          let found = try run.sound.listening(
            from: at, limit: limit, in: run.space, options: options)
        else { continue }
        let offset = found.kind == .match ? found.candidates.first?.offset : nil
        if shift == 0 {
          tests += 1
          guard let offset else { continue }
          heard.append(found.startSeconds + found.heardSeconds)
          let middle = found.heardSeconds / 2
          let told = offset + (found.candidates[0].speed ?? run.speed) * middle
          errors.append(told - run.speed * (at + found.startSeconds + middle))
        } else {
          wrongTests += 1
          guard let offset, abs(offset - run.speed * found.startSeconds - place) < 2.5
          else { continue }
          wrong += 1
          print(
            String(
              format: "  wrongly at %.1f: %.2f, by %.1f s from %.1f s on", at, place,
              found.heardSeconds, found.startSeconds))
        }
      }
      at += step
    }
    let bounds = [0.41, 0.61, 0.81, 1.01, 1.41, 2.01, 3.01, 4.21, 6.01]
    let shares = bounds.map { bound in
      String(
        format: "%.1f s %.3f", bound - 0.01, Double(heard.count { $0 < bound }) / Double(tests))
    }
    print(
      "tests \(tests)  confirmed by", shares.joined(separator: "  "),
      " wrongly \(wrong) of \(wrongTests)")
    for bound in Set(heard).sorted() {
      let these = zip(heard, errors).filter { $0.0 == bound }.map { abs($0.1) * 1000 }.sorted()
      print(
        String(
          format: "  heard %.1f  %5d  off: median %.1f  p95 %.1f  worst %.1f ms", bound,
          these.count,
          these[these.count / 2], these[these.count * 95 / 100], these[these.count - 1]))
    }
  }
}

/// The same numbers in every run, so that two programs are asked the same.
struct Numbers: RandomNumberGenerator {
  private var state: UInt64 = 7

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}
