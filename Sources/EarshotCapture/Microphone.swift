internal import CALSA
public import EarshotAudio
public import EarshotConsent
internal import Glibc

/// One source while it is open, and nothing else can open one (walls W1 and W2).
///
/// It is made by spending a grant, delivers mono sound at 16 kHz, and is closed by `close()` or, on
/// every other path, by being dropped. It never moves to another source (rule L6). One thread uses it;
/// no call waits longer than the limit that it names.
@safe public struct Microphone: ~Copyable {
  /// What is known of this use so far.
  public private(set) var facts: CaptureFacts

  private var pcm: PCM
  private var question: SourceQuestion?
  private var converter: SampleRateConverter
  private var raw: SampleBlock
  private var interleaved: SampleBlock
  private var clock = FirstSampleClock()
  private let stepGuard: StepGuard
  private let agreement: PCMAgreement
  private let limits: CaptureLimits
  private let speaksToServer: Bool
  private let deadlineNanoseconds: UInt64
  private var sleptNanoseconds: UInt64 = 0
  private var framesRead = 0
  private var isClosed = false
  private var latestSoundNanoseconds: UInt64 = 0

  /// Milliseconds of sound that one read takes at most.
  private static let readMilliseconds = 100
  /// Milliseconds that the guard leaves a call beyond its own waiting.
  private static let leaseMilliseconds = 1000
  /// Milliseconds that a source has to wake up for the stream that was started on it.
  private static let wakingMilliseconds: UInt64 = 300
  /// A change of the time slept that is no error of measurement, in nanoseconds.
  private static let sleepNanosecondsMax: UInt64 = 50_000_000

  /// Opens the granted source and agrees on a format; no sound flows before `start()`.
  ///
  /// Blocks for at most `limits.openMilliseconds`, even when the sound server never answers.
  public init(
    spending grant: consuming Grant, limits: CaptureLimits = CaptureLimits()
  ) throws(CaptureError) {
    let opening = try CaptureOpening.open(
      source: grant.source, grantDeadline: grant.deadlineNanoseconds, limits: limits)
    let agreement = opening.agreement
    let converter = try Self.converter(for: agreement)
    let frames = agreement.rate * Self.readMilliseconds / 1000
    let raw = SampleBlock(capacity: frames * agreement.channels)
    let interleaved = SampleBlock(capacity: frames * agreement.channels)
    var facts = CaptureFacts(
      source: grant.source, grantedRate: agreement.rate, channels: agreement.channels,
      bits: agreement.bits)
    facts.isMemoryLocked = raw.isLocked && interleaved.isLocked

    deadlineNanoseconds = grant.deadlineNanoseconds
    self.limits = limits
    self.agreement = agreement
    self.facts = facts
    self.converter = converter
    self.raw = raw
    self.interleaved = interleaved
    stepGuard = opening.stepGuard
    speaksToServer = opening.speaksToServer
    question = opening.question
    pcm = opening.pcm
  }

  /// The samples at 16 kHz that a block has to have room for, for one read to take all it may.
  public var readCapacity: Int {
    converter.outputCountMax(frames: agreement.rate * Self.readMilliseconds / 1000)
  }

  /// Lets the sound flow. Everything that needs new files or threads has happened before.
  public mutating func start() throws(CaptureError) {
    stepGuard.arm(milliseconds: Self.leaseMilliseconds)
    let status = pcm.start()
    let hasCut = stepGuard.disarm()
    if hasCut { throw CaptureError.serverNotAnswering(step: .start) }
    guard status >= 0 else { throw fault(status, at: .start) }
    facts.startedNanoseconds = MonotonicClock.nanoseconds()
    latestSoundNanoseconds = facts.startedNanoseconds
    sleptNanoseconds = MonotonicClock.sleptNanoseconds()
  }

