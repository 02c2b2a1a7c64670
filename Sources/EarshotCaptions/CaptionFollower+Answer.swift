extension CaptionFollower.Answer {
  /// One place in one item, as a listening's result tells it.
  public struct Place: Sendable, Hashable {
    /// The item's identifier.
    public var item: String
    /// Seconds in the reference at the first sample.
    public var offset: Double
    /// The playback rate; nil where it is not known.
    public var speed: Double?

    /// Makes one of its fields.
    public init(item: String, offset: Double, speed: Double?) {
      self.item = item
      self.offset = offset
      self.speed = speed
    }
  }

  /// What a listening's result means, by the outcome's word, which is the same everywhere.
  ///
  /// `reason` and `retryAfter` are those of its explanation; `heard` is in seconds, and the first
  /// sample's time on the monotonic clock. Captions need exactly one place.
  public init(
    outcome: String, reason: String?, retryAfter: Double?, heard: Double,
    firstSampleNanoseconds: UInt64?, places: [Place]
  ) {
    switch outcome {
    case "match", "ambiguous":
      guard let firstSampleNanoseconds else {
        self = .failed
        return
      }
      let candidates = places.map { place in
        Candidate(
          item: place.item,
          sighting: PlaceSighting(
            firstSample: Double(firstSampleNanoseconds) / 1e9, offset: place.offset,
            speed: place.speed, heard: heard))
      }
      if outcome == "match", candidates.count == 1, let only = candidates.first {
        self = .place(item: only.item, only.sighting)
      } else {
        self = .ambiguous(candidates)
      }
    case "no-match": self = .noMatch
    case "no-signal": self = .noSignal
    case "too-short": self = .tooShort
    case "denied":
      self = reason == "too-often" ? .tooOften(retryAfter: retryAfter ?? 60) : .denied
    default: self = .failed
    }
  }
}
