import Foundation
import Testing

@testable import EarshotAudio

@Suite("Files of every kind are read") struct SoundReaderTests {
  private static let rate = 44100
  private static let seconds = 4.0
  private static let tune = Sounds.tune(seconds: seconds, rate: Double(rate))

  private static func source(in folder: TestFolder) throws -> [Float] {
    try folder.write(Sounds.wav([tune], rate: rate), "a.wav")
    return try Sounds.read(folder.file("a.wav")).samples
  }

  @Test(
    "O-16: every coding gives the sound at its place, within 5 ms",
    arguments: [
      (["-c:a", "libmp3lame"], "tagged.mp3"),
      (["-c:a", "libmp3lame", "-write_xing", "0", "-id3v2_version", "0"], "bare.mp3"),
      (["-c:a", "libmp3lame", "-q:a", "4", "-ac", "2"], "variable.mp3"),
      (["-c:a", "libmp3lame", "-ar", "22050"], "low.mp3"),
      (["-c:a", "libvorbis"], "v.ogg"), (["-c:a", "libopus"], "o.opus"),
      (["-c:a", "flac"], "f.flac"),
      (["-c:a", "flac"], "f.ogg"), (["-c:a", "aac"], "x.m4a"), (["-c:a", "aac"], "x.aac"),
      (["-c:a", "libopus"], "o.webm"), (["-c:a", "alac"], "l.m4a"), (["-c:a", "ac3"], "c.ac3"),
      // What tells the delay is missing: in fragments, as streams come, and where it was left out.
      (["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"], "fragments.mp4"),
      (["-c:a", "aac", "-use_editlist", "0"], "untold.m4a"), (["-c:a", "mp2"], "x.mp2"),
      (["-c:a", "wmav2"], "w.wma"), (["-c:a", "wmav2", "-ar", "22050"], "low.wma"),
      (["-c:a", "wmav1", "-ar", "32000"], "old.wma"),
      (["-c:a", "pcm_s24be"], "p.aiff"),
      (["-c:a", "pcm_f64le"], "p.w64"), (["-c:a", "pcm_u8"], "u8.wav"),
      (["-c:a", "pcm_alaw", "-ar", "8000"], "tel.wav"),
    ])
  func delay(options: [String], name: String) throws {
    let folder = try TestFolder()
    let source = try Self.source(in: folder)
    try folder.encode("a.wav", options, name)
    let (samples, facts) = try Sounds.read(folder.file(name))
    let (lag, fit) = Sounds.lag(samples, behind: source)
    #expect(abs(lag) <= 80, "\(name): \(lag) samples late")
    #expect(fit > 0.8, "\(name): \(fit)")
    #expect(abs(Double(samples.count) / 16000 - Self.seconds) < 0.1, "\(name)")
    #expect(!facts.warnings.contains { if case .cutShort = $0 { true } else { false } })
  }

  @Test(
    "O-16: where a container doesn't tell the encoder's delay it is taken out, within 5 ms",
    arguments: ["mkv", "ts", "avi", "flv"], ["libmp3lame", "aac", "mp2", "ac3"])
  func untoldDelay(ending: String, coding: String) throws {
    // Flash video holds neither of them.
    if ending == "flv", coding == "mp2" || coding == "ac3" { return }
    let folder = try TestFolder()
    let source = try Self.source(in: folder)
    try folder.encode("a.wav", ["-c:a", coding], "a." + ending)
    let (samples, _) = try Sounds.read(folder.file("a." + ending))
    let (lag, fit) = Sounds.lag(samples, behind: source)
    #expect(abs(lag) <= 80, "\(lag) samples late")
    #expect(fit > 0.8, "\(fit)")
  }

  @Test("O-16: beside pictures the container's clock counts, which captions are timed by")
  func filmClock() throws {
    let folder = try TestFolder()
    let source = try Self.source(in: folder)
    try folder.run(
      "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=black:s=64x64:r=25:d=4",
      "-i", folder.file("a.wav"), "-c:v", "mpeg4", "-c:a", "ac3", "-output_ts_offset", "0.5",
      folder.file("film.mkv"))
    let (samples, _) = try Sounds.read(folder.file("film.mkv"))
    // The film's clock begins half a second before its first picture, and AC-3's delay is before it.
    let (lag, fit) = Sounds.lag(samples, behind: source, reach: 9000)
    #expect(abs(lag - 8000) <= 160, "\(lag) samples late")
    #expect(fit > 0.8, "\(fit)")
  }

