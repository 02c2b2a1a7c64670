internal import EarshotAudio
internal import EarshotClient
internal import EarshotMatch
internal import EarshotSignature

/// Finds out whether bare samples that matched nothing were labelled with a wrong rate.
///
/// Samples of 48 kHz that are said to be 44.1 kHz are slowed down by 8 %, more than any speed that is
/// tried, so the answer would be an honest 'no match' that helps nobody. Nothing is matched by this:
/// it only says which rate would.
struct RateHint: ~Copyable {
  /// Rates that sound usually has, in hertz, the likeliest first.
  private static let rates: [Double] = [
    48_000, 44_100, 16_000, 8000, 22_050, 32_000, 96_000, 11_025, 24_000, 12_000, 192_000,
  ]
  /// How much of the sound is kept for it.
  private static let secondsMax = 8

  private let space: SearchSpace
  private let rate: Double
  private var kept: SampleBlock

  /// - Parameter rate: the rate that was given, in hertz.
  init(_ space: SearchSpace, rate: Double) {
    self.space = space
    self.rate = rate
    kept = SampleBlock(capacity: Self.secondsMax * AnalyzerSettings.sampleRate)
  }

  /// Keeps the beginning of the sound, as it was read at the given rate.
  mutating func append(_ samples: Span<Float>) {
    kept.append(samples.extracting(first: min(samples.count, kept.capacity - kept.count)))
  }

  /// Says which rate would match, or nil.
  func explanation() -> Explanation? {
    guard let found = Self.rates.first(where: { $0 != rate && matches(at: $0) }) else { return nil }
    let (given, right) = (JSONText.plain(rate, digits: 0), JSONText.plain(found, digits: 0))
    return Explanation(
      reason: "other-rate", happened: "Nothing in the catalog fits at \(given) Hz.",
      means: "At \(right) Hz the same samples would match.", next: "Try --rate \(right).")
  }

  private func matches(at other: Double) -> Bool {
    // The sound is at 16 kHz if the given rate is right, and at another rate if it is not.
    let rateOfKept = SampleRateConverter.rate * other / rate
    guard var converter = try? SampleRateConverter(rate: rateOfKept, channels: 1) else {
      return false
    }
    var block = SampleBlock(capacity: converter.outputCountMax(frames: kept.count) + 4096)
    converter.convert(kept.samples, into: &block)
    _ = converter.finish(into: &block)
    var analyzer = QueryAnalyzer(
      capacitySeconds: min(
        Double(block.count) / SampleRateConverter.rate + 1, QueryAnalyzer.capacitySecondsMax))
    let room = analyzer.frameCapacity * AnalyzerSettings.hopSampleCount
    analyzer.append(block.samples.extracting(first: min(block.count, room)))
    analyzer.finish()
    var matcher = Matcher(
      space, options: MatchOptions(speeds: .trueSpeed, endsAtSilence: false, endsAtAbsence: false))
    return (try? matcher.finish(at: analyzer).kind) == .match
  }
}
