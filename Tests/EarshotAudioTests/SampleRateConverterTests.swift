import Foundation
import Testing

@testable import EarshotAudio

@Suite("Sound of any form becomes 16 kHz mono") struct SampleRateConverterTests {
  private static func convert(
    _ interleaved: [Float], rate: Double, channels: Int, pieces: [Int] = [4096],
    speakers: [Speaker]? = nil
  ) throws -> [Float] {
    var converter =
      try speakers.map { try SampleRateConverter(rate: rate, channels: channels, speakers: $0) }
      ?? SampleRateConverter(rate: rate, channels: channels)
    var result: [Float] = []
    var block = SampleBlock(capacity: 200_000)
    var (frame, turn) = (0, 0)
    let frames = interleaved.count / channels
    while frame < frames {
      let count = min(pieces[turn % pieces.count], frames - frame)
      turn += 1
      let piece = Array(interleaved[(frame * channels)..<((frame + count) * channels)])
      converter.convert(piece.span, into: &block)
      result += Sounds.take(&block)
      frame += count
    }
    while converter.finish(into: &block) > 0 { result += Sounds.take(&block) }
    return result
  }

  @Test(
    "gives the same samples, bit for bit, in whatever pieces the sound comes",
    arguments: [4000.0, 8000, 16000, 22222, 44100, 48000, 192_000, 384_000], [1, 2, 6])
  func pieces(rate: Double, channels: Int) throws {
    let mono = Sounds.tune(seconds: 0.25, rate: rate)
    let sound = mono.flatMap { sample in (0..<channels).map { sample / Float($0 + 1) } }
    let whole = try Self.convert(sound, rate: rate, channels: channels, pieces: [1 << 30])
    let uneven = try Self.convert(sound, rate: rate, channels: channels, pieces: [1, 7, 160, 3001])
    #expect(whole == uneven)
    #expect(abs(whole.count - 4000) <= 1)
  }

  @Test(
    "keeps the band up to 5.6 kHz within 0.1 dB", arguments: [22050.0, 44100, 48000, 96000],
    [160.0, 1000, 5600])
  func passband(rate: Double, frequency: Double) throws {
    let tone = (0..<Int(rate)).map { Float(0.5 * sin(2 * .pi * frequency * Double($0) / rate)) }
    let result = try Self.convert(tone, rate: rate, channels: 1)
    let level = Sounds.level(result[2000..<14000]) / (0.5 / 2.0.squareRoot())
    #expect(abs(Sounds.decibels(level)) < 0.1)
  }

  @Test("folds nothing from above into the band", arguments: [10_500.0, 12_000, 20_000])
  func stopband(frequency: Double) throws {
    let tone = (0..<44100).map { Float(sin(2 * .pi * frequency * Double($0) / 44100)) }
    let result = try Self.convert(tone, rate: 44100, channels: 1)
    #expect(Sounds.decibels(Sounds.level(result[2000..<14000])) < -95)
  }

  @Test("leaves a click where it was", arguments: [8000.0, 22222, 44100, 48000, 192_000], [1, 2])
  func delay(rate: Double, channels: Int) throws {
    let place = Int(rate * 0.4)
    let frames = (0..<Int(rate)).map { Float($0 == place ? 1 : 0) }
    let sound = frames.flatMap { Array(repeating: $0, count: channels) }
    let result = try Self.convert(sound, rate: rate, channels: channels)
    let peak = result.indices.max { abs(result[$0]) < abs(result[$1]) } ?? 0
    #expect(abs(Double(peak) / 16000 - Double(place) / rate) < 1.0 / 8000)
  }

  @Test("O-12: a dead channel doesn't halve the level", arguments: [0, 1], [Float(0), 0.004])
  func deadChannel(dead: Int, rest: Float) throws {
    let mono = Sounds.tune(seconds: 1, rate: 44100)
    let pair = mono.flatMap { dead == 0 ? [$0 * rest, $0] : [$0, $0 * rest] }
    let one = try Self.convert(mono, rate: 44100, channels: 1)
    let both = try Self.convert(pair, rate: 44100, channels: 2)
    let ratio = Sounds.level(both[1600...]) / Sounds.level(one[1600...])
    #expect(abs(Sounds.decibels(ratio)) < 0.2)
  }

