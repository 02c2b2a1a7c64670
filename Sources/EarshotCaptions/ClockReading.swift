internal import Glibc

/// One reading of the system's two steady clocks, in nanoseconds.
///
/// Neither follows the wall clock: setting the time, or a first time from the network, moves no cue.
/// The two differ only by the time the machine was suspended.
public struct ClockReading: Sendable, Hashable {
  /// Nanoseconds since some start, standing still while the machine is suspended.
  public var monotonicNanoseconds: UInt64
  /// Nanoseconds since some start, running on while the machine is suspended.
  public var bootNanoseconds: UInt64

  /// A reading; pure types take readings and never make them.
  public init(monotonicNanoseconds: UInt64, bootNanoseconds: UInt64) {
    self.monotonicNanoseconds = monotonicNanoseconds
    self.bootNanoseconds = bootNanoseconds
  }

  /// Reads the system's clocks.
  public static func now() -> ClockReading {
    ClockReading(
      monotonicNanoseconds: nanoseconds(CLOCK_MONOTONIC),
      bootNanoseconds: nanoseconds(CLOCK_BOOTTIME))
  }

  /// The monotonic clock in seconds.
  public var seconds: Double { Double(monotonicNanoseconds) / 1e9 }

  /// Seconds spent suspended, counted from the system's start.
  var suspendedSeconds: Double {
    (Double(bootNanoseconds) - Double(monotonicNanoseconds)) / 1e9
  }

  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    guard unsafe clock_gettime(clock, &time) == 0 else {
      preconditionFailure("the system has no \(clock) clock")
    }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
