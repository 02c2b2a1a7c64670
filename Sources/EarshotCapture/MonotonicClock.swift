import Glibc

/// The clocks that a capture is measured by.
enum MonotonicClock {
  /// The time that does not jump and stands still while the machine sleeps, in nanoseconds.
  static func nanoseconds() -> UInt64 { read(CLOCK_MONOTONIC) }

  /// The time since the machine started, sleep included: what grants' deadlines are measured by.
  static func bootNanoseconds() -> UInt64 { read(CLOCK_BOOTTIME) }

  /// How long the machine has slept since it was started, in nanoseconds.
  ///
  /// Two readings that differ enclose a suspend. The clocks are read one after the other, so
  /// readings a few microseconds apart mean nothing.
  static func sleptNanoseconds() -> UInt64 {
    let awake = read(CLOCK_MONOTONIC)
    let all = read(CLOCK_BOOTTIME)
    return all > awake ? all - awake : 0
  }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