  @Test("O-35: the content counts, not the name", arguments: ["liar.wav", "noending", "x.txt"])
  func content(name: String) throws {
    let folder = try TestFolder()
    let source = try Self.source(in: folder)
    try folder.encode("a.wav", ["-c:a", "libmp3lame"], "m.mp3")
    try FileManager.default.moveItem(atPath: folder.file("m.mp3"), toPath: folder.file(name))
    let (samples, facts) = try Sounds.read(folder.file(name))
    #expect(facts.kind == "MP3")
    #expect(Sounds.lag(samples, behind: source, reach: 100).1 > 0.9)
  }

  @Test("O-33: a WAV from a pipe, whose sizes are unknown, is read to its end")
  func streamedHeader() throws {
    let folder = try TestFolder()
    let path = try folder.write(
      Sounds.wav([Self.tune], rate: Self.rate, dataByteCount: .max), "stream.wav")
    let (samples, facts) = try Sounds.read(path)
    #expect(abs(samples.count - Int(Self.seconds * 16000)) <= 1)
    #expect(facts.warnings.isEmpty)
  }

  @Test("O-33: a WAV whose recorder was killed before it wrote the sizes is read to its end")
  func unwrittenSizes() throws {
    let folder = try TestFolder()
    let source = try Self.source(in: folder)
    var bytes = Sounds.wav([Self.tune], rate: Self.rate, dataByteCount: 0)
    bytes.replaceSubrange(4..<8, with: [0, 0, 0, 0])
    let (samples, _) = try Sounds.read(folder.write(bytes, "killed.wav"))
    #expect(abs(samples.count - source.count) <= 160)
    #expect(Sounds.lag(samples, behind: source, reach: 100).1 > 0.9)
    // One that is empty and says so, with a chunk behind it, holds no sound.
    let empty = Sounds.wav([[]], rate: Self.rate)
    var tagged = empty + Array("LIST".utf8) + Sounds.little(UInt32(12)) + Array("INFOICMTabcd".utf8)
    tagged.replaceSubrange(4..<8, with: Sounds.little(UInt32(tagged.count - 8)))
    #expect(throws: AudioError.noSound) { try Sounds.read(folder.write(tagged, "empty.wav")) }
  }

