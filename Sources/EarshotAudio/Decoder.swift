import Glibc

/// One of the ways to decode a sound, chosen by what it holds.
enum Decoder: ~Copyable {
  case sndfile(SndfileDecoder)
  case ffmpeg(FFmpegDecoder)

  /// Looks at the first bytes and opens the decoder that reads them.
  init(_ file: consuming OwnedDescriptor, peekSeconds: Double) throws(AudioError) {
    let facts = try file.kindAndSize()
    switch facts.kind {
    case S_IFREG:
      guard facts.byteCount > 0 else { throw .emptyFile }
      self = try Self.open(file: file)
    case S_IFIFO, S_IFSOCK:
      let head = try file.peek(count: SoundKind.headByteCount, seconds: peekSeconds)
      guard !head.isEmpty else { throw .emptyFile }
      self = try Self.open(pipe: file, head: head)
    default: throw .notAFile
    }
  }

  /// The form of the stream.
  var form: StreamForm {
    switch self {
    case .sndfile(let decoder): decoder.form
    case .ffmpeg(let decoder): decoder.form
    }
  }

  /// Whether the decoder met something it could not read.
  var isDamaged: Bool {
    switch self {
    case .sndfile(let decoder): decoder.isDamaged
    case .ffmpeg(let decoder): decoder.isDamaged
    }
  }

  /// What it means when nothing was decoded.
  var whenEmpty: AudioError {
    switch self {
    case .sndfile(let decoder): decoder.isDamaged ? .unrecognised : .noSound
    case .ffmpeg(let decoder): decoder.whenEmpty
    }
  }

  /// Decodes up to a buffer of interleaved samples; returns the frames, 0 at the end.
  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(AudioError) -> Int {
    switch self {
    case .sndfile(let decoder): try unsafe decoder.read(into: buffer)
    case .ffmpeg(let decoder): try unsafe decoder.read(into: buffer)
    }
  }

  /// Whether another file of the same kind begins where this one has ended. Asked at the end.
  var isFollowed: Bool {
    switch self {
    case .sndfile(let decoder): decoder.isFollowed
    case .ffmpeg(let decoder): decoder.isFollowed
    }
  }

  /// Another decoder, from the beginning, for a file in whose middle this one has stopped for damage; nil
  /// where there is none. libsndfile stops at the first frame that it can't read; ffmpeg goes on behind it.
  func successor() -> Decoder? {
    switch self {
    case .ffmpeg: nil
    case .sndfile(let decoder): decoder.successor()
    }
  }

  private static func open(pipe: consuming OwnedDescriptor, head: [UInt8]) throws(AudioError)
    -> Decoder
  {
    let kind = SoundKind(head: head)
    do throws(AudioError) {
      return try open(pipe: pipe, kind: kind, head: head)
    } catch {
      // Most MP4 files keep at their end what tells where the sound is.
      guard kind.isNamed, error == .unrecognised || error == .noSound && kind.isMP4 else {
        throw error
      }
      throw .needsFile(kind: kind.name)
    }
  }

  private static func open(pipe: consuming OwnedDescriptor, kind: SoundKind, head: [UInt8])
    throws(AudioError) -> Decoder
  {
    switch kind.reader {
    case .nobody: throw .unrecognised
    case .ffmpeg:
      let tellsDelay = try tellsDelay(kind: kind.name, byteCount: head.count) { offset, count in
        Array(head.dropFirst(offset).prefix(count))
      }
      return .ffmpeg(
        try FFmpegDecoder(pipe, isPipe: true, kind: kind.name, tellsDelay: tellsDelay))
    case .sndfile:
      if let header = StreamedWAVHeader(head), header.saysNothing, let format = header.format {
        try pipe.skip(count: header.byteCount)
        return .sndfile(try SndfileDecoder(pipe, behind: header, format: format))
      }
      // libsndfile seeks in these; without ffmpeg it may find what it needs all the same.
      if kind.name == "CAF" || kind.name == "FLAC in Ogg" || isRareWAV(head) {
        let second = try OwnedDescriptor(duplicating: pipe.number)
        if let decoder = try? FFmpegDecoder(second, isPipe: true, kind: kind.name) {
          return .ffmpeg(decoder)
        }
      }
      var decoder = try SndfileDecoder(pipe, kind: kind.name, isPipe: true)
      decoder.takeOutDelay(head: head)
      return .sndfile(decoder)
    }
  }

  /// Whether samples of a WAV are written in a way that libsndfile doesn't read from a pipe.
  private static func isRareWAV(_ head: [UInt8]) -> Bool {
    guard let header = StreamedWAVHeader(head) else { return false }
    return header.format == nil
  }

  /// Whether an MP4 says how much of its beginning is an encoder's delay.
  private static func tellsDelay(kind: String, byteCount: Int, source: MP4Boxes.Source)
    throws(AudioError) -> Bool
  {
    guard kind.contains("MP4") || kind.contains("QuickTime") else { return false }
    return try MP4Boxes(byteCount: byteCount, source: source).tellsDelay
  }

