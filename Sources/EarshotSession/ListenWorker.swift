internal import EarshotAudio
internal import EarshotCapture
internal import EarshotClient
internal import EarshotConsent
internal import Glibc

/// The role `listen`: from `prepare` to `result`, with the microphone open in between.
struct ListenWorker: ~Copyable {
  private var socket: WorkerSocket
  private var recognition: Recognition
  private let preparation: WorkerPreparation
  private let clock: LedgerClock
  private var silence = SilenceWatch()

  /// Samples at 16 kHz after which the evidence is weighed: 128 ms.
  private static let pieceSampleCount = 2048
  /// The most samples weighed at once, where the sound has waited: 250 ms.
  private static let pieceSampleCountMax = 4000
  /// Milliseconds that one call for sound waits at most, so that nothing else waits longer.
  private static let readMilliseconds = 250
  /// Milliseconds that the daemon has for its next word before the microphone is open.
  static let commandMilliseconds = 120_000
  /// Milliseconds in which a level that the daemon does not read is dropped.
  private static let levelMilliseconds = 5

  /// How a listening ended.
  private enum End {
    case answer(ListenResult)
    case limit
    case quiet(SilenceWatch.Verdict)
    case cancelled(reason: String)
    case daemonGone
    case fault(Explanation)
  }

  /// Runs the role; the process's status is returned.
  static func run(_ socket: consuming WorkerSocket) -> Int32 {
    guard let identity = ProcessIdentity.current() else { return 70 }
    let clock = LedgerClock.system()
    guard case .command(.prepare(let preparation)) = socket.next(milliseconds: commandMilliseconds)
    else { return 0 }
    let recognition: Recognition
    do throws(Lockdown.Fault) {
      _ = try Lockdown.restrictFiles(
        readable: SourcePaths.readable() + preparation.catalogs + [preparation.ledger],
        devices: SourcePaths.devices)
    } catch {
      socket.send(.unprepared(Explanation(error)))
      return 0
    }
    do throws(Recognition.Fault) {
      recognition = try Recognition.prepare(
        catalogs: preparation.catalogs, goal: preparation.goal, expected: preparation.expected,
        seconds: preparation.limit + 1)
    } catch {
      socket.send(.unprepared(Explanation(error)))
      return 0
    }
    socket.send(.ready)
    switch socket.next(milliseconds: commandMilliseconds) {
    case .command(.listen(let use)):
      var worker = ListenWorker(
        socket: socket, recognition: recognition, preparation: preparation, clock: clock)
      worker.listen(use: use, as: identity)
      return 0
    case .command(.cancel(let reason)):
      socket.send(.closed(milliseconds: 0, samples: 0, reason: reason, memoryLocked: true))
      socket.send(.result(ListenResult(outcome: .cancelled, explanation: .cancelled)))
      return 0
    default: return 0
    }
  }

  private init(
    socket: consuming WorkerSocket, recognition: consuming Recognition,
    preparation: WorkerPreparation, clock: LedgerClock
  ) {
    self.socket = socket
    self.recognition = recognition
    self.preparation = preparation
    self.clock = clock
  }

  /// Redeems the use, opens, listens, closes, reports.
  private mutating func listen(use: String, as identity: ProcessIdentity) {
    var explanation: Explanation
    do throws(LedgerError) {
      let reader = try LedgerReader(folder: preparation.ledger)
      let now = clock.now()
      let grant = try reader.redeem(
        use: use, process: identity.process, startTime: identity.startTime, now: now)
      // Whatever hangs, the kernel ends this process soon after the deadline of its grant.
      let left =
        grant.deadlineNanoseconds - min(grant.deadlineNanoseconds, now.monotonicNanoseconds)
      Lockdown.endAfter(seconds: UInt32(clamping: left / 1_000_000_000 + 1))
      return open(spending: grant)
    } catch {
      explanation = Explanation(error)
    }
    reportUnopened(explanation)
  }

  private mutating func open(spending grant: consuming Grant) {
    do throws(CaptureError) {
      let microphone = try Microphone(spending: grant)
      // The device is open, and nothing else may be from here on.
      do throws(Lockdown.Fault) {
        try Lockdown.restrictCalls()
      } catch {
        return finish(.fault(Explanation(error)), closing: microphone)
      }
      use(microphone)
    } catch {
      reportUnopened(Explanation(error))
    }
  }

  private mutating func use(_ opened: consuming Microphone) {
    var microphone = opened
    let end: End
    do throws(CaptureError) {
      try microphone.start()
      socket.send(.listening(source: microphone.facts.source))
      end = try takeSound(from: &microphone)
    } catch {
      end = .fault(Explanation(error))
    }
    finish(end, closing: microphone)
  }

