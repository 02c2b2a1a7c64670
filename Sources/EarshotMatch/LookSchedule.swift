import EarshotSignature

/// The moments at which the evidence is weighed: often at first, when every moment counts.
@_spi(Training) public enum LookSchedule {
  /// Samples heard at each look; all are edges of the analyzer.
  public static let sampleCounts: [Int] = [
    0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 2, 2.4, 3, 3.6, 4.2, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 22,
    24,
    26, 28, 30, 32,
  ].map { seconds in
    let edges = (seconds * Double(AnalyzerSettings.sampleRate)).rounded()
    return Int(edges) / AnalyzerSettings.edgeSampleCount * AnalyzerSettings.edgeSampleCount
  }

  /// The looks up to this one use the first stage's tables.
  static func stage(atSampleCount sampleCount: Int) -> Int {
    sampleCount <= EvidenceTables.firstStageSampleCount ? 0 : 1
  }
}
