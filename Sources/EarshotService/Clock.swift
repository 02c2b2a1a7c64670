internal import Glibc

/// The two clocks of the daemon.
enum Clock {
  /// Nanoseconds on the clock that no correction moves; it starts anew with the machine.
  static func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// The same clock in seconds.
  static func monotonicSeconds() -> Double { Double(monotonicNanoseconds()) / 1e9 }
}
