import EarshotAudio
import EarshotMatch
import EarshotSignature

/// What is in the air, in memory: 16 kHz, one channel.
struct Sound {
  var samples: [Float] = []

  /// Decodes a file.
  init(path: String) throws {
    var reader = try SoundReader(path: Array(path.utf8))
    var block = SampleBlock(capacity: 65_536)
    while true {
      block.removeAll()
      guard try reader.read(into: &block) > 0 else { break }
      let piece = block.samples
      for index in piece.indices { samples.append(piece[index]) }
    }
  }

  var seconds: Double { Double(samples.count) / Double(AnalyzerSettings.sampleRate) }

  /// One listening from a moment on, as the worker makes it: the answer, at the first certain look or at
  /// the limit; nil where the sound ends before.
  func listening(
    from start: Double, limit: Double, in space: SearchSpace, options: MatchOptions
  ) throws -> MatchAnswer? {
    var analyzer = QueryAnalyzer(capacitySeconds: limit + 1)
    var matcher = Matcher(space, options: options)
    let first = Int(start * Double(AnalyzerSettings.sampleRate))
    let last = first + Int(limit * Double(AnalyzerSettings.sampleRate))
    guard first >= 0, last <= samples.count else { return nil }
    var at = first
    while at < last {
      let next = min(at + AnalyzerSettings.edgeSampleCount, last)
      analyzer.append(samples.span.extracting(at..<next))
      at = next
      if let answer = try matcher.look(at: analyzer) { return answer }
    }
    analyzer.finish()
    return try matcher.finish(at: analyzer)
  }
}