  /// Waits for sound and appends it to `block`, up to the block's free capacity.
  ///
  /// Returns as soon as there is any sound, when `descriptor` becomes readable or is closed, or after
  /// `milliseconds`. The block needs at least a tenth of `readCapacity` free. Throws `noData` where
  /// nothing has come for the limit's time; after any error the microphone is to be closed.
  public mutating func read(
    into block: inout SampleBlock, waitingAtMost milliseconds: Int, watching descriptor: Int32
  ) throws(CaptureError) -> CaptureReading {
    do throws(CaptureError) {
      return try waitAndRead(into: &block, milliseconds: milliseconds, watching: descriptor)
    } catch {
      // Once the connection was cut every call on it fails as if the server had ended. It has not:
      // it did not answer in time, and that is the cause to tell.
      if error == .grantExpired { throw error }
      if stepGuard.didCut { throw CaptureError.serverNotAnswering(step: .read) }
      guard case .serverGone = error, question != nil else { throw error }
      // ALSA has one word for a server that ended and for a stream that was taken away. Closed first,
      // because asking may take its time.
      closePCM()
      throw question?.causeOfEnd() ?? error
    }
  }

  private mutating func waitAndRead(
    into block: inout SampleBlock, milliseconds: Int, watching descriptor: Int32
  ) throws(CaptureError) -> CaptureReading {
    let end = MonotonicClock.nanoseconds() + UInt64(milliseconds) * 1_000_000
    var waits: Int32 = 0
    while true {
      stepGuard.arm(milliseconds: milliseconds + Self.leaseMilliseconds)
      var others = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
      if let server = question?.pollDescriptor {
        others.append(pollfd(fd: server, events: Int16(POLLIN), revents: 0))
      }
      pcm.wait(milliseconds: waits, others: &others)
      if others[0].revents != 0 { return .interrupted }
      if others.count > 1, others[1].revents != 0 { try question?.hear() }
      if let reading = try take(into: &block) { return reading }
      if mayBeAsleep() {
        // Asked anew, because what it said last may be of before the sound that has come since.
        try question?.hear()
        if mayBeAsleep() { throw CaptureError.sourceSuspended }
      }

      let now = MonotonicClock.nanoseconds()
      if MonotonicClock.bootNanoseconds() >= deadlineNanoseconds { throw CaptureError.grantExpired }
      if stepGuard.didCut { throw CaptureError.serverNotAnswering(step: .read) }
      let silentMilliseconds = Int((now - latestSoundNanoseconds) / 1_000_000)
      if silentMilliseconds >= limits.noDataMilliseconds {
        throw CaptureError.noData(milliseconds: silentMilliseconds)
      }
      if now >= end { return .samples(0) }
      // A plugin may say 'ready' with nothing to read; a pause keeps such a one from spinning.
      if waits > 0 { usleep(1000) }
      waits = Int32(clamping: (end - now) / 1_000_000 + 1)
    }
  }

  /// Closes the source and says what is known of its use. Sound that was not read is dropped.
  ///
  /// Takes at most `limits.closeMilliseconds` where a sound server is stuck: then its connection is
  /// cut, which ends the stream as well.
  public consuming func close() -> CaptureFacts {
    closePCM()
    return facts
  }

  /// Closes the handle, once, and notes when.
  private mutating func closePCM() {
    guard !isClosed else { return }
    isClosed = true
    let before = MonotonicClock.nanoseconds()
    pcm.close()
    let after = MonotonicClock.nanoseconds()
    facts.closingMilliseconds = Double(after - before) / 1e6
    if facts.startedNanoseconds > 0 {
      facts.openMilliseconds = Double(after - facts.startedNanoseconds) / 1e6
    }
  }
}

extension Microphone {
  private static func converter(
    for agreement: PCMAgreement
  ) throws(CaptureError) -> SampleRateConverter {
    do throws(AudioError) {
      return try SampleRateConverter(rate: Double(agreement.rate), channels: agreement.channels)
    } catch {
      throw CaptureError.unsupportedFormat
    }
  }

  /// Whether the server said that it has suspended the source: no sound is left to take, and none will
  /// come. One that still sleeps when the stream is started is woken up by it.
  private mutating func mayBeAsleep() -> Bool {
    guard question?.isAsleep == true else { return false }
    let waking = facts.startedNanoseconds + Self.wakingMilliseconds * 1_000_000
    return framesRead > 0 || MonotonicClock.nanoseconds() > waking
  }

