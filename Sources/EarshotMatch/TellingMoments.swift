public import EarshotCatalog
internal import EarshotSignature

/// How much each moment of a reference has to tell: where a short listening is likely to know it again.
///
/// Counted are the peaks that are new, as notes and consonants bring them. What goes on sounding looks
/// alike for seconds, and noise or a room hides it sooner: of the moments of a film with fewer than twelve
/// new peaks, one in three took longer than 1.2 s in noise at 10 dB, and three in five in a room; of
/// those with more than twenty, four and five in a hundred.
public struct TellingMoments: Sendable, Hashable {
  /// New peaks in each step, at most 255.
  private let counts: [UInt8]
  /// The number that is enough: half of all moments have it, or it is as good as more.
  private let enough: Int

  /// Frames in a step: a quarter of a second.
  private static let stepFrameCount = 16
  /// Steps that a short listening hears.
  private static let heardStepCount = 3
  /// New peaks that tell as much as more would.
  private static let plenty = 24
  private static let stepsPerSecond = AnalyzerSettings.framesPerSecond / Double(stepFrameCount)

  /// Counts the moments of a signature. Takes some milliseconds an hour of sound.
  ///
  /// - Throws: what reading its peaks throws.
  public init(ofSignature index: Int, in catalog: Catalog) throws(CatalogError) {
    var counts = [UInt8](
      repeating: 0, count: catalog.frameCount(ofSignature: index) / Self.stepFrameCount + 1)
    try catalog.withPeaks(ofSignature: index) { words in
      PackedPeak.forEach(in: words) { frame, peak in
        let step = frame / Self.stepFrameCount
        guard peak.peakClass < PackedPeak.classCount / 2, step < counts.count, counts[step] < .max
        else { return }
        counts[step] += 1
      }
    }
    self.init(counts: counts)
  }

  /// Moments with so many new peaks in each quarter of a second.
  init(counts: [UInt8]) {
    self.counts = counts
    var all = counts.indices.map { Self.newPeaks(from: $0, in: counts) }
    all.sort()
    enough = all.isEmpty ? 0 : min(Self.plenty, all[all.count / 2])
  }

  /// The latest place in a range that tells enough; where there is none, the one that tells most. In
  /// seconds of the reference.
  public func best(in places: ClosedRange<Double>) -> Double {
    let last = min(places.upperBound * Self.stepsPerSecond, Double(counts.count - 1))
    let first = max(places.lowerBound * Self.stepsPerSecond, 0).rounded(.up)
    guard first <= last else { return places.upperBound }
    var best = (step: Int(last), count: -1)
    for step in stride(from: Int(last), through: Int(first), by: -1) {
      let count = Self.newPeaks(from: step, in: counts)
      if count > best.count { best = (step, count) }
      if count >= enough { break }
    }
    guard best.step < Int(last) else { return places.upperBound }
    return Double(best.step) / Self.stepsPerSecond
  }

  /// The new peaks that a listening hears which begins with a step.
  private static func newPeaks(from step: Int, in counts: [UInt8]) -> Int {
    counts[step..<min(counts.count, step + heardStepCount)].reduce(0) { $0 + Int($1) }
  }
}
