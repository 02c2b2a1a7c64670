internal import CALSA
internal import Glibc

/// One ALSA capture handle, closed when it is dropped.
///
/// Codes are ALSA's: negative errno. Every call that can wait for a sound server runs under the
/// guard, so that none waits longer than its step allows.
@safe struct PCM: ~Copyable {
  private var handle: OpaquePointer?
  private let stepGuard: StepGuard
  private let closeMilliseconds: Int

  private init(handle: OpaquePointer, stepGuard: StepGuard, closeMilliseconds: Int) {
    unsafe self.handle = handle
    self.stepGuard = stepGuard
    self.closeMilliseconds = closeMilliseconds
  }

  deinit {
    if let handle = unsafe handle {
      stepGuard.arm(milliseconds: closeMilliseconds)
      unsafe snd_pcm_close(handle)
    }
    stepGuard.stop()
  }

  /// Opens `name` for capture without ever blocking in the kernel; throws ALSA's code.
  static func open(
    _ name: String, stepGuard: StepGuard, closeMilliseconds: Int
  ) throws(PCMFault) -> PCM {
    var opened: OpaquePointer?
    let status = unsafe snd_pcm_open(
      &opened, name, SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK))
    guard status >= 0, let opened = unsafe opened else { throw PCMFault(code: status) }
    return unsafe PCM(
      handle: opened, stepGuard: stepGuard, closeMilliseconds: closeMilliseconds)
  }

  /// Closes the handle now. Nothing is drained: what was not read is dropped.
  mutating func close() {
    guard let handle = unsafe handle else { return }
    unsafe self.handle = nil
    stepGuard.arm(milliseconds: closeMilliseconds)
    unsafe snd_pcm_close(handle)
    stepGuard.disarm()
  }

  /// Agrees on format, channels and rate; what was granted is read back.
  func configure(_ wish: PCMWish) throws(PCMFault) -> PCMAgreement {
    guard let handle = unsafe handle else { throw PCMFault(code: -EBADF) }
    return try unsafe PCMAgreement.reach(on: handle, wish)
  }

  func prepare() -> Int32 { unsafe handle.map { unsafe snd_pcm_prepare($0) } ?? -EBADF }

  func start() -> Int32 { unsafe handle.map { unsafe snd_pcm_start($0) } ?? -EBADF }

  /// Frames that can be read now, or a code.
  func availableFrames() -> Int {
    unsafe handle.map { unsafe snd_pcm_avail_update($0) } ?? Int(-EBADF)
  }

  /// Frames between the next unread one and the one in the air now; `nil` where it can't be told.
  func delayFrames() -> Int? {
    guard let handle = unsafe handle else { return nil }
    var frames: snd_pcm_sframes_t = 0
    return unsafe snd_pcm_delay(handle, &frames) >= 0 ? frames : nil
  }

  /// Reads up to `frames` frames into `buffer` without waiting; frames read, or a code.
  func read(into buffer: UnsafeMutableRawPointer, frames: Int) -> Int {
    guard let handle = unsafe handle else { return Int(-EBADF) }
    return unsafe snd_pcm_readi(handle, buffer, snd_pcm_uframes_t(frames))
  }

  /// The code that the stream's state stands for: 0 while it runs.
  ///
  /// A device that was pulled out says so here and, with some plugins, nowhere else: it then just has
  /// no sound for ever.
  var stateCode: Int32 {
    guard let handle = unsafe handle else { return -EBADF }
    switch unsafe snd_pcm_state(handle) {
    case SND_PCM_STATE_XRUN: return -EPIPE
    case SND_PCM_STATE_SUSPENDED: return -ESTRPIPE
    case SND_PCM_STATE_DISCONNECTED: return -ENODEV
    default: return 0
    }
  }

  /// Waits until there may be sound, one of `others` has something to say, or the time is over;
  /// fills in what the others say.
  func wait(milliseconds: Int32, others: inout [pollfd]) {
    guard let handle = unsafe handle else { return }
    let own = max(0, Int(unsafe snd_pcm_poll_descriptors_count(handle)))
    var all = [pollfd](repeating: pollfd(fd: -1, events: 0, revents: 0), count: own) + others
    _ = unsafe snd_pcm_poll_descriptors(handle, &all, UInt32(own))
    let status = unsafe poll(&all, nfds_t(all.count), milliseconds)
    for index in others.indices {
      others[index].revents = status > 0 ? all[own + index].revents : 0
    }
    guard status > 0 else { return }
    // Some plugins clear their wake-up only when they are asked what it means.
    var events: UInt16 = 0
    _ = unsafe snd_pcm_poll_descriptors_revents(handle, &all, UInt32(own), &events)
  }
}

/// A negative errno as ALSA returns it.
struct PCMFault: Error, Hashable {
  let code: Int32
}