  private static func open(file: consuming OwnedDescriptor) throws(AudioError) -> Decoder {
    var head = try file.bytes(at: 0, count: SoundKind.headByteCount)
    // A tag, with its pictures, may stand before the sound.
    let tag = MPEGFrame.tagByteCount(head)
    if tag > 0 { head = try file.bytes(at: tag, count: SoundKind.headByteCount) }
    var kind = SoundKind(head: head)
    // After a tag comes MP3 unless the bytes say otherwise, even when padding hides its frames.
    if tag > 0, kind.name == "unknown" {
      kind.name = "MP3"
      kind.reader = .sndfile
    }
    if kind.isMP4 {
      kind.name = try MP4Coding.name(in: file).map { "\($0) in \(kind.name)" } ?? kind.name
    }
    switch kind.reader {
    case .nobody: throw .unrecognised
    case .ffmpeg: return try foreign(file, kind: kind.name)
    case .sndfile:
      let second = try OwnedDescriptor(duplicating: file.number)
      let isChained = try isChained(second, head: head)
      let hasUntoldSize = try hasUntoldSize(second, head: head)
      if hasUntoldSize, let header = StreamedWAVHeader(head), let format = header.format {
        try file.move(to: header.byteCount)
        return .sndfile(try SndfileDecoder(file, behind: header, format: format))
      }
      if isChained || hasUntoldSize {
        // Without ffmpeg the beginning is better than nothing.
        let third = try OwnedDescriptor(duplicating: file.number)
        do throws(AudioError) {
          return try foreign(third, kind: kind.name)
        } catch {
          guard case .needsFFmpeg = error else { throw error }
        }
      }
      do {
        var decoder = try SndfileDecoder(file, kind: kind.name)
        // Where the end of an Ogg stream can't be found it is damaged. libsndfile closes the gaps, which
        // moves all that follows; ffmpeg keeps the stream's own time.
        if head.starts(with: "OggS".utf8), decoder.form.expectedFrames == nil,
          let other = decoder.inOtherProgram()
        {
          return other
        }
        decoder.takeOutDelay(head: head)
        return .sndfile(decoder)
      } catch AudioError.unrecognised {
        let isFollowed = try FollowingSound.isThere(behindWAV: second)
        return try foreign(second, kind: kind.name, isFollowed: isFollowed)
      }
    }
  }

  /// Whether further Ogg streams follow the first, as in what is recorded from a radio station: the last
  /// page belongs to another stream than the first. libsndfile reads the first one only.
  private static func isChained(_ file: borrowing OwnedDescriptor, head: [UInt8]) throws(AudioError)
    -> Bool
  {
    guard head.starts(with: "OggS".utf8), head.count > 18 else { return false }
    // A page has 64 kB at most.
    let count = 1 << 17
    let byteCount = try file.kindAndSize().byteCount
    let tail = try file.bytes(at: max(0, byteCount - count), count: count)
    var place = tail.count - 27
    while place >= 0 {
      if tail[place] == UInt8(ascii: "O"), tail[place..<(place + 5)].elementsEqual("OggS\0".utf8) {
        return tail[(place + 14)..<(place + 18)] != head[14..<18]
      }
      place -= 1
    }
    return false
  }

  /// Whether a WAV says that it holds nothing though it goes on: its recorder ended before it could
  /// write the sizes.
  private static func hasUntoldSize(_ file: borrowing OwnedDescriptor, head: [UInt8])
    throws(AudioError) -> Bool
  {
    guard let header = StreamedWAVHeader(head), header.saysNothing else { return false }
    return try file.kindAndSize().byteCount > header.byteCount
  }

  /// Opens a file through ffmpeg. Without ffmpeg an unknown kind is just that.
  private static func foreign(
    _ file: consuming OwnedDescriptor, kind: String, isFollowed: Bool = false
  ) throws(AudioError) -> Decoder {
    do {
      let size = try file.kindAndSize().byteCount
      let second = try OwnedDescriptor(duplicating: file.number)
      let tellsDelay = try tellsDelay(kind: kind, byteCount: size) {
        offset, count throws(AudioError) in try second.bytes(at: offset, count: count)
      }
      let decoder = try FFmpegDecoder(file, isPipe: false, kind: kind, tellsDelay: tellsDelay)
      decoder.isFollowed = isFollowed
      return .ffmpeg(decoder)
    } catch AudioError.needsFFmpeg(kind: "unknown") {
      throw .unrecognised
    }
  }
}

extension SndfileDecoder {
  /// The decoder that goes on where this one has stopped before all bytes were read.
  func successor() -> Decoder? { hasUnreadBytes ? inOtherProgram() : nil }

  /// The same file from its beginning through ffmpeg; nil where that doesn't read it alike.
  func inOtherProgram() -> Decoder? {
    guard let other = try? FFmpegDecoder(file, isPipe: false, kind: form.kind),
      other.form.rate == form.rate, other.form.channels == form.channels
    else { return nil }
    return .ffmpeg(other)
  }

  /// Notes the delay of an MP3 whose first frame doesn't tell it.
  ///
  /// The usual encoder delays by 576 samples and every decoder by 529; without this the sound
  /// would be 25 ms late. The filters of the older layer 2 delay by 481, which no file tells.
  mutating func takeOutDelay(head: [UInt8]) {
    guard form.kind == "MP3", let frame = MPEGFrame.first(in: head) else { return }
    if frame.layer == 2 {
      form.leadingFrames = 481
    } else if frame.layer == 3, !frame.tellsDelay(in: head) {
      form.leadingFrames = 576 + 529
    }
  }
}
