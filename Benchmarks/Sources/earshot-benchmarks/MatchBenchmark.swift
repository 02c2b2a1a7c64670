import EarshotAudio
import EarshotCatalog
@_spi(Training) import EarshotMatch
import EarshotSignature
import Foundation

/// What analysing, scanning, scoring and a whole query cost, each beside what the machine allows.
///
/// The yardsticks are taken in the same run: decoding and the Fourier transform of the same sound by
/// a program of its own, and how fast memory can be read. All figures are CPU time.
struct MatchBenchmark {
  let earshot: String
  let baseline: String
  let catalog: String
  let query: String
  var turns = 5

  func run() throws {
    let samples = try Self.samples(of: query)
    try extraction(samples)
    let catalog = try Catalog(path: Array(catalog.utf8))
    let hours = catalog.duration / 3600
    let space = try SearchSpace([catalog])
    let prepared = try Self.processorSeconds { try space.prepare() }
    let bandwidth = Self.readBytesPerSecond()
    print(
      "catalog: \(text(hours)) h, laid out or opened in \(text(1000 * prepared)) ms;"
        + " memory is read at \(text(bandwidth / 1e9)) GB/s")
    for (name, speeds) in [("one hypothesis", MatchOptions.Speeds.trueSpeed), ("seven", .all)] {
      try listening(name, speeds, samples, in: space, hours: hours, bandwidth: bandwidth)
      try stream(name, speeds, samples, in: space)
    }
    try endToEnd()
    try passages(catalog)
  }

  /// Analysis of sound that is already at 16 kHz, for references and for queries.
  private func extraction(_ samples: [Float]) throws {
    let count = max(1, 120 * 16_000 / max(1, samples.count))
    let sound = Array(repeating: samples, count: count).flatMap { $0 }
    let seconds = Double(sound.count) / 16_000
    var peakCount = 0
    let reference = Self.least(turns) {
      var analyzer = ReferenceAnalyzer()
      analyzer.append(sound.span)
      peakCount = analyzer.finish().peakCount
    }
    let listening = Self.least(turns) {
      for start in stride(from: 0, to: sound.count, by: 16 * 16_000) {
        var analyzer = QueryAnalyzer()
        analyzer.append(sound.span.extracting(start..<min(sound.count, start + 16 * 16_000)))
      }
    }
    let alone = try transformAlone(sound)
    print(
      "analysis of samples: a reference \(text(3600 * reference / seconds)) CPU s an hour"
        + " (\(text(Double(peakCount) / seconds)) peaks a second), a query"
        + " \(text(1000 * listening / seconds)) ms a second; ratio to reading and FFT alone"
        + " \(text(reference / alone)) and \(text(listening / alone))")
  }

