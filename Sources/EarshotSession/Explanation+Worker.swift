internal import EarshotAudio
internal import EarshotCapture
internal import EarshotCatalog
internal import EarshotClient
internal import EarshotConsent
internal import EarshotMatch
internal import Glibc

/// What a worker's outcomes and faults are called, what they mean and what to do next (rule A4).
extension Explanation {
  /// Every sample was zero.
  static let muted = Explanation(
    reason: "muted", happened: "The microphone delivers silence: every sample is zero.",
    means: "It is muted or blocked, so nothing could be recognized.",
    next: "Unmute the microphone in the sound settings or by its switch, then try again.")
  /// There was only noise at the level of an analogue mute.
  static let faint = Explanation(
    reason: "faint", happened: "The microphone hears only a faint noise.",
    means: "It is muted by its own switch, too far away, or turned down.",
    next: "Raise the input level or move closer, then try again.")
  /// There was not enough sound to decide.
  static let tooShort = Explanation(
    reason: "too-short", happened: "There was not enough sound to decide.",
    means: "Neither a match nor its absence is certain.", next: "Listen for longer.")
  /// The daemon told the worker to stop.
  static let cancelled = Explanation(
    reason: "cancelled", happened: "Listening was stopped.",
    means: "The microphone is closed and what was heard is dropped.", next: "Nothing needs doing.")

  /// A fault of the microphone.
  init(_ error: CaptureError) {
    switch error {
    case .busy(let holders):
      let who = holders.map { "\($0.program) (process \($0.process))" }.joined(separator: ", ")
      self.init(
        reason: "device-busy",
        happened: "The microphone is in use by \(who.isEmpty ? "another program" : who).",
        means: "That program holds the device alone.",
        next: "Close it, or choose a source of the sound server, which can be shared.")
    case .missing:
      self.init(
        reason: "device-missing", happened: "The microphone is not there.",
        means: "No source of that name exists now, and no other is taken in its place.",
        next: "Plug it in, or choose another with 'earshot devices'.")
    case .noPermission:
      self.init(
        reason: "no-permission", happened: "The system does not let this user open the microphone.",
        means: "The device is there; its permissions keep Earshot out.",
        next: "Add the user to the group 'audio' and sign in again, or use the sound server.")
    case .onlyAMonitor:
      self.init(
        reason: "only-a-monitor", happened: "No microphone was found.",
        means: "The sound server offers only what the loudspeaker plays, which is not recorded.",
        next: "Plug a microphone in, or choose the monitor by its name with 'earshot devices'.")
    case .serverDown, .serverNotAnswering, .serverGone, .streamEnded, .moved, .unverifiable:
      self.init(server: error)
    case .unplugged, .suspended, .sourceSuspended, .noData, .overrunning:
      self.init(interruption: error)
    case .grantExpired:
      self.init(
        reason: "grant-expired", happened: "The time for this listening is over.",
        means: "The microphone was not opened or is closed again.", next: "Start again.")
    case .unsupportedFormat:
      self.init(
        reason: "unsupported-format", happened: "The microphone has no format that can be read.",
        means: "Its samples, channels or rate are outside what is supported.",
        next: "Choose it through ALSA's converter, with 'plughw:' in place of 'hw:'.")
    case .failed(let step, let code):
      self.init(
        reason: "capture-failed",
        happened: "The microphone failed at the step '\(step.rawValue)' with error \(code).",
        means: "Nothing could be recognized; the microphone is closed.",
        next: "Run 'earshot doctor' to find the cause.")
    }
  }

  private init(server error: CaptureError) {
    switch error {
    case .serverDown:
      self.init(
        reason: "server-down", happened: "The sound server does not run.",
        means: "The source belongs to a sound server that can't be reached.",
        next: "Start PipeWire or PulseAudio for this user, or choose an ALSA device.")
    case .serverNotAnswering:
      self.init(
        reason: "server-not-answering", happened: "The sound server does not answer.",
        means: "It accepted the connection and then said nothing in time.",
        next: "Restart the sound server, then try again.")
    case .streamEnded:
      self.init(
        reason: "stream-ended", happened: "The sound server took the microphone's stream away.",
        means: "The server runs on, and the microphone is closed.",
        next: "Try again. If it happens again, look at the sound server's log.")
    case .moved:
      self.init(
        reason: "source-moved", happened: "The sound server moved to another source.",
        means: "You allowed one source only, so the microphone was closed.",
        next: "Plug the microphone in again, or choose another with 'earshot devices'.")
    case .unverifiable:
      self.init(
        reason: "source-unverifiable", happened: "The sound server is on another machine.",
        means: "Which source it would choose can't be asked.",
        next: "Name the source in ALSA's configuration.")
    default:
      self.init(
        reason: "server-gone", happened: "The sound server ended while Earshot listened.",
        means: "The microphone is closed and what was heard is dropped.",
        next: "Wait until the sound server runs again, then try again.")
    }
  }