  /// Takes what is there; `nil` where there is nothing yet.
  private mutating func take(
    into block: inout SampleBlock
  ) throws(CaptureError) -> CaptureReading? {
    let available = pcm.availableFrames()
    if available < 0 { return try recover(from: Int32(available)) }
    if MonotonicClock.sleptNanoseconds() > sleptNanoseconds + Self.sleepNanosecondsMax {
      throw CaptureError.suspended
    }
    let state = pcm.stateCode
    if state < 0 { return try recover(from: state) }
    guard available > 0 else { return nil }
    let delay = pcm.delayFrames()
    let now = MonotonicClock.nanoseconds()
    if let delay {
      let isBroken = clock.report(
        now: now, delayFrames: delay, framesRead: framesRead, rate: agreement.rate)
      if isBroken { return try gap() }
      facts.firstSampleNanoseconds = clock.median.map { UInt64(max(0, $0)) }
    }
    let frames = min(available, roomFrames(in: block))
    precondition(frames > 0, "the block has no room for sound")
    let read = Self.readFrames(
      frames, of: agreement, from: pcm, through: &raw, into: &interleaved)
    guard read > 0 else { return try recover(from: Int32(read)) }
    framesRead += read
    latestSoundNanoseconds = now
    let before = block.count
    Self.convert(interleaved, with: &converter, into: &block)
    interleaved.removeAll()
    facts.sampleCount += block.count - before
    // The converter's first output comes after its filter has filled: sound came, none is ready.
    return block.count > before ? .samples(block.count - before) : nil
  }

  private static func convert(
    _ interleaved: borrowing SampleBlock, with converter: inout SampleRateConverter,
    into block: inout SampleBlock
  ) {
    converter.convert(interleaved.samples, into: &block)
  }

  /// The most frames whose samples surely fit into the block.
  private func roomFrames(in block: borrowing SampleBlock) -> Int {
    let free = block.capacity - block.count
    var frames = agreement.rate * Self.readMilliseconds / 1000
    while frames > 0 && converter.outputCountMax(frames: frames) > free { frames /= 2 }
    return frames
  }

  /// Reads into `interleaved` as floats; the raw bytes are wiped at once. Frames read, or a code.
  private static func readFrames(
    _ frames: Int, of agreement: PCMAgreement, from pcm: borrowing PCM,
    through raw: inout SampleBlock,
    into interleaved: inout SampleBlock
  ) -> Int {
    var read = 0
    unsafe raw.appendUninitialized { room in
      guard let base = room.baseAddress else { return 0 }
      read = unsafe pcm.read(into: base, frames: frames)
      let count = max(0, read) * agreement.channels
      unsafe interleaved.appendUninitialized { output in
        let bytes = unsafe UnsafeRawBufferPointer(
          start: base, count: count * agreement.format.byteCount)
        unsafe agreement.format.convert(
          bytes, into: UnsafeMutableBufferPointer(rebasing: output[0..<count]))
        return count
      }
      // Whatever the format's width, the bytes fit into as many floats.
      return count
    }
    raw.removeAll()
    return read
  }

  /// Goes on after lost sound where that is possible, and names the fault where it is not.
  private mutating func recover(from code: Int32) throws(CaptureError) -> CaptureReading? {
    switch -code {
    case EAGAIN: return nil
    case EPIPE:
      // After an overrun a stream has to be prepared and started; without the start nothing comes.
      let prepared = pcm.prepare()
      let started = prepared < 0 ? prepared : pcm.start()
      guard started >= 0 else { throw fault(started, at: .read) }
      return try gap()
    default: throw fault(code, at: .read)
    }
  }

  /// Begins anew after lost sound: nothing is built across the gap.
  private mutating func gap() throws(CaptureError) -> CaptureReading {
    facts.overrunCount += 1
    guard facts.overrunCount <= limits.overrunCount else {
      throw CaptureError.overrunning(count: facts.overrunCount)
    }
    converter = try Self.converter(for: agreement)
    clock = FirstSampleClock()
    framesRead = 0
    facts.firstSampleNanoseconds = nil
    latestSoundNanoseconds = MonotonicClock.nanoseconds()
    return .gap
  }

  private func fault(_ code: Int32, at step: CaptureStep) -> CaptureError {
    if stepGuard.didCut { return .serverNotAnswering(step: step) }
    switch -code {
    case ENODEV: return .unplugged
    case ESTRPIPE: return .suspended
    case EIO, EPIPE, EBADFD, ECONNREFUSED, ENOTCONN, ECONNRESET:
      if pcm.stateCode == -ENODEV { return .unplugged }
      return speaksToServer ? .serverGone(code: -code) : .failed(step: step, code: -code)
    default: return .failed(step: step, code: -code)
    }
  }
}
