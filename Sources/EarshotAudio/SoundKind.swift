/// What a file holds, told by its first bytes and never by its name.
struct SoundKind: Sendable, Hashable {
  enum Reader: Sendable, Hashable { case sndfile, ffmpeg, nobody }
  /// The kind in words a person knows.
  var name: String
  /// Who reads it.
  var reader: Reader

  /// Whether the bytes have told what this is.
  var isNamed: Bool { name != "unknown" && reader != .nobody }
  /// Whether this is a file of boxes, as MP4 and its parent QuickTime are.
  var isMP4: Bool { name == "MP4" || name == "QuickTime" }

  /// As many bytes as are looked at.
  static let headByteCount = 4096

  /// Tells the kind from the first bytes of a file, with what an ID3 tag at its front left out.
  init(head: [UInt8]) {
    func has(_ text: String, at offset: Int = 0) -> Bool {
      head.count >= offset + text.utf8.count
        && head[offset..<(offset + text.utf8.count)].elementsEqual(text.utf8)
    }
    func has(_ bytes: [UInt8]) -> Bool { head.starts(with: bytes) }

    if has("RIFF") || has("RF64") || has("RIFX") {
      self = Self.riff(head)
    } else if has("fLaC") {
      self.init("FLAC", .sndfile)
    } else if has("OggS") {
      self = Self.ogg(head)
    } else if has("FORM") {
      self.init("AIFF", .sndfile)
    } else if has(".snd") || has("dns.") {
      self.init("AU", .sndfile)
    } else if has("caff") {
      self.init("CAF", .sndfile)
    } else if has("riff") {
      self.init("Wave64", .sndfile)
    } else if has("NIST_1A\n") {
      self.init("NIST SPHERE", .sndfile)
    } else if Self.isIRCAM(head) {
      self.init("IRCAM", .sndfile)
    } else if let known = Self.foreign.first(where: { has($0.0, at: $0.1) }) {
      self.init(known.2, .ffmpeg)
    } else if has([0x1A, 0x45, 0xDF, 0xA3]) {
      self.init("Matroska or WebM", .ffmpeg)
    } else if has([0x30, 0x26, 0xB2, 0x75]) {
      self.init("Windows Media", .ffmpeg)
    } else if has([0x00, 0x05, 0x16, 0x07]) {
      // A shadow file in which macOS keeps what belongs beside a file.
      self.init("AppleDouble", .nobody)
    } else {
      self = Self.frames(head)
    }
  }

  private init(_ name: String, _ reader: Reader) {
    self.name = name
    self.reader = reader
  }

  private static let foreign: [(String, Int, String)] = [
    ("ftyp", 4, "MP4"), ("moov", 4, "QuickTime"), ("mdat", 4, "QuickTime"),
    ("wide", 4, "QuickTime"), ("free", 4, "MP4"), ("FLV", 0, "Flash video"),
    ("MAC ", 0, "Monkey's Audio"), ("wvpk", 0, "WavPack"), ("#!AMR", 0, "AMR"),
    ("DSD ", 0, "DSD"), ("FRM8", 0, "DSD"), ("MPCK", 0, "Musepack"), ("MP+", 0, "Musepack"),
    ("TTA1", 0, "True Audio"), ("tBaK", 0, "TAK"), (".RMF", 0, "RealMedia"), ("ADIF", 0, "AAC"),
    ("Creative Voice", 0, "Creative Voice"), ("ajkg", 0, "Shorten"),
  ]

  /// The four bytes that IRCAM's files of either order of bytes begin with.
  private static func isIRCAM(_ head: [UInt8]) -> Bool {
    head.count >= 4 && head.starts(with: [0x64, 0xA3]) && (1...4).contains(head[2]) && head[3] == 0
      || head.count >= 4 && head[0] == 0 && (1...4).contains(head[1]) && head[2] == 0xA3
        && head[3] == 0x64
  }

  private static func riff(_ head: [UInt8]) -> SoundKind {
    let form = head.count >= 12 ? String(decoding: head[8..<12], as: UTF8.self) : ""
    guard form != "AVI " else { return SoundKind("AVI", .ffmpeg) }
    // An MP3 may be wrapped as a WAV of format 0x55, which only ffmpeg unwraps.
    if form == "WAVE", head.count >= 22, head[12..<16].elementsEqual("fmt ".utf8),
      head[20] == 0x55, head[21] == 0
    {
      return SoundKind("MP3 in WAV", .ffmpeg)
    }
    return SoundKind("WAV", .sndfile)
  }

  private static func ogg(_ head: [UInt8]) -> SoundKind {
    guard head.count > 28 else { return SoundKind("Ogg", .sndfile) }
    let first = 27 + Int(head[26])
    let packet = head.dropFirst(first).prefix(8)
    if packet.starts(with: "OpusHead".utf8) { return SoundKind("Opus", .sndfile) }
    if packet.dropFirst().starts(with: "vorbis".utf8) { return SoundKind("Ogg Vorbis", .sndfile) }
    if packet.dropFirst().starts(with: "FLAC".utf8) { return SoundKind("FLAC in Ogg", .sndfile) }
    return SoundKind("Ogg", .ffmpeg)
  }

  /// Streams of bare frames, which begin with a pattern instead of a name.
  private static func frames(_ head: [UInt8]) -> SoundKind {
    if head.count >= 2, head[0] == 0xFF, head[1] & 0xF6 == 0xF0 { return SoundKind("AAC", .ffmpeg) }
    if head.count >= 2, head[0] == 0x0B, head[1] == 0x77 { return SoundKind("AC-3", .ffmpeg) }
    if head.count >= 4, head.starts(with: [0, 0, 1, 0xBA]) { return SoundKind("MPEG", .ffmpeg) }
    if head.count > 188, head[0] == 0x47, head[188] == 0x47 {
      return SoundKind("MPEG transport stream", .ffmpeg)
    }
    if MPEGFrame.first(in: head) != nil { return SoundKind("MP3", .sndfile) }
    // Text never is sound, and a play list must not become a door to other files.
    let looksLikeText = head.prefix(512).allSatisfy { $0 >= 0x20 || (9...13).contains($0) }
    return SoundKind("unknown", looksLikeText ? .nobody : .ffmpeg)
  }
}
