import EarshotCatalog
import EarshotSignature
import Foundation
import TestSupport

/// Repeatable pieces of made-up music, as files and in a catalog.
enum TestTune {
  /// Mono samples at 16 kHz.
  static func samples(seed: UInt64, seconds: Double) -> [Float] {
    SyntheticSound.chords(seconds: seconds, seed: seed)
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
