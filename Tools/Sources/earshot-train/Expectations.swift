import EarshotMatch
import EarshotSignature
import Foundation
import Synchronization

/// Measures how soon an expected place is known, and that a wrong one is not believed.
struct Expectations: Sendable {
  let setup: Setup
  let folder: String

  private struct Tally: Sendable {
    var times: [Double] = []
    var offsets: [Double] = []
    var believed = 0
    var wrong = 0
  }

  func run(_ excerpts: [Excerpt]) throws {
    let all = Mutex<[String: Tally]>([:])
    try concurrently(excerpts.count) { index in
      try measure(excerpts[index], into: all)
      progress(index, of: excerpts.count)
    }
    for (condition, tally) in all.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      let times = tally.times.sorted()
      let offsets = tally.offsets.sorted()
      let within = [0.6, 1, 2].map { limit in times.count { $0 <= limit } }
      print(
        condition, "of \(times.count) by 0.6, 1, 2 s: \(within)",
        "median \(times[times.count / 2]) s, offset \(offsets[offsets.count / 2]) ms",
        "wrong expectations believed: \(tally.believed) of \(tally.wrong)")
    }
  }

  private func heard(_ excerpt: Excerpt, _ place: ExpectedPlace) throws -> MatchAnswer? {
    let analyzer = try SoundFile.analyzed("\(folder)/\(excerpt.name)", seconds: 2)
    var matcher = Matcher(setup.space, options: MatchOptions(expected: place))
    return try matcher.look(at: analyzer)
  }

  private func measure(_ excerpt: Excerpt, into all: borrowing Mutex<[String: Tally]>) throws {
    guard let truth = setup.indexOfID[excerpt.reference] else { return }
    var random = RandomNumbers(seed: UInt64(truncatingIfNeeded: stableHash(excerpt.name)))
    let right = ExpectedPlace(
      itemID: "\(truth)", offset: excerpt.offset + Double.random(in: -1.5...1.5, using: &random),
      speed: excerpt.speed)
    let found = try heard(excerpt, right)
    var believed = 0
    let family = setup.family(of: excerpt.reference)
    for _ in 0..<4 {
      let other = Int.random(in: 0..<setup.familyOfIndex.count, using: &random)
      if family.contains(other) { continue }
      let wrong = ExpectedPlace(
        itemID: "\(other)", offset: Double.random(in: 5...60, using: &random))
      if try heard(excerpt, wrong)?.candidates.first?.itemIndex == other { believed += 1 }
    }
    all.withLock { all in
      for key in [excerpt.condition, "all"] {
        all[key, default: Tally()].times.append(found?.heardSeconds ?? .infinity)
        let offset = found?.candidates.first?.offset ?? .infinity
        all[key, default: Tally()].offsets.append(abs(offset - excerpt.offset) * 1000)
        all[key, default: Tally()].believed += believed
        all[key, default: Tally()].wrong += 4
      }
    }
  }
}