  @Test("an inverted pair doesn't cancel")
  func invertedPair() throws {
    let mono = Sounds.tune(seconds: 1, rate: 48000)
    let one = try Self.convert(mono, rate: 48000, channels: 1)
    let both = try Self.convert(mono.flatMap { [$0, -$0] }, rate: 48000, channels: 2)
    #expect(abs(Sounds.decibels(Sounds.level(both[800...]) / Sounds.level(one[800...]))) < 0.2)
  }

  @Test("two different channels are both heard, 6 dB down")
  func stereo() throws {
    let left = Sounds.tune(seed: 1, seconds: 1, rate: 44100)
    let right = Sounds.tune(seed: 2, seconds: 1, rate: 44100)
    let mixed = try Self.convert(
      zip(left, right).flatMap { [$0, $1] }, rate: 44100, channels: 2)
    let wanted = try Self.convert(
      zip(left, right).map { 0.5 * ($0 + $1) }, rate: 44100, channels: 1)
    #expect(
      Sounds.lag(mixed, behind: wanted, reach: 10) == (
        0, Sounds.lag(mixed, behind: wanted, reach: 10).1
      ))
    #expect(Sounds.lag(mixed, behind: wanted, reach: 10).1 > 0.9999)
  }

  @Test("O-41: the centre of 5.1 counts, alone and under other sound")
  func centre() throws {
    let voice = Sounds.tune(seed: 3, seconds: 1, rate: 48000)
    let alone = try Self.convert(
      voice.flatMap { [0, 0, $0, 0, 0, 0] }, rate: 48000, channels: 6)
    let one = try Self.convert(voice, rate: 48000, channels: 1)
    #expect(Sounds.lag(alone, behind: one, reach: 4).1 > 0.9999)
    #expect(Sounds.decibels(Sounds.level(alone) / Sounds.level(one)) > -3.1)
  }

  @Test("the low-frequency channel is left out")
  func lowFrequency() throws {
    let rumble = Sounds.tune(seed: 3, seconds: 0.5, rate: 48000)
    let result = try Self.convert(
      rumble.flatMap { [0, 0, 0, $0, 0, 0] }, rate: 48000, channels: 6)
    #expect(Sounds.level(result) == 0)
  }

  @Test("what is no number is silence, and what is far too loud is cut", arguments: [1, 2, 3])
  func notFinite(channels: Int) throws {
    var mono = Sounds.tune(seconds: 0.5, rate: 44100)
    let clean = mono
    for index in stride(from: 1000, to: mono.count, by: 997) {
      mono[index] = [.nan, .infinity, -.infinity, 1e30][index % 4]
    }
    let sound = mono.flatMap { Array(repeating: $0, count: channels) }
    let result = try Self.convert(sound, rate: 44100, channels: channels)
    #expect(result.allSatisfy { $0.isFinite && abs($0) < 200 })
    let other = try Self.convert(
      clean.flatMap { Array(repeating: $0, count: channels) }, rate: 44100, channels: channels)
    #expect(result.count == other.count)
  }

  @Test(
    "takes rates and channel counts up to the limits and nothing past them",
    arguments: [
      (4000.0, 1, true), (3999.9, 1, false), (384_000, 2, true), (384_001, 2, false),
      (44100, 256, true), (44100, 257, false), (44100, 0, false), (.nan, 1, false),
      (.infinity, 1, false), (-44100, 1, false),
    ])
  func limits(rate: Double, channels: Int, isTaken: Bool) {
    do throws(AudioError) {
      _ = try SampleRateConverter(rate: rate, channels: channels)
      #expect(isTaken)
    } catch {
      #expect(!isTaken)
      guard case .unsupportedFormat = error else {
        Issue.record("\(error)")
        return
      }
    }
  }
}
