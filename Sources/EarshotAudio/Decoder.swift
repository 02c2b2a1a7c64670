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
      let kind = SoundKind(head: head)
      switch kind.reader {
      case .nobody: throw .unrecognised
      case .ffmpeg:
        self = .ffmpeg(try FFmpegDecoder(file, isPipe: true, kind: kind.name))
      case .sndfile:
        var decoder = try SndfileDecoder(file, kind: kind.name, isPipe: true)
        decoder.takeOutDelay(head: head)
        self = .sndfile(decoder)
      }
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
    if kind.name == "MP4" || kind.name == "QuickTime" {
      kind.name = try MP4Coding.name(in: file).map { "\($0) in \(kind.name)" } ?? kind.name
    }
    switch kind.reader {
    case .nobody: throw .unrecognised
    case .ffmpeg: return try foreign(file, kind: kind.name)
    case .sndfile:
      let second = try OwnedDescriptor(duplicating: file.number)
      let isChained = try isChained(second, head: head)
      let hasUntoldSize = try hasUntoldSize(second, head: head)
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
    guard let header = StreamedWAVHeader(head), header.dataByteCount == 0 else { return false }
    return try file.kindAndSize().byteCount > max(header.byteCount, 8 + header.riffByteCount)
  }

  /// Opens a file through ffmpeg. Without ffmpeg an unknown kind is just that.
  private static func foreign(
    _ file: consuming OwnedDescriptor, kind: String, isFollowed: Bool = false
  ) throws(AudioError) -> Decoder {
    do {
      let decoder = try FFmpegDecoder(file, isPipe: false, kind: kind)
      decoder.isFollowed = isFollowed
      return .ffmpeg(decoder)
    } catch AudioError.needsFFmpeg(kind: "unknown") {
      throw .unrecognised
    }
  }
}

extension SndfileDecoder {
  /// Notes the delay of an MP3 whose first frame doesn't tell it.
  ///
  /// The usual encoder delays by 576 samples and every decoder by 529; without this the sound
  /// would be 25 ms late.
  mutating func takeOutDelay(head: [UInt8]) {
    guard form.kind == "MP3", let frame = MPEGFrame.first(in: head), frame.layer == 3,
      !frame.tellsDelay(in: head)
    else { return }
    form.leadingFrames = 576 + 529
  }
}