  private init(interruption error: CaptureError) {
    switch error {
    case .unplugged:
      self.init(
        reason: "unplugged", happened: "The microphone was unplugged.",
        means: "Listening ended, and no other source is taken in its place.",
        next: "Plug it in again, then try again.")
    case .suspended:
      self.init(
        reason: "interrupted", happened: "The machine slept while Earshot listened.",
        means: "The sound before and after can't be joined. The microphone is closed.",
        next: "Start again.")
    case .sourceSuspended:
      self.init(
        reason: "source-suspended",
        happened: "The sound server put the microphone to sleep while Earshot listened.",
        means: "No sound comes from it any more, so it was closed.",
        next: "Wake it up with 'pactl suspend-source NAME 0', or choose another source.")
    case .noData(let milliseconds):
      self.init(
        reason: "no-data",
        happened: "The microphone gave no data for \(milliseconds / 1000) seconds.",
        means: "The device opened and delivers nothing. It is closed again.",
        next: "Unplug it and plug it in again, or choose another with 'earshot devices'.")
    default:
      self.init(
        reason: "overrunning", happened: "Sound was lost again and again.",
        means: "The machine is too busy to listen.", next: "Close other programs, then try again.")
    }
  }

  /// A fault of the ledger: nothing was opened.
  init(_ error: LedgerError) {
    let reason =
      switch error {
      case .notThisProcess, .alreadyRedeemed, .useClosed, .unknown: "grant-refused"
      case .withdrawn: "withdrawn"
      case .deadlineOutOfRange: "grant-expired"
      default: "ledger-unreadable"
      }
    self.init(
      reason: reason, happened: "The consent record does not allow this process to listen.",
      means: "The microphone was not opened.", next: "Run 'earshot consent verify'.")
  }

  /// A fault of the catalogs.
  init(_ fault: Recognition.Fault) {
    switch fault {
    case .catalog(let path, let error):
      self.init(
        reason: "catalog-unreadable", happened: "The catalog \(path) can't be read: \(error).",
        means: "Nothing can be recognized with it; no microphone was opened.",
        next: "Check it with 'earshot catalog verify', or make it again.")
    case .search(.catalog(_, let error)):
      self.init(.catalog(path: "", error))
    case .search(.emptySearchSpace):
      self.init(
        reason: "catalog-empty", happened: "The catalogs hold no signature.",
        means: "There is nothing to recognize.",
        next: "Add sound with 'earshot catalog create' or 'add'.")
    case .search(let error):
      self.init(
        reason: "search-failed", happened: "The catalogs can't be searched: \(error).",
        means: "Nothing was recognized.", next: "Check them with 'earshot catalog verify'.")
    }
  }

  /// A fault of locking in.
  init(_ fault: Lockdown.Fault) {
    self.init(
      reason: "lockdown-failed",
      happened: "The worker could not be locked in: error \(fault.code).",
      means: "Without that no microphone is opened.", next: "Run 'earshot doctor'.")
  }
}

extension Explanation {
  /// A fault of sound that arrives over the API.
  init(_ error: AudioError) {
    switch error {
    // A worker may start no program, which is what the other kinds would take.
    case .unrecognised, .needsFFmpeg, .needsFile, .unreadable(errno: EPERM):
      self.init(
        reason: "unsupported-media", happened: "The sound is of a kind that is not read here.",
        means: "Only WAV, FLAC, Ogg Vorbis, Opus and MP3 can be sent.",
        next: "Use 'earshot match', which reads other kinds through ffmpeg.")
    case .emptyFile, .noSound:
      self.init(
        reason: "no-sound", happened: "There was no sound in what was sent.",
        means: "Nothing could be recognized.", next: "Send a file that holds sound.")
    case .unsupportedFormat:
      self.init(
        reason: "unsupported-format",
        happened: "The sound's rate or channel count is out of range.",
        means: "Nothing could be recognized.", next: "Convert it, then send it again.")
    case .tooLong(let seconds):
      self.init(
        reason: "too-long", happened: "The sound is longer than \(Int(seconds / 3600)) hours.",
        means: "That is more than is read.", next: "Send a part of it.")
    case .decoderFailed, .decoderStuck, .unreadable, .notAFile:
      self.init(
        reason: "sound-damaged", happened: "The sound can't be decoded.",
        means: "What was sent is damaged or ended early.", next: "Check the file and send it again."
      )
    }
  }
}
