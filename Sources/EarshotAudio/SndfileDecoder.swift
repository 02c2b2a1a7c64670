internal import CSndfile
import Glibc

/// Decodes what libsndfile reads: WAV and its kin, FLAC, Ogg Vorbis, Opus, MP3, and raw samples.
@safe struct SndfileDecoder: ~Copyable {
  var form: StreamForm
  let file: OwnedDescriptor
  private let window: PipeWindow?
  private let handle: OpaquePointer

  /// Reads a container from the descriptor's place on.
  ///
  /// FLAC in a pipe needs a window: the library seeks in it while it opens. So does MP3: without one,
  /// libsndfile 1.2 reads a byte before its own header while it opens.
  init(_ file: consuming OwnedDescriptor, kind: String, isPipe: Bool = false) throws(AudioError) {
    try self.init(
      file, kind: kind, facts: SF_INFO(),
      needsWindow: isPipe && (kind.hasPrefix("FLAC") || kind == "MP3"))
  }

  /// Reads bare samples.
  init(
    _ file: consuming OwnedDescriptor, rate: Double, channels: Int, format: RawFormat,
    needsWindow: Bool = false
  ) throws(AudioError) {
    guard SampleRateConverter.rates.contains(rate),
      SampleRateConverter.channelCounts.contains(channels)
    else { throw .unsupportedFormat(rate: Int(rate), channels: channels) }
    var facts = SF_INFO()
    facts.samplerate = Int32(rate.rounded())
    facts.channels = Int32(channels)
    facts.format = Int32(SF_FORMAT_RAW) | Self.code(of: format)
    try self.init(file, kind: "raw", facts: facts, needsWindow: needsWindow)
  }

  /// Reads the samples behind a WAV header that doesn't say how many there are, which has to be read
  /// already: up to the end of the file or pipe.
  init(_ file: consuming OwnedDescriptor, behind header: StreamedWAVHeader, format: RawFormat)
    throws(AudioError)
  {
    // The library reads bare samples from a file's first byte on, but from a window's.
    try self.init(
      file, rate: header.rate, channels: header.channels, format: format, needsWindow: true)
    form.kind = "WAV"
    form.speakers = header.speakers
    form.expectedFrames = nil
  }

  private init(
    _ file: consuming OwnedDescriptor, kind: String, facts: SF_INFO, needsWindow: Bool = false
  ) throws(AudioError) {
    var facts = facts
    let window =
      needsWindow ? PipeWindow(try OwnedDescriptor(duplicating: file.number)) : nil
    let opened =
      if let window { unsafe window.open(&facts) } else {
        unsafe sf_open_fd(file.number, Int32(SFM_READ), &facts, Int32(SF_FALSE))
      }
    guard let handle = unsafe opened else {
      throw .unrecognised
    }
    let channels = Int(facts.channels)
    guard SampleRateConverter.rates.contains(Double(facts.samplerate)),
      SampleRateConverter.channelCounts.contains(channels)
    else {
      unsafe sf_close(handle)
      throw .unsupportedFormat(rate: Int(facts.samplerate), channels: channels)
    }
    let isPromise = facts.frames > 0 && facts.frames < Int64.max / 2
    unsafe self.handle = handle
    self.file = file
    self.window = window
    form = StreamForm(
      rate: Double(facts.samplerate), channels: channels, kind: kind,
      speakers: unsafe Self.speakers(handle, channels: channels, format: facts.format),
      expectedFrames: isPromise ? Int(facts.frames) : nil)
    form.tags.title = unsafe Self.tag(handle, SF_STR_TITLE)
    form.tags.artist = unsafe Self.tag(handle, SF_STR_ARTIST)
    form.tags.album = unsafe Self.tag(handle, SF_STR_ALBUM)
    form.tags.genre = unsafe Self.tag(handle, SF_STR_GENRE)
  }

  deinit { unsafe sf_close(handle) }

