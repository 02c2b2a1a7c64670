/// A time on the reference's time line, in whole microseconds from its first sample.
///
/// Caption files write milliseconds, frames or ticks; a microsecond is finer than any of them,
/// and whole numbers sort and compare exactly. Range: zero to `CueTime.greatest`, about 1000 hours.
public struct CueTime: Sendable, Hashable, Comparable {
  /// Whole microseconds, never negative.
  public let microseconds: Int64

  /// The beginning of the reference.
  public static let zero = CueTime(microseconds: 0)

  /// The last time that can be written; later ones are cut to it.
  public static let greatest = CueTime(microseconds: 1000 * 3600 * 1_000_000)

  /// A time of whole microseconds, cut to the range.
  public init(microseconds: Int64) {
    self.microseconds = min(max(microseconds, 0), 1000 * 3600 * 1_000_000)
  }

  /// A time of whole milliseconds, cut to the range.
  public init(milliseconds: Int64) {
    let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
    self.init(microseconds: overflow ? Int64.max : product)
  }

  /// The nearest time to a number of seconds, cut to the range; not a number becomes zero.
  public init(seconds: Double) {
    let scaled = (seconds * 1e6).rounded()
    self.init(microseconds: scaled > 0 ? Int64(min(scaled, 1e15)) : 0)
  }

  /// The time in seconds.
  public var seconds: Double { Double(microseconds) / 1e6 }

  /// The earlier comes first.
  public static func < (left: CueTime, right: CueTime) -> Bool {
    left.microseconds < right.microseconds
  }

  /// A later time, cut to the range.
  public func advanced(microseconds step: Int64) -> CueTime {
    let (sum, overflow) = microseconds.addingReportingOverflow(step)
    return CueTime(microseconds: overflow ? (step > 0 ? Int64.max : 0) : sum)
  }
}

extension CueTime: CustomStringConvertible {
  /// Hours, minutes, seconds and milliseconds, as `01:02:03.045`.
  public var description: String {
    let milliseconds = microseconds / 1000
    func padded(_ value: Int64, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
    let whole = milliseconds / 1000
    return padded(whole / 3600, 2) + ":" + padded(whole / 60 % 60, 2) + ":"
      + padded(whole % 60, 2) + "." + padded(milliseconds % 1000, 3)
  }
}
