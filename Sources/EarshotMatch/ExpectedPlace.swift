/// Where playing is expected, to be tested before anything else is searched.
public struct ExpectedPlace: Sendable, Hashable {
  /// The item's identifier; in a search space made of bare signatures, the index written in digits.
  public var itemID: String
  /// Seconds in the reference at the query's first sample.
  public var offset: Double
  /// The playback rate against the reference.
  public var speed: Double
  /// Seconds to each side within which the offset is known, 0.1 to 2. Default 2.
  ///
  /// Less is tested sooner and more safely: of music that repeats itself no other beat comes into it.
  public let within: Double
  /// Whether it is enough to know that playing is there. Then that is told as soon as it is certain,
  /// which takes less sound than to tell the place exactly. Default false.
  public var confirmsOnly: Bool

  /// The seconds to each side that a place can be known to.
  public static let withinRange = 0.1...2.0

  /// Makes a place; `within` is brought into its range.
  public init(
    itemID: String, offset: Double, speed: Double = 1, within: Double = 2,
    confirmsOnly: Bool = false
  ) {
    self.itemID = itemID
    self.offset = offset
    self.speed = speed
    self.within = min(max(within, Self.withinRange.lowerBound), Self.withinRange.upperBound)
    self.confirmsOnly = confirmsOnly
  }
}
