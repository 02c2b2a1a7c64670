internal import EarshotAudio

/// What is wrong or odd with a sound file, in words. Each says what to do where something can be.
enum SoundFilesText {
  /// Why a file could not be read.
  static func describe(_ error: AudioError) -> String {
    switch error {
    case .unreadable(let number): "cannot be read: \(Report.systemText(number))"
    case .notAFile: "is not a file: a folder, a socket or a device"
    case .emptyFile: "is empty"
    case .unrecognised: "is no sound that can be read: its content is damaged or of another kind"
    case .needsFFmpeg(let kind):
      "is \(kind), which only ffmpeg reads, and ffmpeg is not installed: apt install ffmpeg"
    case .needsFile(let kind):
      "is \(kind), which could not be read from a pipe; a file of it may be"
    case .noSound: "has no sound in it"
    case .decoderFailed(let seconds):
      "could not be decoded past \(duration(seconds))"
    case .decoderStuck(let seconds):
      "gave nothing for \(Int(seconds)) s: the decoder was ended"
    case .tooLong(let limit): "is longer than \(Int(limit / 3600)) hours: cut it into parts"
    case .unsupportedFormat(let rate, let channels):
      "has a form that is not supported: \(rate) Hz, \(channels) channels "
        + "(4,000 to 384,000 Hz and 1 to 256 channels are)"
    }
  }

  /// What was odd about a file that could be read.
  static func describe(_ warning: SoundWarning) -> String {
    switch warning {
    case .cutShort(let decoded, let expected):
      "ends early: \(duration(decoded)) of \(duration(expected)) could be read and are used"
    case .damaged(let seconds): "is damaged; \(duration(seconds)) could be read and are used"
    case .damagedWithin(let seconds):
      "is damaged at \(duration(seconds)); what could be read behind that is used as well"
    case .notFinite(let count): "holds \(count) samples that are no numbers, read as silence"
    case .lowRate: "has a rate below 8 kHz, which makes it harder to recognise"
    case .deadSide(let side):
      "has a silent \(side == 0 ? "left" : "right") side; the other side is used"
    case .invertedPair: "has sides of opposite sign; their difference is used"
    case .severalStreams(let count): "holds \(count) streams of sound; the first is used"
    case .followed(let seconds):
      "has another file behind it; only one of them, of \(duration(seconds)), is used. Join sounds with "
        + "a program that decodes them, such as sox"
    }
  }

  /// A length as a person reads it: `12.3 s` or `1:02:03`.
  static func duration(_ seconds: Double) -> String {
    if seconds < 100 { return "\((seconds * 10).rounded() / 10) s" }
    let whole = Int(seconds.rounded())
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
  }
}