  /// Takes sound until something ends it. Nothing here keeps the microphone open after that.
  private mutating func takeSound(from microphone: inout Microphone) throws(CaptureError) -> End {
    let capacity = max(Self.pieceSampleCountMax, Self.pieceSampleCount + microphone.readCapacity)
    var piece = SampleBlock(capacity: capacity)
    let limit = Int(preparation.limit * 16_000)
    var taken = 0
    while true {
      let reading = try microphone.read(
        into: &piece, waitingAtMost: Self.readMilliseconds, watching: socket.descriptor)
      switch reading {
      case .interrupted:
        if let end = heed() { return end }
      case .gap:
        // The sound before and after are two pieces; no offset is built across the gap.
        piece.removeAll()
        recognition.restart()
      case .samples: break
      }
      let isLast = taken + piece.count >= limit
      guard piece.count >= Self.pieceSampleCount || isLast else { continue }
      let count = min(piece.count, limit - taken)
      taken += count
      let firstSample = microphone.facts.firstSampleNanoseconds
      if let end = weigh(piece, count: count, firstSample: firstSample) { return end }
      piece.removeAll()
      if isLast { return .limit }
    }
  }

  /// Weighs one piece and tells its level.
  private mutating func weigh(
    _ piece: borrowing SampleBlock, count: Int, firstSample: UInt64?
  ) -> End? {
    let samples = piece.samples.extracting(0..<count)
    do throws(Recognition.Fault) {
      if let result = try recognition.hear(samples, firstSample: firstSample) {
        return .answer(result)
      }
    } catch {
      return .fault(Explanation(error))
    }
    silence.hear(samples)
    if let verdict = silence.verdict { return .quiet(verdict) }
    var peak: Float = 0
    for index in samples.indices { peak = max(peak, abs(samples[index])) }
    socket.send(
      .level(seconds: recognition.heardSeconds, peakDecibels: Self.decibels(peak)),
      milliseconds: Self.levelMilliseconds)
    return nil
  }

  /// What the daemon said, as an end; `nil` where it changes nothing.
  private mutating func heed() -> End? {
    switch socket.next(milliseconds: 0) {
    case .command(.cancel(let reason)): .cancelled(reason: reason)
    case .nothing: nil
    case .command, .ended: .daemonGone
    }
  }

  /// Closes the microphone first; only then is anything worked out or told.
  private mutating func finish(_ end: End, closing microphone: consuming Microphone) {
    let facts = microphone.close()
    if case .daemonGone = end { return }
    socket.send(
      .closed(
        milliseconds: facts.openMilliseconds, samples: facts.sampleCount,
        reason: Self.reason(of: end),
        memoryLocked: facts.isMemoryLocked))
    var result = conclude(end)
    result.firstSampleMonotonicNanoseconds = facts.firstSampleNanoseconds.map {
      $0 + UInt64(recognition.startSeconds * 1e9)
    }
    socket.send(.result(result))
  }

  private mutating func conclude(_ end: End) -> ListenResult {
    switch end {
    case .answer(let result): return result
    case .limit:
      do throws(Recognition.Fault) {
        return try recognition.finish()
      } catch {
        return ListenResult(outcome: .error, explanation: Explanation(error))
      }
    case .quiet(let verdict):
      return ListenResult(
        outcome: .noSignal, heard: recognition.heardSeconds,
        explanation: verdict == .muted ? .muted : .faint)
    case .cancelled, .daemonGone:
      return ListenResult(outcome: .cancelled, explanation: .cancelled)
    case .fault(let explanation): return ListenResult(outcome: .error, explanation: explanation)
    }
  }

  private mutating func reportUnopened(_ explanation: Explanation) {
    socket.send(
      .closed(milliseconds: 0, samples: 0, reason: explanation.reason, memoryLocked: true))
    socket.send(.result(ListenResult(outcome: .error, explanation: explanation)))
  }

  /// The word for the closing record.
  private static func reason(of end: End) -> String {
    switch end {
    case .answer: "decided"
    case .limit: "limit"
    case .quiet(.muted): "muted"
    case .quiet(.faint): "faint"
    case .cancelled(let reason): reason
    case .daemonGone: "daemon lost"
    case .fault(let explanation): explanation.reason
    }
  }

  /// A peak relative to full scale; the quietest that is told is -120.
  private static func decibels(_ peak: Float) -> Double {
    max(-120, 20 * log10(Double(max(peak, 1e-9))))
  }
}
