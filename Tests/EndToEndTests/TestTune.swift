import EarshotCatalog
import EarshotSignature
import Foundation

/// A repeatable piece of made-up music: chords with overtones, a beat, and a voice above them.
enum TestTune {
  /// Mono samples at 16 kHz.
  static func samples(seed: UInt64, seconds: Double) -> [Float] {
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

  /// Writes a WAV file of 16 kHz mono floats.
  static func write(_ samples: [Float], to path: String) throws {
    var file = Data("RIFF".utf8)
    func number(_ value: UInt32) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }
    func short(_ value: UInt16) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }
    let bytes = samples.withUnsafeBytes { Data($0) }
    file += number(UInt32(36 + bytes.count)) + Data("WAVEfmt ".utf8) + number(16)
    file += short(3) + short(1) + number(16_000) + number(64_000) + short(4) + short(32)
    file += Data("data".utf8) + number(UInt32(bytes.count)) + bytes
    try file.write(to: URL(fileURLWithPath: path))
  }

  /// Makes a catalog of the tunes with these seeds, their ids being `tune-SEED`.
  static func makeCatalog(seeds: [UInt64], seconds: Double, at path: String) throws {
    var writer = try CatalogWriter(path: Array(path.utf8))
    for seed in seeds {
      var analyzer = ReferenceAnalyzer()
      analyzer.append(samples(seed: seed, seconds: seconds).span)
      let index = try writer.append(analyzer.finish())
      try writer.append(
        MediaItem(id: "tune-\(seed)", title: "Tune \(seed)"), signatureIndex: index)
    }
    try writer.finish()
  }
}
