/// Works out when the first sample was in the air, from the delays that the source reports.
///
/// Each report says how old the next unread sample is, which places the first one. Single reports
/// are off by up to a period, so the median of the latest is taken. A source that lost sound without
/// saying so is found here too: its reports agree with one another and no longer with the median.
struct FirstSampleClock {
  private static let capacity = 64
  private var estimates: [64 of Int64] = .init(repeating: 0)
  private var count = 0
  private var nextSlot = 0
  private var strayCount = 0
  private var strays: (earliest: Int64, latest: Int64) = (0, 0)

  /// Nanoseconds off the median that count as stray, stray reports in a row that mean loss, and how far
  /// apart these may be. Lost sound moves all that follow by the same; a server that is held up tells
  /// late reports that differ. PulseAudio's lie within 1 ms on a busy machine, others' within some 20.
  private static let strayNanoseconds: Int64 = 50_000_000
  private static let strayLimit = 6
  private static let agreementNanoseconds: Int64 = 25_000_000

  /// Takes one report, and says whether sound was lost.
  ///
  /// - Parameters:
  ///   - now: monotonic nanoseconds at the report.
  ///   - delayFrames: frames between the next unread one and the one in the air now.
  ///   - framesRead: frames read before.
  ///   - rate: the granted rate in hertz.
  mutating func report(now: UInt64, delayFrames: Int, framesRead: Int, rate: Int) -> Bool {
    let age = Double(delayFrames + framesRead) / Double(rate)
    let estimate = Int64(now) - Int64(age * 1e9)
    if count >= 8, let middle = median, abs(estimate - middle) > Self.strayNanoseconds {
      let agreed = (min(strays.earliest, estimate), max(strays.latest, estimate))
      if strayCount > 0, agreed.1 - agreed.0 <= Self.agreementNanoseconds {
        strays = agreed
        strayCount += 1
      } else {
        strays = (estimate, estimate)
        strayCount = 1
      }
      return strayCount >= Self.strayLimit
    }
    strayCount = 0
    estimates[nextSlot] = estimate
    nextSlot = (nextSlot + 1) % Self.capacity
    count = min(count + 1, Self.capacity)
    return false
  }

  /// The median of the latest reports in monotonic nanoseconds; `nil` before the first.
  var median: Int64? {
    guard count > 0 else { return nil }
    var sorted = estimates
    for index in 1..<max(1, count) {
      var place = index
      while place > 0 && sorted[place - 1] > sorted[place] {
        sorted.swapAt(place - 1, place)
        place -= 1
      }
    }
    return sorted[count / 2]
  }
}
