@_spi(Training) import EarshotMatch

/// A part of the model that is left out of the tables, to see what it is worth.
///
/// What was counted is put together over what the part tells apart, so that the tables still hold a
/// likelihood ratio, of less.
enum Ablation: String, CaseIterable, Sendable {
  /// Whether the spectrum repeats at a peak.
  case repeated
  /// How strong a peak is for its surroundings.
  case strength
  /// Low, middle and high bins.
  case bands
  /// How busy a bin is, and what it held 100 ms before: the conditional null.
  case context
  /// Ridges, and what is higher before or after.
  case shape
  /// Clean, middling and noisy sound.
  case kinds
  /// The best wrong places in the null, beside random ones.
  case wrong

  /// The counts with the part's distinctions gone.
  func applied(to tally: Trainer.Tally) -> Trainer.Tally {
    var tally = tally
    if self == .kinds {
      var sum = tally.right[0]
      for kind in 1..<tally.right.count { sum += tally.right[kind] }
      tally.right = tally.right.map { _ in sum }
    }
    tally.right = tally.right.map(applied)
    tally.random = applied(to: tally.random)
    tally.wrong = applied(to: tally.wrong)
    return tally
  }

  private func applied(to counts: Counts) -> Counts {
    let bands = EvidenceTables.bandCount
    let classSize = EvidenceTables.shapeValueCount / 8
    var counts = counts
    switch self {
    case .repeated, .strength:
      for bit in self == .repeated ? [4] : [1, 2] {
        Self.merge(&counts.contexts) {
          (($0 / 256 / bands) ^ bit) * bands * 256 + $0 % (bands * 256)
        }
        Self.merge(&counts.shapes) { ($0 / classSize ^ bit) * classSize + $0 % classSize }
      }
    case .bands:
      let sums = counts.contexts
      for index in sums.indices {
        let peakClass = index / 256 / bands
        counts.contexts[index] = (0..<bands).reduce(0) {
          $0 + sums[(peakClass * bands + $1) * 256 + index % 256]
        }
      }
    case .context:
      let sums = counts.contexts
      for index in sums.indices {
        let start = index / 256 * 256
        counts.contexts[index] = (0..<16).reduce(0) { $0 + sums[start + $1 * 16 + index % 16] }
      }
    case .shape:
      // The same shapes everywhere: none says anything.
      counts.shapes = counts.shapes.map { _ in 1 }
    case .kinds, .wrong:
      break
    }
    return counts
  }

  /// Gives every count and its partner their sum.
  private static func merge(_ counts: inout [Double], with partner: (Int) -> Int) {
    let before = counts
    for index in before.indices { counts[index] = before[index] + before[partner(index)] }
  }
}
