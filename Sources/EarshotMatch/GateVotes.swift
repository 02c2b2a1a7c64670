/// What the index says for one hypothesis: steps of the axis at which the query may have begun.
///
/// Each key of the query that stands somewhere in a reference votes for one step. Rare keys weigh
/// more. All votes are kept, up to a bound; beside them stand counters of weight, which tell
/// quickly which votes are worth a closer look.
struct GateVotes: ~Copyable {
  /// Steps in which votes for one place fall.
  static let stepsPerPlace = 4
  /// The most votes that are kept.
  static let voteCountMax = 1 << 22
  private static let counterBits = 20

  /// A vote: the step in the upper half, then the anchor (16 bits) and the weight (16 bits).
  private var votes: [UInt64] = []
  private let counters = HugeBuffer(count: 2 << Self.counterBits)
  /// What the first look at the counters saw: kept, so that looking isn't left out as useless.
  private var looked: UInt8 = 0
  /// Votes whose counters are looked at together.
  private static let votesPerBlock = 32

  /// A step, the most that any one has, and its weight.
  struct Candidate: Sendable, Hashable {
    var step: Int
    var weight: Int
  }

  /// Votes so far.
  var count: Int { votes.count }

  /// The weight of a vote for one of `count` places, where a key has `mean` places on average.
  static func weight(count: Int, mean: Int) -> Int {
    let share = (Float(mean) / Float(max(1, count))).squareRoot()
    return max(1, min(64, Int(share * 16)))
  }

