/// Where playing is expected, to be tested before anything else is searched.
public struct ExpectedPlace: Sendable, Hashable {
  /// The item's identifier; in a search space made of bare signatures, the index written in digits.
  public var itemID: String
  /// Seconds in the reference at the query's first sample, known to about two seconds.
  public var offset: Double
  /// The playback rate against the reference.
  public var speed: Double

  /// Makes a place.
  public init(itemID: String, offset: Double, speed: Double = 1) {
    self.itemID = itemID
    self.offset = offset
    self.speed = speed
  }
}
