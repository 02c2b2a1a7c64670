import Foundation
import Testing

@testable import EarshotAudio

@Suite("Sound through a pipe") struct PipedSoundTests {
  private static let tune = Sounds.tune(seconds: 4, rate: 44100)

  /// Writes the bytes into a pipe in uneven pieces while `body` reads its other end.
  static func piped<Result>(_ bytes: [UInt8], _ body: (Int32) throws -> Result) throws
    -> Result
  {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    // Programs that other tests start meanwhile must not keep the pipe open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    signal(SIGPIPE, SIG_IGN)
    let writeEnd = ends[1]
    let writer = Thread {
      var start = 0
      var size = 1
      while start < bytes.count {
        let count = min(size, bytes.count - start)
        let written = bytes[start..<(start + count)].withUnsafeBytes {
          write(writeEnd, $0.baseAddress, count)
        }
        if written <= 0 { break }
        start += written
        size = min(size * 3, 50_000)
        if start < 3000 { usleep(1000) }
      }
      close(writeEnd)
    }
    writer.start()
    defer { close(ends[0]) }
    return try body(ends[0])
  }

  @Test(
    "every kind that needs no seeking is read from a pipe, at its place",
    arguments: ["wav", "flac", "ogg", "opus", "mp3", "mkv", "aac", "aiff"])
  func containers(ending: String) throws {
    let folder = try TestFolder()
    try folder.write(Sounds.wav([Self.tune], rate: 44100), "a.wav")
    let source = try Sounds.read(folder.file("a.wav")).samples
    if ending != "wav" { try folder.encode("a.wav", [], "b." + ending) }
    let name = ending == "wav" ? "a.wav" : "b." + ending
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file(name))))
    let samples = try Self.piped(bytes) { end in
      var reader = try SoundReader(descriptor: end)
      return try Sounds.drain(&reader).samples
    }
    let (lag, fit) = Sounds.lag(samples, behind: source)
    #expect(abs(lag) <= 80 && fit > 0.9, "\(ending): \(lag) \(fit)")
    #expect(abs(samples.count - source.count) < 1600, "\(ending): \(samples.count)")
  }

  @Test(
    "what libsndfile seeks in is read from a pipe too, and an MP4 that can't be says so",
    arguments: ["caf", "oga", "gsm.wav", "adpcm.wav", "fragments.mp4"])
  func seeking(name: String) throws {
    let folder = try TestFolder()
    try folder.write(Sounds.wav([Self.tune], rate: 44100), "a.wav")
    let options =
      switch name {
      case "oga": ["-c:a", "flac", "-f", "ogg"]
      case "gsm.wav": ["-c:a", "libgsm_ms", "-ar", "8000"]
      case "adpcm.wav": ["-c:a", "adpcm_ms"]
      case "fragments.mp4": ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"]
      default: [String]()
      }
    let source = try Sounds.read(folder.file("a.wav")).samples
    try folder.encode("a.wav", options, "b." + name)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file("b." + name))))
    let samples = try Self.piped(bytes) { end in
      var reader = try SoundReader(descriptor: end)
      return try Sounds.drain(&reader).samples
    }
    let (lag, fit) = Sounds.lag(samples, behind: source)
    #expect(abs(lag) <= 80 && fit > 0.8, "\(name): \(lag) \(fit)")
    guard name == "fragments.mp4" else { return }
    // One that fits into ffmpeg's buffer can be read all the same.
    try folder.encode("a.wav", ["-c:a", "alac"], "end.m4a")
    let atEnd = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file("end.m4a"))))
    #expect(throws: AudioError.needsFile(kind: "ALAC in MP4")) {
      try Self.piped(atEnd) { end in
        var reader = try SoundReader(descriptor: end)
        return try Sounds.drain(&reader).samples.count
      }
    }
  }

  @Test("O-33: a WAV of unknown size is read from a pipe")
  func unknownSize() throws {
    let bytes = Sounds.wav([Self.tune], rate: 44100, dataByteCount: .max)
    let samples = try Self.piped(bytes) { end in
      var reader = try SoundReader(descriptor: end)
      return try Sounds.drain(&reader).samples
    }
    #expect(abs(samples.count - 64000) <= 1)
  }

  @Test("an empty pipe and a pipe of text say what they are")
  func faults() throws {
    #expect(throws: AudioError.emptyFile) {
      try Self.piped([]) { _ = try SoundReader(descriptor: $0) }
    }
    #expect(throws: AudioError.unrecognised) {
      try Self.piped(Array("hello\n".utf8)) { _ = try SoundReader(descriptor: $0) }
    }
  }

  @Test("raw samples of every format are read", arguments: RawFormat.allCases)
  func raw(format: RawFormat) throws {
    let folder = try TestFolder()
    try folder.write(Sounds.wav([Self.tune], rate: 44100), "a.wav")
    let source = try Sounds.read(folder.file("a.wav")).samples
    let names: [RawFormat: String] = [
      .u8: "u8", .s8: "s8", .s16: "s16le", .s16be: "s16be", .s24: "s24le", .s32: "s32le",
      .f32: "f32le", .f64: "f64le", .ulaw: "mulaw", .alaw: "alaw",
    ]
    try folder.encode("a.wav", ["-f", names[format] ?? "", "-ac", "1"], "raw")
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file("raw"))))
    let samples = try Self.piped(bytes) { end in
      var reader = try SoundReader(rawDescriptor: end, rate: 44100, channels: 1, format: format)
      return try Sounds.drain(&reader).samples
    }
    let (lag, fit) = Sounds.lag(samples, behind: source, reach: 20)
    #expect(lag == 0 && fit > 0.98, "\(lag) \(fit)")
    #expect(abs(samples.count - source.count) <= 1)
  }

  @Test("the caller's descriptor stays open")
  func descriptor() throws {
    let folder = try TestFolder()
    let path = try folder.write(Sounds.wav([Self.tune], rate: 44100), "a.wav")
    let descriptor = open(path, O_RDONLY)
    do {
      var reader = try SoundReader(descriptor: descriptor)
      _ = try Sounds.drain(&reader)
    }
    #expect(fcntl(descriptor, F_GETFD) >= 0)
    close(descriptor)
  }
}
