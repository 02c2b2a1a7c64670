import Foundation

/// Tunes that the tests make themselves: struck strings on a seeded melody with chords, 16 kHz mono.
enum TuneFile {
  static let rate = 16_000

  /// The samples of the tune of a seed.
  static func samples(seed: UInt64, seconds: Double) -> [Float] {
    var random = Random(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
    var samples = [Float](repeating: 0, count: Int(seconds * Double(rate)))
    var start = 0
    while start < samples.count {
      for _ in 0..<3 {
        let note = 48 + Int(random.next() * 36)
        let frequency = 440 * pow(2, (Double(note) - 69) / 12) * (1 + (random.next() - 0.5) * 0.01)
        strike(&samples, at: start, frequency: frequency, decay: 2 + random.next() * 6)
      }
      start += Int((0.12 + random.next() * 0.25) * Double(rate))
    }
    return samples
  }

  /// Writes samples as a WAV file of 16 bits.
  static func write(_ samples: [Float], to path: String) throws {
    var data = Data()
    func append(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
    }
    data.append(contentsOf: "RIFF".utf8)
    append(UInt32(36 + samples.count * 2))
    data.append(contentsOf: "WAVEfmt ".utf8)
    append(UInt32(16))
    append(UInt16(1))
    append(UInt16(1))
    append(UInt32(rate))
    append(UInt32(rate * 2))
    append(UInt16(2))
    append(UInt16(16))
    data.append(contentsOf: "data".utf8)
    append(UInt32(samples.count * 2))
    for sample in samples { append(Int16(max(-1, min(1, sample)) * 32_000)) }
    try data.write(to: URL(fileURLWithPath: path))
  }

  private static func strike(
    _ samples: inout [Float], at start: Int, frequency: Double, decay: Double
  ) {
    for harmonic in 1...6 {
      let step = 2 * Double.pi * frequency * Double(harmonic) / Double(rate)
      guard step < .pi else { return }
      for index in start..<min(samples.count, start + rate / 2) {
        let time = Double(index - start) / Double(rate)
        let level = 0.12 / Double(harmonic) * exp(-time * decay * sqrt(Double(harmonic)))
        samples[index] += Float(level * sin(step * Double(index - start)))
      }
    }
  }

  private struct Random {
    var state: UInt64

    mutating func next() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / Double(1 << 53)
    }
  }
}
