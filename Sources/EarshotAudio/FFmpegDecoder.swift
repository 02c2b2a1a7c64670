import Glibc

/// Decodes through an `ffmpeg` process what libsndfile can't read.
///
/// The program gets the open file, never a name, may read only that, and only kinds that hold
/// sound themselves (no play lists, no devices). It writes 32-bit floats in a WAV stream, whose
/// header tells rate, channels and speakers. Silence is put where the container's clock has gaps,
/// so that times are those of the container.
final class FFmpegDecoder {
  private(set) var form: StreamForm
  private let child: ChildProcess
  private var pending: [UInt8] = []
  private var report: [UInt8] = []
  private let isPipe: Bool
  private var atEnd = false
  private var errorsAtEnd = false
  private(set) var isDamaged = false
  /// Whether another file is known to come behind the one that is read.
  var isFollowed = false

  /// The program may be silent for this long before it is ended.
  private static let patienceSeconds = 30.0
  private static let reportByteCountMax = 32 << 10
  private static let pieceByteCount = 64 << 10
  private static let formats = """
    aac,ac3,eac3,adp,aiff,amr,amrnb,amrwb,ape,apm,asf,ast,au,avi,caf,dff,dsf,dts,dtshd,flac,flv,iff,\
    m4v,matroska,webm,mlp,mmf,mov,mp4,m4a,3gp,3g2,mj2,mp3,mpc,mpc8,mpeg,mpegts,mxf,nut,ogg,oma,rm,\
    shn,sln,smk,swf,tak,truehd,tta,voc,vqf,w64,wav,wsd,wv,xa,xwma
    """

  /// Starts the program on an open file or pipe and waits for the sound's form.
  ///
  /// Throws `needsFFmpeg` when the program isn't installed.
  /// `tellsDelay` says whether an MP4 tells the encoder's delay, which ffmpeg then takes out.
  init(
    _ file: borrowing OwnedDescriptor, isPipe: Bool, kind: String, tellsDelay: Bool = false
  ) throws(AudioError) {
    let arguments = Self.arguments(isPipe: isPipe, kind: kind)
    guard let child = try ChildProcess(arguments, input: file, isStandardInput: isPipe) else {
      throw .needsFFmpeg(kind: kind)
    }
    self.child = child
    self.isPipe = isPipe
    form = StreamForm(
      rate: 0, channels: 0, kind: kind, speakers: [], expectedFrames: nil)
    try readHeader(kind: kind, tellsDelay: tellsDelay)
  }

  /// Decodes up to a buffer of interleaved samples; returns the frames, 0 at the end.
  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(AudioError) -> Int {
    let frameByteCount = form.channels * 4
    while pending.count < frameByteCount && !atEnd { try receive() }
    let frames = min(pending.count / frameByteCount, buffer.count / form.channels)
    let byteCount = frames * frameByteCount
    unsafe UnsafeMutableRawBufferPointer(buffer).copyBytes(from: pending.prefix(byteCount))
    pending.removeFirst(byteCount)
    if frames == 0 && atEnd {
      while !errorsAtEnd { try receive() }
      // One complaint, mostly of the end, is no damage that anyone would hear.
      isDamaged = child.wait() != 0 || FFmpegReport(report).damageCount > 1
    }
    return frames
  }

  /// What it means when nothing was decoded. Most MP4 files keep at their end what tells where the sound is,
  /// and a pipe has no way back.
  var whenEmpty: AudioError {
    if isPipe, form.kind.contains("MP4") || form.kind.contains("QuickTime") {
      return .needsFile(kind: form.kind)
    }
    return isDamaged ? .unrecognised : .noSound
  }

