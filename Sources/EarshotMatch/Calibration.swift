/// What is usual for wrong items at each length of sound.
enum Calibration {
  /// The figures of one length.
  struct Look: Sendable {
    /// Seconds heard.
    var seconds: Double
    /// The scale of the losers' tail, in nats.
    var scale: Double
    /// The margin, in scales, that one wrong best item in five exceeds.
    var margin80: Double
    /// The scale of the margin's tail beyond that.
    var marginScale: Double
    /// The mean score of the best wrong item, in nats.
    var bestWrong: Double
  }

  /// The largest values that single looks reach in listenings to unknown music, from where their tail
  /// begins.
  struct Tail: Sendable {
    /// The value of a look at which the tail begins, and by which it falls to a part in e.
    var beginning: Double
    var scale: Double
    /// Minus the logarithm of the share of listenings that get there.
    var certainty: Double

    /// Minus the logarithm of the share of listenings that get as far as a value.
    func certainty(of value: Double) -> Double { certainty + (value - beginning) / scale }
  }

  static func marginTail(isFirstStage: Bool, isOwnSpeed: Bool) -> Tail {
    marginTails[kind(isFirstStage, isOwnSpeed)]
  }

  static func discriminantTail(isFirstStage: Bool, isOwnSpeed: Bool) -> Tail {
    discriminantTails[kind(isFirstStage, isOwnSpeed)]
  }

  /// The share of all right answers' listenings that are decided by such a look within one unit of certainty.
  static func rightDensity(isFirstStage: Bool, isOwnSpeed: Bool) -> Double {
    rightDensities[kind(isFirstStage, isOwnSpeed)]
  }

  /// The kind of a look: in the first second or after it, at the reference's own speed or another.
  static func kind(_ isFirstStage: Bool, _ isOwnSpeed: Bool) -> Int {
    (isFirstStage ? 0 : 2) + (isOwnSpeed ? 0 : 1)
  }

  /// The figures at a length, between the tabled ones in proportion.
  static func look(at seconds: Double) -> Look {
    guard let next = looks.firstIndex(where: { $0.seconds >= seconds }) else {
      return looks[looks.count - 1]
    }
    guard next > 0 else { return looks[0] }
    let (a, b) = (looks[next - 1], looks[next])
    let share = (seconds - a.seconds) / (b.seconds - a.seconds)
    func between(_ x: Double, _ y: Double) -> Double { x + share * (y - x) }
    return Look(
      seconds: seconds, scale: between(a.scale, b.scale),
      margin80: between(a.margin80, b.margin80),
      marginScale: between(a.marginScale, b.marginScale),
      bestWrong: between(a.bestWrong, b.bestWrong))
  }
}
