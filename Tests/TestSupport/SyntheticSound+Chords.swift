import Foundation

extension SyntheticSound {
  /// Chords with overtones, and a beat: all seeds play the same instrument in the same tuning.
  package static func chords(seconds: Double, seed: UInt64) -> [Float] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func random() -> Double {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Double(state >> 11) / Double(1 << 53)
    }
    let count = Int(seconds * 16_000)
    var sound = [Float](repeating: 0, count: count)
    var start = 0
    while start < count {
      let length = Int((0.15 + 0.35 * random()) * 16_000)
      for _ in 0..<3 {
        let frequency = 110 * pow(2, Double(Int(random() * 40)) / 12)
        let strength = 0.04 + 0.08 * random()
        for overtone in 1...5 {
          let step = 2 * Double.pi * frequency * Double(overtone) / 16_000
          guard step < 2.8 else { break }
          let gain = strength / Double(overtone)
          for index in 0..<min(length, count - start) {
            let fade = exp(-3 * Double(index) / Double(length))
            sound[start + index] += Float(gain * fade * sin(step * Double(index)))
          }
        }
      }
      for index in 0..<min(600, count - start) {
        let fade = exp(-Double(index) / 120)
        sound[start + index] += Float(0.1 * fade * (2 * random() - 1))
      }
      start += length
    }
    return sound
  }
}
