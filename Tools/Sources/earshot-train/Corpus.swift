import EarshotAudio
import EarshotSignature
import Foundation

/// One track of the split: an id, its role and the family of tracks that share sound with it.
struct Track: Sendable {
  var id: String
  /// Where its sound lies, below the music's folder.
  var path: String
  var role: String
  var family: String
}

/// One damaged excerpt, 16 s long, with its answer.
struct Excerpt: Sendable {
  /// The file's name in the folder of excerpts.
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
    try rows(of: path).map {
      Track(id: $0[0], path: "\($0[1])/\($0[2])", role: $0[4], family: $0[5])
    }
  }

  static func excerpts(folder: String) throws -> [Excerpt] {
    try rows(of: folder + "/truth.tsv").filter { $0[3] == "16" }.map { row in
      Excerpt(
        name: row[0], reference: row[1], offset: Double(row[2]) ?? 0, condition: row[4],
        speed: Double(row[5]) ?? 1, source: row[6])
    }
  }

  private static func rows(of path: String) throws -> [[String]] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }
}

/// Reads sound files in blocks, through the same reader and converter as the product.
enum SoundFile {
  static func read(_ path: String, _ body: (Span<Float>) -> Void) throws {
    var reader = try SoundReader(path: Array(path.utf8))
    var block = SampleBlock(capacity: 16_000)
    while true {
      block.removeAll()
      if try reader.read(into: &block) == 0 { break }
      body(block.samples)
    }
  }

  /// The levels of an excerpt, or of its first seconds.
  static func analyzed(_ path: String, seconds: Double = 16) throws -> QueryAnalyzer {
    var analyzer = QueryAnalyzer(capacitySeconds: 17)
    let most = Int(seconds * Double(AnalyzerSettings.sampleRate))
    try read(path) { samples in
      analyzer.append(samples.extracting(first: min(samples.count, most - analyzer.sampleCount)))
    }
    if analyzer.sampleCount < most { analyzer.finish() }
    return analyzer
  }
}

/// The signatures of the references, made once and kept in a folder.
enum SignatureStore {
  static func signature(of track: Track, music: String, cache: String) throws -> Signature {
    let folder = "\(cache)/\(String(AnalyzerSettings.digest, radix: 16))"
    let path = "\(folder)/\(track.id).peaks"
    if let data = FileManager.default.contents(atPath: path) {
      let words = data.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
      let count = words.prefix(4).reversed().reduce(0) { $0 << 16 | Int($1) }
      return try Signature(
        sampleCount: count, packedPeaks: Array(words.dropFirst(4)),
        settingsDigest: AnalyzerSettings.digest)
    }
    var analyzer = ReferenceAnalyzer()
    try SoundFile.read("\(music)/\(track.path)") { analyzer.append($0) }
    let signature = analyzer.finish()
    var words = (0..<4).map { UInt16(signature.sampleCount >> (16 * $0) & 0xffff) }
    words += signature.packedPeaks
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try words.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: path))
    return signature
  }
}
