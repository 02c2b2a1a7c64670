import EarshotMatch
import Foundation

/// Tests the expected place at many moments, and as often places where the film is not.
struct Probe {
  let run: Run
  let within: Double
  let confirmsOnly: Bool
  let limit: Double

  /// Tests every so many seconds.
  func probe(step: Double) throws {
    var heard: [Double] = []
    var errors: [Double] = []
    var wrong = 0
    var tests = 0
    var wrongTests = 0
    var random = SystemRandomNumberGenerator()
    var at = 3.0
    while at + limit + 1 < run.sound.seconds {
      for shift in [0.0] + (0..<8).map({ _ in Double.random(in: 20...600, using: &random) }) {
        let length = run.speed * run.sound.seconds - 4
        let place = (run.speed * at + 0.01 + shift).truncatingRemainder(dividingBy: length)
        let expected = ExpectedPlace(
          itemID: run.item, offset: place, speed: run.speed, within: within,
          confirmsOnly: confirmsOnly)
        let options = MatchOptions(goal: .place, expected: expected, limitSeconds: limit)
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
          if let offset, abs(offset - run.speed * found.startSeconds - place) < 2.5 { wrong += 1 }
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
