public import EarshotSignature

/// Tells that what is heard is surely in no catalog, before the limit.
///
/// Sound that is buried in noise can take ten seconds and more to be found, so that nothing can be
/// said against it sooner. Clear sound is found within three seconds when it is there: after six
/// without the least sign of it, it is not.
@_spi(Training) public struct Absence {
  /// Seconds from which absence may be told.
  public static let seconds = 6.0
  /// The mean height, in decibels over their surroundings, of the highest 90 peaks a second from
  /// which sound counts as clear. Music in as much noise as 5 dB leaves stays below 15 (seed 7).
  static let clarityMin = 16.0
  /// Looks before this are not asked for signs.
  private static let signsFromSeconds = 2.0
  /// The certainty that is a sign.
  private static let signCertainty = 4.0
  /// Peaks a second that are asked.
  private static let peaksPerSecond = 90

  private var hasSign = false

  init() {}

  /// Takes the certainty of a look's best track.
  mutating func note(certainty: Double, heardSeconds: Double) {
    if heardSeconds >= Self.signsFromSeconds, certainty > Self.signCertainty { hasSign = true }
  }

  /// Whether what was heard until a look is surely absent.
  func isSure(heardSeconds: Double, at analyzer: borrowing QueryAnalyzer) -> Bool {
    guard heardSeconds >= Self.seconds, !hasSign else { return false }
    return Self.clarity(of: analyzer, seconds: heardSeconds) >= Self.clarityMin
  }

  /// The mean height of the highest peaks of the first seconds, in decibels; what is missing of 90 a
  /// second counts as 0, so that silence and single tones are not clear.
  public static func clarity(of analyzer: borrowing QueryAnalyzer, seconds: Double) -> Double {
    let peaks = analyzer.peaksOfFrames
    let end = Int32(seconds * AnalyzerSettings.framesPerSecond)
    var counts = Array(repeating: 0, count: 1024)
    for index in peaks.indices where peaks[index].frame < end {
      counts[min(max(Int(peaks[index].height) / partsPerCell, 0), counts.count - 1)] += 1
    }
    let wanted = Int(seconds * Double(peaksPerSecond))
    var left = wanted
    var sum = 0
    for cell in counts.indices.reversed() where left > 0 {
      let taken = min(left, counts[cell])
      sum += taken * cell
      left -= taken
    }
    return Double(sum * partsPerCell) / Double(max(1, wanted) * AnalyzerSettings.unitsPerDecibel)
  }

  /// Heights are counted in eighths of a decibel.
  private static let partsPerCell = AnalyzerSettings.unitsPerDecibel / 8
}
