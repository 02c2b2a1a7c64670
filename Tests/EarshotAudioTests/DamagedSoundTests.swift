import Foundation
import Testing

@testable import EarshotAudio

@Suite("Damaged sound") struct DamagedSoundTests {
  private static let seconds = 20.0

  /// A coded tune with a hole of noise in its middle, and the tune itself as it is read.
  private static func damaged(_ ending: String, _ options: [String] = [], in folder: TestFolder)
    throws -> (bytes: [UInt8], source: [Float])
  {
    try folder.write(
      Sounds.wav([Sounds.tune(seconds: seconds, rate: 44100)], rate: 44100), "a.wav")
    let source = try Sounds.read(folder.file("a.wav")).samples
    try folder.encode("a.wav", options, "b." + ending)
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file("b." + ending))))
    let middle = bytes.count * 2 / 5
    for place in middle..<(middle + 3000) {
      bytes[place] = UInt8(truncatingIfNeeded: place &* 167 ^ place >> 3)
    }
    return (bytes, source)
  }

  @Test(
    "what lies behind damage in the middle is read as well, at its place, and the damage is told",
    arguments: ["flac", "mp3"])
  func middle(ending: String) throws {
    let folder = try TestFolder()
    let (bytes, source) = try Self.damaged(ending, ["-b:a", "128k"], in: folder)
    let (samples, facts) = try Sounds.read(folder.write(bytes, "damaged." + ending))
    #expect(abs(Double(samples.count) / 16_000 - Self.seconds) < 0.3, "\(samples.count)")
    let at = facts.warnings.compactMap {
      if case .damagedWithin(let seconds) = $0 { seconds } else { nil }
    }
    #expect(at.count == 1 && abs(at[0] - 0.4 * Self.seconds) < 0.5, "\(facts.warnings)")
    #expect(!facts.warnings.contains { if case .followed = $0 { true } else { false } })
    // Frames of MP3 don't say where they belong, so what was lost may move the rest by a moment.
    let reach = ending == "mp3" ? 4800 : 16
    let late = Sounds.lag(
      Array(samples.dropFirst(12 * 16_000)), behind: Array(source.dropFirst(12 * 16_000)),
      reach: reach)
    #expect(late.1 > 0.8, "\(late)")
    let early = Sounds.lag(Array(samples.prefix(6 * 16_000)), behind: source, reach: 16)
    #expect(early.1 > 0.8, "\(early)")
  }

  @Test("an Ogg stream whose end is damaged keeps its time before that")
  func oggEnd() throws {
    let folder = try TestFolder()
    var (bytes, source) = try Self.damaged("ogg", in: folder)
    // The last page loses its name, so that nothing tells how long the stream is.
    let last = try #require(bytes.lastIndex(of: UInt8(ascii: "O")))
    for place in max(0, last - 3000)..<bytes.count { bytes[place] = 7 }
    let (samples, facts) = try Sounds.read(folder.write(bytes, "damaged.ogg"))
    let late = Sounds.lag(
      Array(samples.dropFirst(12 * 16_000).prefix(4 * 16_000)),
      behind: Array(source.dropFirst(12 * 16_000)), reach: 1600)
    #expect(late.1 > 0.8 && abs(late.0) <= 800, "\(late)")
    #expect(facts.warnings.contains { if case .damaged = $0 { true } else { false } })
  }

  @Test("damage that ffmpeg reads over is told")
  func foreign() throws {
    let folder = try TestFolder()
    let (bytes, _) = try Self.damaged("m4a", ["-c:a", "aac", "-b:a", "128k"], in: folder)
    let (_, facts) = try Sounds.read(folder.write(bytes, "damaged.m4a"))
    #expect(facts.warnings.contains { if case .damaged = $0 { true } else { false } })
  }
}
