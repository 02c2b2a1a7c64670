import EarshotSignature

/// Moves an alignment to where the detailed score is highest, with a prior that holds it back.
///
/// Without the prior a short query would find a better place at almost any tempo: leaving the
/// hypothesis costs 1.5 nats a percent of tempo, at most 6, and 0.7 nats a bin of pitch.
struct Refinement {
  let detail: DetailedScore

  /// Nats for each percent of tempo away from the hypothesis, and the most it can cost.
  private static let tempoPenalty = (perPercent: 1.5, most: 6.0)
  /// Nats for each bin of pitch away from the hypothesis.
  private static let binPenalty = 0.7

  /// The best alignment near `start` and its score, the prior's cost taken off.
  func refine(
    _ start: Alignment, cells: borrowing QueryCells, frameCount: Int
  ) -> (alignment: Alignment, score: AlignmentScore) {
    var best = start
    var bestScore = detail.score(start, cells: cells, frameCount: frameCount)
    // Tempo turns the alignment around the middle of the query, so that it hardly moves the place.
    let middle = Double(frameCount) / 2
    let wide = min(1.5 / Double(frameCount), 0.02)
    let steps: [(tempo: Double, offset: Double, reach: Int, bins: Int)] = [
      (wide, 1, 2, 1), (wide / 2.5, 0.5, 2, 0), (wide / 6, 0.25, 2, 0),
    ]
    for step in steps {
      let centre = best
      for tempoStep in -step.reach...step.reach {
        for offsetStep in -1...1 {
          for bin in -step.bins...step.bins {
            var trial = centre
            trial.tempo += Double(tempoStep) * step.tempo
            trial.offset += Double(offsetStep) * step.offset
            trial.offset -= Double(tempoStep) * step.tempo * middle
            trial.binShift += bin
            guard trial != centre else { continue }
            var score = detail.score(trial, cells: cells, frameCount: frameCount)
            score.evidence -= Self.penalty(of: trial, from: start)
            if score.evidence > bestScore.evidence { (best, bestScore) = (trial, score) }
          }
        }
      }
    }
    return (best, bestScore)
  }

  private static func penalty(of trial: Alignment, from start: Alignment) -> Double {
    let percent = abs(trial.tempo / start.tempo - 1) * 100
    return min(percent * tempoPenalty.perPercent, tempoPenalty.most)
      + Double(abs(trial.binShift - start.binShift)) * binPenalty
  }
}
