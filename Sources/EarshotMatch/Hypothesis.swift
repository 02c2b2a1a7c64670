import EarshotSignature
import Glibc

/// A playback speed that the scan tries: a shift of pitch and a ratio of tempo.
@_spi(Training) public struct Hypothesis: Sendable, Hashable {
  /// Bins by which the query lies above the reference.
  public var binShift: Int
  /// Reference time that passes in one second of the query.
  public var tempo: Double

  /// The reference's own speed.
  static let trueSpeed = Hypothesis(binShift: 0, tempo: 1)

  /// Pitch and tempo together, as a turntable does.
  static func speed(_ ratio: Double) -> Hypothesis {
    let shift = log2(ratio) * Double(AnalyzerSettings.binsPerOctave)
    return Hypothesis(binShift: Int(shift.rounded()), tempo: ratio)
  }

  /// All seven; the first is the reference's own speed.
  static let all = [
    trueSpeed, Hypothesis(binShift: 0, tempo: 1.04), Hypothesis(binShift: 0, tempo: 0.96),
    speed(1.02), speed(0.98), speed(1.04), speed(0.96),
  ]
}

/// Hypotheses that share one pass over the peaks, because they differ in tempo alone: within one
/// chunk of half a second a tempo of 4 % moves a peak by less than a frame.
struct HypothesisPass: Sendable {
  var binShift: Int
  /// Whether only the strong half of the peaks is added up.
  var strongOnly: Bool
  /// Indices and tempos of its hypotheses.
  var members: [(index: Int, tempo: Double)]
  /// Steps of the query that it has added.
  var stepCount = 0

  /// Groups hypotheses by their shift of pitch.
  static func group(_ hypotheses: [Hypothesis]) -> [HypothesisPass] {
    var passes: [HypothesisPass] = []
    for (index, hypothesis) in hypotheses.enumerated() {
      let member = (index: index, tempo: hypothesis.tempo)
      if let known = passes.firstIndex(where: { $0.binShift == hypothesis.binShift }) {
        passes[known].members.append(member)
      } else {
        passes.append(
          HypothesisPass(
            binShift: hypothesis.binShift, strongOnly: hypothesis.binShift != 0, members: [member]))
      }
    }
    return passes
  }
}