  /// Decodes up to a buffer of interleaved samples; returns the frames, 0 at the end.
  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(AudioError) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    return Int(unsafe sf_readf_float(handle, base, sf_count_t(buffer.count / form.channels)))
  }

  /// Whether the decoder met something it could not read.
  var isDamaged: Bool { unsafe sf_error(handle) != Int32(SF_ERR_NO_ERROR) }

  /// Whether decoding has stopped before all of a file was read; false for pipes.
  var hasUnreadBytes: Bool {
    guard window == nil, form.kind != "raw", let facts = try? file.kindAndSize() else {
      return false
    }
    return facts.kind == S_IFREG && lseek(file.number, 0, SEEK_CUR) < facts.byteCount
  }

  /// Whether another file of the same kind begins where this one has ended. Asked at the end.
  var isFollowed: Bool {
    guard window == nil, let facts = try? file.kindAndSize(), facts.kind == S_IFREG else {
      return false
    }
    // What can't be read there can't be told either.
    return (try? FollowingSound.isThere(in: file, kind: form.kind)) ?? false
  }

  /// A text that the file holds about itself, if it is UTF-8, not empty and not too long.
  private static func tag(_ handle: OpaquePointer, _ kind: Int) -> String? {
    guard let text = unsafe sf_get_string(handle, Int32(kind)) else { return nil }
    let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
    return SoundTags.text(unsafe Array(bytes))
  }

  private static func code(of format: RawFormat) -> Int32 {
    switch format {
    case .u8: Int32(SF_FORMAT_PCM_U8)
    case .s8: Int32(SF_FORMAT_PCM_S8)
    case .s16: Int32(SF_FORMAT_PCM_16) | Int32(SF_ENDIAN_LITTLE)
    case .s16be: Int32(SF_FORMAT_PCM_16) | Int32(SF_ENDIAN_BIG)
    case .s24: Int32(SF_FORMAT_PCM_24) | Int32(SF_ENDIAN_LITTLE)
    case .s32: Int32(SF_FORMAT_PCM_32) | Int32(SF_ENDIAN_LITTLE)
    case .f32: Int32(SF_FORMAT_FLOAT) | Int32(SF_ENDIAN_LITTLE)
    case .f64: Int32(SF_FORMAT_DOUBLE) | Int32(SF_ENDIAN_LITTLE)
    case .ulaw: Int32(SF_FORMAT_ULAW)
    case .alaw: Int32(SF_FORMAT_ALAW)
    }
  }

  private static func speakers(_ handle: OpaquePointer, channels: Int, format: Int32) -> [Speaker] {
    var map = [Int32](repeating: 0, count: channels)
    let byteCount = Int32(channels * MemoryLayout<Int32>.stride)
    let told = unsafe map.withUnsafeMutableBytes {
      unsafe sf_command(
        handle, Int32(SFC_GET_CHANNEL_MAP_INFO), $0.baseAddress, byteCount) == Int32(SF_TRUE)
    }
    if told, channels > 1, map.contains(where: { $0 > 1 }) { return map.map(speaker(of:)) }
    let container = format & Int32(SF_FORMAT_TYPEMASK)
    let coding = format & Int32(SF_FORMAT_SUBMASK)
    let isVorbisOrder =
      container == Int32(SF_FORMAT_OGG)
      && (coding == Int32(SF_FORMAT_VORBIS) || coding == Int32(SF_FORMAT_OPUS))
    return isVorbisOrder
      ? ChannelMix.vorbisSpeakers(channels) : ChannelMix.usualSpeakers(channels)
  }

  private static func speaker(of place: Int32) -> Speaker {
    switch UInt32(bitPattern: place) {
    case UInt32(SF_CHANNEL_MAP_MONO): .mono
    case UInt32(SF_CHANNEL_MAP_LEFT), UInt32(SF_CHANNEL_MAP_FRONT_LEFT),
      UInt32(SF_CHANNEL_MAP_FRONT_LEFT_OF_CENTER):
      .left
    case UInt32(SF_CHANNEL_MAP_RIGHT), UInt32(SF_CHANNEL_MAP_FRONT_RIGHT),
      UInt32(SF_CHANNEL_MAP_FRONT_RIGHT_OF_CENTER):
      .right
    case UInt32(SF_CHANNEL_MAP_CENTER), UInt32(SF_CHANNEL_MAP_FRONT_CENTER): .centre
    case UInt32(SF_CHANNEL_MAP_LFE): .lowFrequency
    case UInt32(SF_CHANNEL_MAP_REAR_LEFT): .backLeft
    case UInt32(SF_CHANNEL_MAP_REAR_RIGHT): .backRight
    case UInt32(SF_CHANNEL_MAP_REAR_CENTER): .backCentre
    case UInt32(SF_CHANNEL_MAP_SIDE_LEFT): .sideLeft
    case UInt32(SF_CHANNEL_MAP_SIDE_RIGHT): .sideRight
    default: .unknown
    }
  }
}
