internal import Foundation
internal import Glibc

/// One instant by the wall clock and by the clock that nobody can set.
public struct Moment: Codable, Sendable, Hashable {
  /// Milliseconds since 1970 in UTC, as the wall clock has it; it may jump either way.
  public var utcMilliseconds: Int64
  /// Nanoseconds since the machine started, sleep included (`CLOCK_BOOTTIME`).
  public var monotonicNanoseconds: UInt64
  /// The kernel's name for this run of the machine; monotonic times compare only within one.
  public var boot: String

  /// An instant with all its readings.
  public init(utcMilliseconds: Int64, monotonicNanoseconds: UInt64, boot: String) {
    self.utcMilliseconds = utcMilliseconds
    self.monotonicNanoseconds = monotonicNanoseconds
    self.boot = boot
  }

  enum CodingKeys: String, CodingKey {
    case utcMilliseconds = "utc_milliseconds"
    case monotonicNanoseconds = "monotonic_nanoseconds"
    case boot
  }
}

/// Where a ledger takes time and names from, so that tests can bring their own.
public struct LedgerClock: Sendable {
  /// The present instant.
  public let now: @Sendable () -> Moment
  /// A fresh identifier in lower-case UUID form, never given twice.
  public let makeIdentifier: @Sendable () -> String

  /// A clock of the caller's making.
  public init(
    now: @escaping @Sendable () -> Moment, makeIdentifier: @escaping @Sendable () -> String
  ) {
    self.now = now
    self.makeIdentifier = makeIdentifier
  }

  /// The machine's own clocks and random names.
  ///
  /// The boot's name is read once, here, so that a worker can make its clock before it is locked in.
  public static func system() -> LedgerClock {
    let boot = currentBoot()
    return LedgerClock(
      now: {
        Moment(
          utcMilliseconds: nanoseconds(CLOCK_REALTIME) / 1_000_000,
          monotonicNanoseconds: UInt64(nanoseconds(CLOCK_BOOTTIME)), boot: boot)
      },
      makeIdentifier: { UUID().uuidString.lowercased() })
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var reading = timespec()
    unsafe clock_gettime(clock, &reading)
    return Int64(reading.tv_sec) * 1_000_000_000 + Int64(reading.tv_nsec)
  }

  private static func currentBoot() -> String {
    guard let bytes = SmallFile.read("/proc/sys/kernel/random/boot_id", bytesMax: 64) else {
      return ""
    }
    return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
  }
}