  /// A vote's lower half.
  static func packed(anchor: Int, weight: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: anchor) << 16 | UInt64(truncatingIfNeeded: weight)
  }

  /// Takes votes whose steps are those of their keys, counted from `firstStep`; the query began
  /// `stepsBefore` of its anchor earlier. What would have begun before the axis is left out.
  mutating func add(_ found: [UInt64], firstStep: UInt32, stepsBefore: [UInt32]) {
    let first = votes.count
    let room = Self.voteCountMax - first
    // The bound at once: address space, of which only what is used becomes memory. Growing step by
    // step would copy all votes, and touch new pages, over and over.
    if votes.capacity < Self.voteCountMax {
      votes.reserveCapacity(Self.voteCountMax)
      HugePages.advise(&votes)
    }
    unsafe stepsBefore.withUnsafeBufferPointer { stepsBefore in
      for vote in found.prefix(room) {
        let anchor = Int(vote >> 16 & 0xffff)
        let step = UInt32(truncatingIfNeeded: vote >> 32) &+ firstStep
        guard unsafe step >= stepsBefore[anchor] else { continue }
        let began = unsafe step &- stepsBefore[anchor]
        votes.append(UInt64(began) << 32 | vote & 0xffff_ffff)
      }
    }
    count(votesFrom: first)
  }

  /// Adds the weights of the last votes to their counters.
  ///
  /// The counters of a block of votes are looked at before any is changed: so the processor waits for
  /// many lines of its memory at a time, which is most of what a vote costs.
  private mutating func count(votesFrom first: Int) {
    var seen: UInt8 = 0
    let counters = unsafe self.counters.bytes
    unsafe votes.withUnsafeBufferPointer { votes in
      var start = first
      while start < votes.count {
        let end = min(start &+ Self.votesPerBlock, votes.count)
        for index in start..<end {
          let place = unsafe UInt32(truncatingIfNeeded: votes[index] >> 32)
          seen |= unsafe counters[Self.counters(of: place).0]
        }
        for index in start..<end {
          let vote = unsafe votes[index]
          let weight = UInt8(truncatingIfNeeded: vote)
          let (one, other) = Self.counters(of: UInt32(truncatingIfNeeded: vote >> 32))
          unsafe counters[one] = Self.sum(counters[one], weight)
          unsafe counters[other] = Self.sum(counters[other], weight)
        }
        start = end
      }
    }
    looked = seen
  }

  @inline(__always)
  private static func sum(_ one: UInt8, _ other: UInt8) -> UInt8 {
    let sum = UInt16(one) &+ UInt16(other)
    return UInt8(truncatingIfNeeded: min(sum, 255))
  }

  /// The two counters of a step: places overlap by half, so that none falls between two. Those of
  /// neighbouring places, of both kinds, lie in one line of the cache.
  @inline(__always)
  private static func counters(of step: UInt32) -> (Int, Int) {
    let one = step / UInt32(stepsPerPlace)
    let other = (step &+ UInt32(stepsPerPlace / 2)) / UInt32(stepsPerPlace)
    return (line(of: one) | Int(one & 31), line(of: other) | 32 | Int(other & 31))
  }

  /// The first counter of the line that holds a place, of 64.
  @inline(__always)
  private static func line(of place: UInt32) -> Int {
    let hash = UInt64(place >> 5) &* 0x9e37_79b9_7f4a_7c15
    return Int(hash >> UInt64(64 - (counterBits - 5))) << 6
  }

  /// The places with the most weight, at most `countMax`, highest first. No two are nearer than
  /// `distance` steps.
  borrowing func best(_ countMax: Int, distance: Int) -> [Candidate] {
    let least = threshold(forCount: 4 * countMax)
    var chosen: [UInt64] = []
    let counters = unsafe self.counters.bytes
    for vote in votes {
      let (one, other) = Self.counters(of: UInt32(truncatingIfNeeded: vote >> 32))
      if unsafe max(counters[one], counters[other]) >= least { chosen.append(vote) }
    }
    GateSort.byUpperHalf(&chosen)
    return Self.best(of: chosen, countMax: countMax, distance: distance)
  }

  /// The counter value that about so many counters reach.
  private borrowing func threshold(forCount count: Int) -> UInt8 {
    // One counter in eight stands for all.
    var histogram = [Int](repeating: 0, count: 256)
    let counters = unsafe self.counters.bytes
    for index in stride(from: 0, to: counters.count, by: 8) {
      histogram[unsafe Int(counters[index])] += 1
    }
    var reached = 0
    for value in stride(from: 255, to: 1, by: -1) {
      reached += 8 * histogram[value]
      if reached >= count { return UInt8(value) }
    }
    return 1
  }

  /// The best places of votes that are sorted by step.
  static func best(of votes: [UInt64], countMax: Int, distance: Int) -> [Candidate] {
    var peaks: [Candidate] = []
    var weights = Weights()
    var low = 0
    for high in votes.indices {
      let end = Int(votes[high] >> 32)
      while Int(votes[low] >> 32) <= end - stepsPerPlace { low += 1 }
      // The weight is asked for once all votes of a step are there.
      if high + 1 < votes.count, Int(votes[high + 1] >> 32) == end { continue }
      let weight = weights.sum(votes, low...high)
      let step = Int(votes[low] >> 32) + (end - Int(votes[low] >> 32)) / 2
      if let last = peaks.last, step - last.step < distance {
        if weight > last.weight { peaks[peaks.count - 1] = Candidate(step: step, weight: weight) }
      } else {
        peaks.append(Candidate(step: step, weight: weight))
      }
    }
    peaks.sort { ($1.weight, $0.step) < ($0.weight, $1.step) }
    if peaks.count > countMax { peaks.removeLast(peaks.count - countMax) }
    return peaks
  }

  /// Adds up votes for one place: an anchor counts once, with its heaviest vote. Many keys of one
  /// anchor are one chord that was met by chance.
  private struct Weights {
    private var heaviest = [UInt16](repeating: 0, count: 1 << 16)

    mutating func sum(_ votes: [UInt64], _ range: ClosedRange<Int>) -> Int {
      var total = 0
      unsafe heaviest.withUnsafeMutableBufferPointer { heaviest in
        unsafe votes.withUnsafeBufferPointer { votes in
          for index in range {
            let anchor = unsafe Int(votes[index] >> 16 & 0xffff)
            let weight = unsafe UInt16(truncatingIfNeeded: votes[index])
            guard unsafe weight > heaviest[anchor] else { continue }
            total += unsafe Int(weight - heaviest[anchor])
            unsafe heaviest[anchor] = weight
          }
          for index in range { unsafe heaviest[Int(votes[index] >> 16 & 0xffff)] = 0 }
        }
      }
      return total
    }
  }

  /// Forgets all votes.
  mutating func reset() {
    votes.removeAll(keepingCapacity: true)
    unsafe counters.bytes.update(repeating: 0)
  }
}
