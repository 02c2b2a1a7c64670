import Foundation
import Testing

@testable import EarshotAudio

/// A folder for one test, removed with it.
final class TestFolder {
  let path: String

  init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("earshot-audio-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  @discardableResult
  func write(_ bytes: [UInt8], _ name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }

  /// Runs a program in the folder and requires that it succeeds.
  func run(_ words: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = URL(fileURLWithPath: path)
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(words.joined(separator: " "))")
  }

  /// Encodes `name` to another file through ffmpeg.
  func encode(_ name: String, _ options: [String], _ other: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", file(name)] + options + [file(other)]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "encoding \(other)")
  }
}

/// Sound made for tests: repeatable, small, unlike itself at every other offset.
enum Sounds {
  /// A melody of decaying tones with a little noise, drawn from `seed`, full scale at 1.
  static func tune(seed: UInt64 = 1, seconds: Double, rate: Double) -> [Float] {
    var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
    func random() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 33) / Double(1 << 31)
    }
    let count = Int(seconds * rate)
    var samples = [Float](repeating: 0, count: count)
    var start = 0
    while start < count {
      let frequency = 220 * exp2(random() * 3)
      let length = Int((0.12 + 0.2 * random()) * rate)
      for index in start..<min(count, start + length) {
        let time = Double(index - start) / rate
        let tone = sin(2 * .pi * frequency * time) + 0.4 * sin(6 * .pi * frequency * time)
        samples[index] = Float(0.4 * exp(-8 * time) * tone + 0.02 * (random() - 0.5))
      }
      start += length
    }
    return samples
  }

  /// A WAV file of 16-bit samples.
  static func wav(_ channels: [[Float]], rate: Int, dataByteCount: UInt32? = nil) -> [UInt8] {
    let frames = channels[0].count
    var body: [UInt8] = []
    for frame in 0..<frames {
      for channel in channels {
        let value = Int16(max(-32768, min(32767, (channel[frame] * 32767).rounded())))
        body += little(UInt16(bitPattern: value))
      }
    }
    let size = dataByteCount ?? UInt32(body.count)
    return Array("RIFF".utf8) + little(size == .max ? size : size + 36) + Array("WAVEfmt ".utf8)
      + little(UInt32(16)) + little(UInt16(1)) + little(UInt16(channels.count))
      + little(UInt32(rate)) + little(UInt32(rate * channels.count * 2))
      + little(UInt16(channels.count * 2)) + little(UInt16(16)) + Array("data".utf8)
      + little(size) + body
  }

  static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<(Number.bitWidth / 8)).map { UInt8(truncatingIfNeeded: number >> Number(8 * $0)) }
  }

  /// All samples of a file at 16 kHz, with what was noted.
  static func read(_ path: String, block: Int = 4096) throws -> (samples: [Float], SoundFacts) {
    var reader = try SoundReader(path: Array(path.utf8))
    return try drain(&reader, block: block)
  }

  static func drain(_ reader: inout SoundReader, block capacity: Int = 4096) throws
    -> (samples: [Float], SoundFacts)
  {
    var block = SampleBlock(capacity: capacity)
    var samples: [Float] = []
    while try reader.read(into: &block) > 0 {
      samples += take(&block)
    }
    return (samples, reader.facts)
  }

  /// The samples of a block, which is empty afterwards.
  static func take(_ block: inout SampleBlock) -> [Float] {
    let samples = copy(block)
    block.removeAll()
    return samples
  }

  private static func copy(_ block: borrowing SampleBlock) -> [Float] {
    let span = block.samples
    return span.indices.map { span[$0] }
  }

  /// By how many samples `late` lags behind `early`, found where they fit best, and how well.
  ///
  /// Half a second from the middle is compared: the test's tunes are unlike themselves elsewhere.
  static func lag(_ late: [Float], behind early: [Float], reach: Int = 600) -> (Int, Double) {
    let common = min(early.count, late.count)
    let count = min(8000, common - 2 * reach - 2)
    let start = (common - count) / 2
    guard count > 0 else { return (0, 0) }
    return early.withUnsafeBufferPointer { early in
      late.withUnsafeBufferPointer { late in
        var best = (lag: 0, fit: -1.0)
        for lag in -reach...reach {
          let fit = fit(
            early.baseAddress.unsafelyUnwrapped + start,
            late.baseAddress.unsafelyUnwrapped + start + lag, count)
          if fit > best.fit { best = (lag, fit) }
        }
        return (best.lag, best.fit)
      }
    }
  }

  private static func fit(
    _ early: UnsafePointer<Float>, _ late: UnsafePointer<Float>, _ count: Int
  ) -> Double {
    var (product, first, second) = (SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>())
    var index = 0
    while index + 8 <= count {
      let x = UnsafeRawPointer(early + index).loadUnaligned(as: SIMD8<Float>.self)
      let y = UnsafeRawPointer(late + index).loadUnaligned(as: SIMD8<Float>.self)
      product += x * y
      first += x * x
      second += y * y
      index += 8
    }
    return Double(product.sum()) / Double(first.sum() * second.sum() + 1e-12).squareRoot()
  }

  static func level(_ samples: some Collection<Float>) -> Double {
    let sum = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
    return (sum / Double(max(1, samples.count))).squareRoot()
  }

  static func decibels(_ ratio: Double) -> Double { 20 * log10(max(ratio, 1e-12)) }
}
