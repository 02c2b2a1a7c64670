import Foundation
import Testing

@testable import EarshotAudio

@Suite("WAV whose writer never told the sizes") struct UnfinishedWAVTests {
  private static let tune = Sounds.tune(seconds: 3, rate: 44100)

  /// What recorders that were killed, and programs that write into a pipe, leave as sizes.
  enum Sizes: CaseIterable {
    case zero, dataZero, headerOnly, long

    /// A WAV of 16-bit samples with these sizes, as RIFF or with the 64-bit sizes of RF64.
    func put(into wav: [UInt8]) -> [UInt8] {
      var bytes = wav
      func set(_ number: UInt32, at offset: Int) {
        bytes.replaceSubrange(offset..<(offset + 4), with: Sounds.little(number))
      }
      set(0, at: 40)
      switch self {
      case .zero: set(0, at: 4)
      case .dataZero: set(.max, at: 4)
      case .headerOnly: set(36, at: 4)
      case .long:
        bytes.replaceSubrange(0..<4, with: Array("RF64".utf8))
        set(.max, at: 4)
        set(.max, at: 40)
        let sizes =
          Array("ds64".utf8) + Sounds.little(UInt32(28)) + [UInt8](repeating: 0, count: 28)
        bytes.insert(contentsOf: sizes, at: 12)
      }
      return bytes
    }
  }

  @Test(
    "O-33, O-69: it is read to its end, from a file and from a pipe, without another program",
    arguments: Sizes.allCases)
  func read(sizes: Sizes) throws {
    let folder = try TestFolder()
    let whole = Sounds.wav([Self.tune, Self.tune.map { $0 / 2 }], rate: 44100)
    let source = try Sounds.read(folder.write(whole, "whole.wav")).samples
    let bytes = sizes.put(into: whole)
    let (samples, facts) = try Sounds.read(folder.write(bytes, "unfinished.wav"))
    #expect(samples == source)
    #expect(facts.kind == "WAV" && facts.expectedSeconds == nil && facts.warnings.isEmpty)
    let piped = try PipedSoundTests.piped(bytes) { end in
      var reader = try SoundReader(descriptor: end)
      return try Sounds.drain(&reader).samples
    }
    #expect(piped == source)
  }

  @Test("one that ends with its header holds no sound", arguments: Sizes.allCases)
  func empty(sizes: Sizes) throws {
    let folder = try TestFolder()
    let bytes = sizes.put(into: Sounds.wav([[]], rate: 44100))
    #expect(throws: AudioError.noSound) { try Sounds.read(folder.write(bytes, "empty.wav")) }
  }

  @Test("its samples are read as its header says they are written")
  func formats() throws {
    for (code, bits, format) in [
      (1, 8, RawFormat.u8), (1, 16, .s16), (1, 24, .s24), (1, 32, .s32), (3, 32, .f32),
      (3, 64, .f64), (6, 8, .alaw), (7, 8, .ulaw), (1, 12, nil), (2, 4, nil), (85, 0, nil),
    ] as [(UInt8, UInt8, RawFormat?)] {
      var header = Sounds.wav([[]], rate: 44100)
      header[20] = code
      header[34] = bits
      header[32] = bits / 8
      #expect(StreamedWAVHeader(header)?.format == format, "\(code), \(bits) bits")
      // Samples in wider places than their bits are no plain ones.
      header[32] += 1
      #expect(StreamedWAVHeader(header)?.format == nil)
    }
  }
}
