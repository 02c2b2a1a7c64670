import Foundation

/// Sound that tests make themselves: reproducible from a seed.
package enum SyntheticSound {
  /// A generator with a seed (SplitMix64).
  package struct Random: RandomNumberGenerator {
    private var state: UInt64
    package init(seed: UInt64) { state = seed }
    package mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var z = state
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return z ^ (z >> 31)
    }
  }

  package static func tone(hertz: Double, seconds: Double, amplitude: Double = 0.5) -> [Float] {
    (0..<Int(seconds * 16_000)).map {
      Float(amplitude * sin(2 * .pi * hertz * Double($0) / 16_000))
    }
  }

  package static func noise(seconds: Double, amplitude: Float = 0.3, seed: UInt64) -> [Float] {
    var random = Random(seed: seed)
    return (0..<Int(seconds * 16_000)).map { _ in
      Float.random(in: -amplitude...amplitude, using: &random)
    }
  }

  /// Plucked notes with overtones at random moments: music enough to be recognised.
  package static func melody(seconds: Double, seed: UInt64) -> [Float] {
    var random = Random(seed: seed)
    var sound = Array(repeating: Float(0), count: Int(seconds * 16_000))
    var start = 0.0
    while start < seconds {
      let hertz = 110 * exp2(Double(Int.random(in: 0..<36, using: &random)) / 12)
      let first = Int(start * 16_000)
      let length = min(
        Int(Double.random(in: 0.2...0.9, using: &random) * 16_000), sound.count - first)
      for index in 0..<length {
        let time = Double(index) / 16_000
        var value = 0.0
        for overtone in 1...5 {
          value += sin(2 * .pi * hertz * Double(overtone) * time) / Double(overtone)
        }
        sound[first + index] += Float(0.15 * value * exp(-4 * time))
      }
      start += Double.random(in: 0.05...0.3, using: &random)
    }
    return sound
  }
}
