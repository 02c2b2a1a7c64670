internal import Glibc

/// One process, told apart from any later one that is given the same number.
public struct ProcessIdentity: Codable, Sendable, Hashable {
  /// The process's number.
  public var process: Int32
  /// When it started, in the kernel's clock ticks since the machine started.
  public var startTime: UInt64

  /// A process by its number and start.
  public init(process: Int32, startTime: UInt64) {
    self.process = process
    self.startTime = startTime
  }

  /// This process, or nil where `/proc` can't be read.
  public static func current() -> ProcessIdentity? { of(getpid()) }

  /// The process that has this number now, or nil where there is none.
  public static func of(_ process: Int32) -> ProcessIdentity? {
    guard let bytes = SmallFile.read("/proc/\(process)/stat", bytesMax: 4096) else { return nil }
    // The name may hold spaces and parentheses, so counting begins after the last parenthesis:
    // there the state is the third field and the start time is the 22nd.
    guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 19, let start = UInt64(String(decoding: fields[19], as: UTF8.self)) else {
      return nil
    }
    return ProcessIdentity(process: process, startTime: start)
  }

  enum CodingKeys: String, CodingKey {
    case process = "pid"
    case startTime = "start_time"
  }
}
