import EarshotSignature

/// The moments at which the evidence is weighed: often at first, when every moment counts.
@_spi(Training) public enum LookSchedule {
  /// Samples heard at each look, when the first certain moment is asked for.
  public static let sampleCounts = samples([
    0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 2, 2.4, 3, 3.6, 4.2, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 22,
    24, 26, 28, 30, 32,
  ])

  /// Samples heard at each look, when all of the sound is there anyway: whole chunks of the scan.
  public static let sparseSampleCounts = samples([
    1, 1.6, 2.4, 3.6, 5, 8, 12, 16, 20, 24, 28, 32,
  ])

  /// The same where an index is asked: each look costs alike, so there are few. The first costs least,
  /// because other speeds are not looked at yet, and finds most of what is clear.
  static let gatedSampleCounts = samples([1, 2.4, 6, 12, 20, 32])

  /// Moments in seconds as counts of samples; all are edges of the analyzer.
  private static func samples(_ moments: [Double]) -> [Int] {
    moments.map { seconds in
      let sampleCount = Int((seconds * Double(AnalyzerSettings.sampleRate)).rounded())
      precondition(sampleCount % AnalyzerSettings.edgeSampleCount == 0, "looks are at edges")
      return sampleCount
    }
  }

  /// The looks up to this one use the first stage's tables.
  static func stage(atSampleCount sampleCount: Int) -> Int {
    sampleCount <= EvidenceTables.firstStageSampleCount ? 0 : 1
  }
}