  @Test(
    "a chain of Ogg streams, as radio stations send, is read to its end",
    arguments: ["ogg", "opus"])
  func chained(ending: String) throws {
    let folder = try TestFolder()
    let source = try Self.source(in: folder)
    try folder.encode("a.wav", [], "one." + ending)
    // The serial number of another stream.
    let one = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file("one." + ending))))
    try folder.encode("a.wav", ["-metadata", "title=two"], "two." + ending)
    let two = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file("two." + ending))))
    let (samples, _) = try Sounds.read(folder.write(one + two, "chain." + ending))
    #expect(abs(samples.count - 2 * source.count) <= 3200, "\(samples.count)")
    let second = Array(samples.dropFirst(source.count))
    #expect(Sounds.lag(second, behind: source, reach: 1600).1 > 0.8)
  }

  @Test(
    "a file that was put behind another byte by byte is told, and nothing else is taken for one",
    arguments: ["flac", "mp3", "wav"])
  func followed(ending: String) throws {
    let folder = try TestFolder()
    let source = try Self.source(in: folder)
    try folder.encode("a.wav", ["-metadata", "title=one"], "one." + ending)
    let one = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file("one." + ending))))
    let seconds = Double(source.count) / 16_000
    func isTold(_ bytes: [UInt8]) throws -> Bool {
      let (samples, facts) = try Sounds.read(folder.write(bytes, "joined." + ending))
      #expect(abs(samples.count - source.count) <= 160)
      return facts.warnings.contains {
        guard case .followed(let after) = $0 else { return false }
        return abs(after - seconds) < 0.05
      }
    }
    #expect(try isTold(one + one))
    // An old tag stands between them.
    let tag = Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125)
    #expect(try isTold(one + tag + one))
    #expect(try !isTold(one))
    #expect(try !isTold(one + tag))
    #expect(try !isTold(one + [UInt8](repeating: 0, count: 100_000)))
  }

  @Test("O-34, O-69 to O-73: WAV in its rarer forms is the same sound")
  func rareWAV() throws {
    let folder = try TestFolder()
    let source = try Self.source(in: folder)
    try folder.run("sox", "a.wav", "-b", "24", "ext24.wav")
    try folder.encode("a.wav", ["-rf64", "always"], "rf.wav")
    try folder.encode("a.wav", ["-c:a", "pcm_f64le"], "f64.wav")
    try folder.encode("a.wav", ["-af", "volume=4", "-c:a", "pcm_f32le"], "hot.wav")
    try folder.run("sox", "a.wav", "-b", "8", "u8.wav")
    for rate in [8000, 11025, 22222, 96000, 192_000] {
      try folder.run("sox", "a.wav", "-r", "\(rate)", "r\(rate).wav")
    }
    var odd = Sounds.wav([Self.tune], rate: Self.rate)
    odd.replaceSubrange(
      36..<36,
      with: Array("LIST".utf8) + Sounds.little(UInt32(17)) + Array("INFOICMT".utf8)
        + Sounds.little(UInt32(5)) + Array("hello".utf8) + [0])
    try folder.write(odd, "odd.wav")
    try folder.run("sox", "a.wav", "-t", "nist", "speech.wav")
    try folder.run("sox", "a.wav", "-t", "ircam", "studio.wav")
    for name in [
      "ext24", "rf", "f64", "hot", "u8", "r8000", "r11025", "r22222", "r96000", "r192000", "odd",
      "speech", "studio",
    ] {
      let (samples, _) = try Sounds.read(folder.file(name + ".wav"))
      #expect(abs(samples.count - source.count) <= 160, "\(name): \(samples.count)")
      let (lag, fit) = Sounds.lag(samples, behind: source, reach: 40)
      #expect(abs(lag) <= 1 && fit > 0.85, "\(name): \(lag) \(fit)")
    }
  }

  @Test("O-32: a cut MP3 gives what is there and says how much; a strange tail is no fault")
  func cut() throws {
    let folder = try TestFolder()
    let source = try Self.source(in: folder)
    try folder.encode("a.wav", ["-c:a", "libmp3lame", "-b:a", "128k"], "m.mp3")
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file("m.mp3"))))
    let cut = try Sounds.read(folder.write(Array(whole.prefix(whole.count / 2)), "cut.mp3"))
    #expect(cut.1.warnings.contains { if case .cutShort = $0 { true } else { false } })
    #expect(abs(cut.1.decodedSeconds - Self.seconds / 2) < 0.2)
    #expect(abs(Sounds.lag(cut.samples, behind: source, reach: 100).0) <= 16)
    let tail = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125) + Array("junkjunk".utf8)
    let tailed = try Sounds.read(folder.write(whole + tail, "tail.mp3"))
    #expect(tailed.1.warnings.isEmpty, "\(tailed.1.warnings)")
    #expect(abs(tailed.samples.count - source.count) <= 1600)
  }

  @Test(
    "a cut WAV, FLAC, Ogg and M4A give what is there", arguments: ["wav", "flac", "ogg", "mp4"])
  func cutOthers(ending: String) throws {
    let folder = try TestFolder()
    let source = try Self.source(in: folder)
    let options = ending == "mp4" ? ["-c:a", "aac", "-movflags", "faststart"] : []
    if ending != "wav" { try folder.encode("a.wav", options, "a." + ending) }
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file("a." + ending))))
    let path = try folder.write(Array(whole.prefix(whole.count * 6 / 10)), "cut." + ending)
    let (samples, facts) = try Sounds.read(path)
    #expect(samples.count > source.count * 4 / 10 && samples.count < source.count * 8 / 10)
    #expect(Sounds.lag(samples, behind: source, reach: 100).1 > 0.9)
    // WAV says its length in the header that was cut with it, and Ogg nowhere.
    if ending != "wav" && ending != "ogg" { #expect(!facts.warnings.isEmpty) }
  }

  @Test("O-40: cover art is never taken for sound")
  func coverArt() throws {
    let folder = try TestFolder()
    let source = try Self.source(in: folder)
    try folder.encode("a.wav", ["-c:a", "libmp3lame"], "m.mp3")
    try folder.run(
      "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i",
      "nullsrc=s=300x300,geq=random(1)*255:128:128", "-frames:v", "1", "art.png")
    try folder.run(
      "ffmpeg", "-nostdin", "-v", "error", "-i", "m.mp3", "-i", "art.png", "-map", "0:a", "-map",
      "1:v", "-c", "copy", "-disposition:v", "attached_pic", "art.mp3")
    let (samples, facts) = try Sounds.read(folder.file("art.mp3"))
    #expect(facts.kind == "MP3")
    #expect(abs(samples.count - source.count) <= 160)
    #expect(abs(Sounds.lag(samples, behind: source, reach: 100).0) <= 16)
    // A cover makes no film of a sound, whose own time counts.
    try folder.encode("a.wav", ["-c:a", "aac", "-use_editlist", "0"], "m.m4a")
    try folder.run(
      "ffmpeg", "-nostdin", "-v", "error", "-i", "m.m4a", "-i", "art.png", "-map", "0:a", "-map",
      "1:v", "-c", "copy", "-disposition:v", "attached_pic", "-use_editlist", "0", "art.m4a")
    let covered = try Sounds.read(folder.file("art.m4a")).samples
    #expect(abs(Sounds.lag(covered, behind: source, reach: 800).0) <= 80)
  }

  @Test("O-42: files without sound say so, each in its way")
  func empty() throws {
    let folder = try TestFolder()
    let header = Array(Sounds.wav([[]], rate: 44100))
    for (name, bytes, wanted) in [
      ("z44.wav", header, [AudioError.noSound]), ("z0.wav", [], [.emptyFile]),
      ("z0.mp3", [], [.emptyFile]),
      ("z30.wav", Array(header.prefix(30)), [.unrecognised, .noSound]),
      ("text.mp3", Array("not audio".utf8), [.unrecognised]),
      ("list.m3u", Array("#EXTM3U\nhttp://127.0.0.1:9/x.mp3\n".utf8), [.unrecognised]),
      ("concat.txt", Array("ffconcat version 1.0\nfile a.wav\n".utf8), [.unrecognised]),
      ("._a.mp3", [0, 5, 0x16, 7, 0, 2, 0, 0], [.unrecognised]),
      (
        "noise.bin", (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 3) },
        [.unrecognised]
      ),
    ] {
      let path = try folder.write(bytes, name)
      do throws(AudioError) {
        var reader = try SoundReader(path: Array(path.utf8))
        var block = SampleBlock(capacity: 1000)
        while try reader.read(into: &block) > 0 { block.removeAll() }
        Issue.record("\(name) was read")
      } catch {
        #expect(wanted.contains(error), "\(name): \(error)")
      }
    }
  }

  @Test("what is no file is refused: a folder, a device, nothing, a name with a zero byte")
  func notFiles() throws {
    let folder = try TestFolder()
    for (path, wanted) in [
      (Array(folder.path.utf8), AudioError.notAFile), (Array("/dev/null".utf8), .notAFile),
      (Array("/dev/zero".utf8), .notAFile),
      (Array(folder.file("gone").utf8), .unreadable(errno: ENOENT)),
      ([], .unreadable(errno: ENOENT)), ([0x61, 0, 0x62], .unreadable(errno: ENOENT)),
    ] {
      #expect(throws: wanted) { _ = try SoundReader(path: path) }
    }
  }

  @Test(
    "O-36 to O-38: names of any bytes are read by the process and through ffmpeg",
    arguments: [
      Array("A & B [live] 100% $(id) ;'x".utf8), Array("concat:x|y".utf8), Array("http:x".utf8),
      Array("-n".utf8), Array("--help".utf8), [0x4E, 0x75, 0x65, 0xE1], Array("line\nend".utf8),
      Array("%03d".utf8),
    ])
  func names(name: [UInt8]) throws {
    let folder = try TestFolder()
    _ = try Self.source(in: folder)
    try folder.encode("a.wav", ["-c:a", "aac"], "x.m4a")
    for source in ["a.wav", "x.m4a"] {
      let from = Array(folder.file(source).utf8).map { CChar(bitPattern: $0) } + [0]
      let bytes = Array((folder.path + "/").utf8) + name
      #expect(link(from, bytes.map { CChar(bitPattern: $0) } + [0]) == 0)
      var reader = try SoundReader(path: bytes)
      #expect(try Sounds.drain(&reader).samples.count > 60000)
      unlink(bytes.map { CChar(bitPattern: $0) } + [0])
    }
  }

  @Test("blocks of any size give the same samples", arguments: [1, 160, 5000, 100_000])
  func blocks(size: Int) throws {
    let folder = try TestFolder()
    let source = try Self.source(in: folder)
    #expect(try Sounds.read(folder.file("a.wav"), block: size).samples == source)
  }

  @Test("without ffmpeg the kind is named")
  func withoutFFmpeg() throws {
    let folder = try TestFolder()
    _ = try Self.source(in: folder)
    try folder.encode("a.wav", ["-c:a", "aac"], "x.m4a")
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file("x.m4a"))))
    let name = try MP4Coding.name(in: OwnedDescriptor(path: Array(folder.file("x.m4a").utf8)))
    #expect(name == "AAC")
    bytes.removeLast(bytes.count - 4096)
    #expect(SoundKind(head: bytes).name == "MP4")
    #expect(SoundKind(head: bytes).reader == .ffmpeg)
  }
}
