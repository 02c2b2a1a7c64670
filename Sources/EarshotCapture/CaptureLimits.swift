/// How long each step of a capture may take (wall W6).
public struct CaptureLimits: Sendable, Hashable {
  /// Milliseconds for opening and configuring together, the sound server's answers included.
  public var openMilliseconds: Int
  /// Milliseconds between tries while a device is busy.
  public var busyRetryMilliseconds: Int
  /// How often a busy device is tried.
  public var busyTries: Int
  /// Milliseconds without one sample after which the device counts as dead.
  public var noDataMilliseconds: Int
  /// Milliseconds for closing before the connection to the sound server is cut.
  public var closeMilliseconds: Int
  /// Overruns after which a capture is given up.
  public var overrunCount: Int

  /// The limits that the product uses.
  public init(
    openMilliseconds: Int = 4000, busyRetryMilliseconds: Int = 150, busyTries: Int = 3,
    noDataMilliseconds: Int = 2000, closeMilliseconds: Int = 50, overrunCount: Int = 8
  ) {
    self.openMilliseconds = openMilliseconds
    self.busyRetryMilliseconds = busyRetryMilliseconds
    self.busyTries = busyTries
    self.noDataMilliseconds = noDataMilliseconds
    self.closeMilliseconds = closeMilliseconds
    self.overrunCount = overrunCount
  }
}
