/// Judges, block by block, with which gains the two sides of a mix are added.
///
/// The energies are averages over about half a second; the first blocks count in full, so that a
/// dead or inverted side is seen from the first block with sound in it.
struct SideBalance: Sendable {
  private var energyLeft: Float = 0
  private var energyRight: Float = 0
  private var product: Float = 0
  private var heardBlocks: Float = 0
  private(set) var gains = SIMD2<Float>(0.5, 0.5)
  /// Blocks in which the left or the right side was left out, or the sides were subtracted.
  private var (leftDead, rightDead, subtracted) = (0, 0, 0)

  /// A side this much weaker than the other is dead: 30 dB.
  private static let deadRatio: Float = 1e-3
  /// The share of the newest block in the averages, once they have settled.
  private static let share: Float = 0.02
  /// The correlation below which sides are subtracted, and above which they are added again.
  private static let inverted: Float = -0.7
  private static let upright: Float = -0.2

  /// The side that was dead for most of the sound: 0 is left, 1 is right. A voice that begins on one
  /// side, as music often does, is no fault to tell of.
  var deadSide: Int? {
    if Float(leftDead) > heardBlocks / 2 { return 0 }
    return Float(rightDead) > heardBlocks / 2 ? 1 : nil
  }

  /// Whether the sides were subtracted for most of the sound.
  var isInverted: Bool { Float(subtracted) > heardBlocks / 2 }

  /// Takes in one block's sums of squares and of products.
  mutating func hear(left: Float, right: Float, product: Float) {
    guard left + right > 0 else { return }
    heardBlocks += 1
    let share = max(1 / heardBlocks, Self.share)
    energyLeft += share * (left - energyLeft)
    energyRight += share * (right - energyRight)
    self.product += share * (product - self.product)

    if energyRight < Self.deadRatio * energyLeft {
      gains = [1, 0]
      rightDead += 1
    } else if energyLeft < Self.deadRatio * energyRight {
      gains = [0, 1]
      leftDead += 1
    } else {
      let correlation = self.product / (energyLeft * energyRight).squareRoot()
      let wasSubtracting = gains.y < 0
      let subtracts = correlation < (wasSubtracting ? Self.upright : Self.inverted)
      gains = subtracts ? [0.5, -0.5] : [0.5, 0.5]
      if subtracts { subtracted += 1 }
    }
  }
}