  /// The same samples as a WAV file, read and transformed by the baseline.
  private func transformAlone(_ sound: [Float]) throws -> Double {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("earshot-benchmark-\(UUID().uuidString).wav").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var bytes = Data("RIFF".utf8)
    func append(_ value: UInt32) {
      withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
    let size = UInt32(sound.count * 2)
    append(36 + size)
    bytes.append(Data("WAVEfmt ".utf8))
    // 16 bytes of format: PCM, one channel, 16 kHz, 2 bytes a sample of 16 bits.
    for word: UInt32 in [16, 1 | 1 << 16, 16_000, 32_000, 2 | 16 << 16] { append(word) }
    bytes.append(Data("data".utf8))
    append(size)
    for sample in sound {
      let value = Int16(max(-1, min(1, sample)) * 32_767)
      withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    var costs: [Double] = []
    for _ in 0..<turns {
      let started = try Cost.of(baseline, []).processor
      costs.append(try Cost.of(baseline, [path]).processor - started)
    }
    return max(costs.min() ?? 0, 1e-3)
  }

  /// The scan, or the gate, in chunks of a second, and the looks at the best candidates.
  private func listening(
    _ name: String, _ speeds: MatchOptions.Speeds, _ samples: [Float], in space: SearchSpace,
    hours: Double, bandwidth: Double
  ) throws {
    var analyzer = QueryAnalyzer()
    analyzer.append(samples.span.extracting(first: min(samples.count, 16 * 16_000)))
    analyzer.finish()
    let seconds = max(1, analyzer.sampleCount / 16_000)
    var (scans, looks): ([Double], [Double]) = ([], [])
    for _ in 0..<turns {
      var listening = try Listening(
        space, speeds: speeds, tables: .trained, frameCapacity: analyzer.frameCapacity)
      var (scan, detail) = (0.0, 0.0)
      for second in 1...seconds {
        let heard = second * 16_000
        let frames = min(AnalyzerSettings.frameCount(ofSampleCount: heard), analyzer.frameCount)
        scan += try Self.processorSeconds {
          try listening.advance(to: frames, heard: heard, at: analyzer)
        }
        detail += try Self.processorSeconds { _ = try listening.ranking(heard: heard) }
      }
      scans.append(scan / Double(seconds))
      looks.append(detail / Double(seconds))
    }
    let (scan, look) = (scans.min() ?? 0, looks.min() ?? 0)
    // Every second reads the peaks once and reads and writes each hypothesis's sums once.
    let hypotheses = speeds == .all ? 7.0 : 1
    let bytes = hours * 3600 * (90 * 4 + hypotheses * 4 * AnalyzerSettings.framesPerSecond / 2)
    print(
      "\(name): scan or gate \(text(1000 * scan)) ms a second of sound"
        + " (\(text(1000 * scan / hours)) an hour of catalog),"
        + " \(text(scan / (bytes / bandwidth))) x the time to read what a scan touches;"
        + " ranking and detail \(text(1000 * look)) ms a look")
  }

  /// A whole listening that finds nothing, at the looks that a microphone has: what a core is busy.
  private func stream(
    _ name: String, _ speeds: MatchOptions.Speeds, _ samples: [Float], in space: SearchSpace
  ) throws {
    // Reversed music has all that music has, and is in no catalog.
    let reversed = Array(samples.prefix(12 * 16_000).reversed())
    var costs: [Double] = []
    var seconds = 0.0
    for _ in 0..<turns {
      var analyzer = QueryAnalyzer()
      var matcher = Matcher(space, options: MatchOptions(speeds: speeds))
      let cost = try Self.processorSeconds {
        for start in stride(from: 0, to: reversed.count, by: 2048) {
          let end = min(reversed.count, start + 2048)
          analyzer.append(reversed.span.extracting(start..<end))
          if try matcher.look(at: analyzer) != nil { break }
        }
      }
      seconds = Double(analyzer.sampleCount) / 16_000
      costs.append(cost / seconds)
    }
    print(
      "\(name): a listening of \(text(seconds)) s takes \(text(100 * (costs.min() ?? 0))) % of a core,"
        + " analysis included")
  }

  /// The whole program, beyond starting it.
  private func endToEnd() throws {
    for speeds in ["1", "all"] {
      var costs: [Double] = []
      for _ in 0..<turns {
        let started = try Cost.of(earshot, ["version"]).processor
        let arguments = ["match", "--catalog", catalog, "--speeds", speeds, "--", query]
        costs.append(try Cost.of(earshot, arguments, allowing: 0...5).processor - started)
      }
      print("match --speeds \(speeds): \(text(1000 * median(costs))) ms of CPU beyond starting")
    }
  }

  /// Finding what the catalog's sounds share.
  private func passages(_ catalog: Catalog) throws {
    // Two catalogs are always searched anew, whatever one has recorded.
    guard catalog.duration < 100 * 3600 else { return }
    var count = 0
    let cost = try Self.processorSeconds {
      count = try SharedPassage.find(in: [catalog, catalog])?.count ?? 0
    }
    print(
      "shared passages: \(text(cost / (2 * catalog.duration / 3600))) CPU s an hour of sound,"
        + " \(count) found in the catalog twice over")
  }

  private static func samples(of path: String) throws -> [Float] {
    var reader = try SoundReader(path: Array(path.utf8))
    var block = SampleBlock(capacity: 16_000)
    var samples: [Float] = []
    while true {
      block.removeAll()
      if try reader.read(into: &block) == 0 { return samples }
      let span = block.samples
      for index in span.indices { samples.append(span[index]) }
    }
  }

  private static func readBytesPerSecond() -> Double {
    let memory = [UInt64](repeating: 1, count: 1 << 25)
    var sum: UInt64 = 0
    let best = least(4) { for value in memory { sum &+= value } }
    precondition(sum > 0, "the memory was read")
    return Double(memory.count * MemoryLayout<UInt64>.stride) / best
  }

  private static func least(_ turns: Int, _ body: () -> Void) -> Double {
    var least = Double.infinity
    for _ in 0..<turns { least = min(least, processorSeconds(body)) }
    return least
  }

  private static func processorSeconds<Failure: Error>(
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> Double {
    let before = clock()
    try body()
    return Double(clock() - before) / Double(CLOCKS_PER_SEC)
  }
}
