import EarshotSignature
import Foundation

/// One track of the split: an id, its role and the family of tracks that share sound with it.
struct Track: Sendable {
  var id: String
  var role: String
  var family: String
}

/// One damaged excerpt, 16 s long, with its answer.
struct Excerpt: Sendable {
  var name: String
  /// Empty for sound that is in no reference.
  var reference: String
  /// Seconds in the reference at the excerpt's first sample.
  var offset: Double
  var condition: String
  var speed: Double
  /// The track it was cut from; empty for sound that is no music.
  var source: String
}

/// Reads the tables that describe the music and the excerpts.
enum Corpus {
  static func tracks(split path: String) throws -> [Track] {
    try rows(of: path).map { Track(id: $0[0], role: $0[4], family: $0[5]) }
  }

  static func excerpts(folder: String) throws -> [Excerpt] {
    try rows(of: folder + "/truth.tsv").filter { $0[3] == "16" }.map { row in
      Excerpt(
        name: String(row[0].dropLast(4)), reference: row[1], offset: Double(row[2]) ?? 0,
        condition: row[4], speed: Double(row[5]) ?? 1, source: row[6])
    }
  }

  private static func rows(of path: String) throws -> [[String]] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }
}

/// Reads raw 16-bit samples at 16 kHz.
enum RawSound {
  static func samples(path: String) throws -> [Float] {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return data.withUnsafeBytes { bytes in
      bytes.bindMemory(to: Int16.self).map { Float($0) / 32768 }
    }
  }
}

/// The signatures of the references, made once and kept in a folder.
enum SignatureStore {
  static func signature(of id: String, sounds: String, cache: String) throws -> Signature {
    let digest = String(AnalyzerSettings.digest, radix: 16)
    let path = "\(cache)/\(digest)/\(id).peaks"
    if let data = FileManager.default.contents(atPath: path) {
      let words = data.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
      let count = words.prefix(4).reversed().reduce(0) { $0 << 16 | Int($1) }
      return try Signature(
        sampleCount: count, packedPeaks: Array(words.dropFirst(4)),
        settingsDigest: AnalyzerSettings.digest)
    }
    let samples = try RawSound.samples(path: "\(sounds)/\(id).s16")
    var analyzer = ReferenceAnalyzer()
    analyzer.append(samples.span)
    let signature = analyzer.finish()
    var words = (0..<4).map { UInt16(signature.sampleCount >> (16 * $0) & 0xffff) }
    words += signature.packedPeaks
    try FileManager.default.createDirectory(
      atPath: "\(cache)/\(digest)", withIntermediateDirectories: true)
    try words.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: path))
    return signature
  }
}