  private static func arguments(isPipe: Bool, kind: String) -> [String] {
    // These have a clock that begins at zero, which may lie before their first sound, or after it
    // where the sound has an encoder's delay to lose; the others' clocks begin anywhere.
    let hasZero = kind.contains("MP4") || kind.contains("QuickTime") || kind.contains("Matroska")
    // A clock that begins a minute late is no clock. Then, silence where time has gaps.
    let filter =
      "asetpts='if(gt(STARTPTS*TB,60),PTS-STARTPTS,PTS)',aresample=async=1:first_pts=0"
    return [
      "ffmpeg", "-hide_banner", "-nostats", "-nostdin", "-max_alloc", "536870912",
    ] + (hasZero ? ["-copyts"] : []) + [
      "-threads", "1", "-protocol_whitelist", isPipe ? "pipe" : "file",
      "-format_whitelist", formats, "-i", isPipe ? "pipe:0" : "file:/dev/fd/3",
      "-map", "0:a:0", "-threads", "1", "-af", filter, "-c:a", "pcm_f32le", "-bitexact",
      "-f", "wav", "pipe:1",
    ]
  }

  private func readHeader(kind: String, tellsDelay: Bool) throws(AudioError) {
    while true {
      if let header = StreamedWAVHeader(pending) {
        guard SampleRateConverter.rates.contains(header.rate),
          SampleRateConverter.channelCounts.contains(header.channels)
        else { throw .unsupportedFormat(rate: Int(header.rate), channels: header.channels) }
        pending.removeFirst(header.byteCount)
        let told = FFmpegReport(report)
        let seconds = told.durationSeconds
        form = StreamForm(
          rate: header.rate, channels: header.channels,
          kind: told.coding.map { "\($0) in \(kind)" } ?? kind, speakers: header.speakers,
          expectedFrames: seconds.map { Int($0 * header.rate) })
        form.streamCount = told.soundStreamCount
        form.tags = told.tags
        if kind == "AAC" { form.kind = kind }
        form.leadingFrames =
          tellsDelay ? 0 : Self.leadingFrames(kind: kind, rate: header.rate, told: told)
        return
      }
      if atEnd {
        while !errorsAtEnd { try receive() }
        throw child.wait() == 0 || FFmpegReport(report).hasNoSound ? .noSound : .unrecognised
      }
      guard pending.count < Self.pieceByteCount else { throw .unrecognised }
      try receive()
    }
  }

  /// Frames at the front that are the encoder's delay, where the container doesn't tell it.
  ///
  /// MP4 and QuickTime mostly tell it by their edit list, and Matroska may by a start before zero;
  /// ffmpeg then takes it out. Elsewhere nothing does. Every encoder of a coding begins with at least as
  /// much as the usual one, and few with more. Beside pictures the container's clock counts as it
  /// is: captions of a film are timed by it.
  private static func leadingFrames(kind: String, rate: Double, told: FFmpegReport) -> Int {
    guard !told.hasPictures, told.startSeconds >= 0, let coding = told.coding else { return 0 }
    let isMP4 = kind.contains("MP4") || kind.contains("QuickTime")
    return switch coding {
    case "AAC": 1024
    case _ where isMP4: 0
    // The encoder's 576 and the 529 of every decoder.
    case "MP3": 576 + 529
    case "MP2": 481
    case "AC-3", "E-AC-3": 256
    // The first window, half of which lies before the sound.
    case "WMA": rate <= 16_000 ? 512 : rate <= 22_050 ? 1024 : 2048
    case "WMA 1": rate <= 16_000 ? 512 : rate <= 32_000 ? 1024 : 2048
    default: 0
    }
  }

  /// Waits for output or messages, and takes in what is there.
  private func receive() throws(AudioError) {
    var ends = [
      pollfd(fd: atEnd ? -1 : child.output.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errorsAtEnd ? -1 : child.errors.number, events: Int16(POLLIN), revents: 0),
    ]
    let status = unsafe poll(&ends, 2, Int32(Self.patienceSeconds * 1000))
    if status < 0 {
      if errno == EINTR { return }
      throw .unreadable(errno: errno)
    }
    guard status > 0 else {
      _ = child.end()
      throw .decoderStuck(seconds: Self.patienceSeconds)
    }
    if ends[1].revents != 0 {
      let bytes = try child.errors.bytes(countMax: 4096)
      if bytes.isEmpty { errorsAtEnd = true }
      report += bytes.prefix(Self.reportByteCountMax - report.count)
    }
    if ends[0].revents != 0 {
      let bytes = try child.output.bytes(countMax: Self.pieceByteCount)
      if bytes.isEmpty { atEnd = true }
      pending += bytes
    }
  }
}
