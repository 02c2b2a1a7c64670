internal import Glibc

/// An opened source on which everything is agreed and no sound flows yet.
struct CaptureOpening: ~Copyable {
  var pcm: PCM
  var question: SourceQuestion?
  let agreement: PCMAgreement
  let stepGuard: StepGuard
  /// Whether a sound server stands behind the source, so that an I/O error means that it is gone.
  let speaksToServer: Bool

  /// Opens `source`, having made sure of what stands behind its name.
  static func open(
    source: String, grantDeadline: UInt64, limits: CaptureLimits
  ) throws(CaptureError) -> CaptureOpening {
    let now = MonotonicClock.bootNanoseconds()
    guard now < grantDeadline else { throw CaptureError.grantExpired }
    let left = min(grantDeadline - now, UInt64(limits.openMilliseconds) * 1_000_000)
    let deadline = MonotonicClock.nanoseconds() + left
    // ALSA's shipped configuration asks the default server when it is read, so the guard is there
    // before the first question.
    let stepGuard = StepGuard(serverPaths: PulseAddress(server: nil).paths)
    guard stepGuard.isRunning else { throw CaptureError.failed(step: .open, code: EAGAIN) }
    do throws(CaptureError) {
      return try open(source: source, stepGuard: stepGuard, deadline: deadline, limits: limits)
    } catch {
      let hasCut = stepGuard.didCut
      stepGuard.stop()
      // A connection that was cut breaks every call after it: the silence is the cause.
      if hasCut && MonotonicClock.bootNanoseconds() >= grantDeadline {
        throw CaptureError.grantExpired
      }
      throw hasCut ? CaptureError.serverNotAnswering(step: .open) : error
    }
  }

  private static func open(
    source: String, stepGuard: StepGuard, deadline: UInt64, limits: CaptureLimits
  ) throws(CaptureError) -> CaptureOpening {
    try arm(stepGuard, until: deadline)
    SourceDefinition.refresh()
    let definition = SourceDefinition.find(source)
    let speaksToServer: Bool
    switch definition {
    case .unknown: throw CaptureError.missing(code: ENOENT)
    case .pulse(let server, _):
      stepGuard.cutOnly(PulseAddress(server: server).paths)
      speaksToServer = true
    case .hardware:
      stepGuard.cutOnly([])
      speaksToServer = false
    case .pipeWire, .other:
      stepGuard.cutOnly([])
      speaksToServer = true
    }
    var question = try SourceQuestion.ask(about: definition, deadlineNanoseconds: deadline)
    let pcm = try openPCM(source, stepGuard, speaksToServer, deadline: deadline, limits: limits)
    let wish =
      question?.wish ?? PCMWish(rate: 48_000, channels: 2, mayResample: definition != .hardware)
    let agreement: PCMAgreement
    do throws(PCMFault) {
      agreement = try pcm.configure(wish)
    } catch {
      throw fault(error.code, at: .configure, speaksToServer: speaksToServer)
    }
    try question?.confirm()
    guard !stepGuard.disarm() else { throw CaptureError.serverNotAnswering(step: .configure) }
    return CaptureOpening(
      pcm: pcm, question: question, agreement: agreement, stepGuard: stepGuard,
      speaksToServer: speaksToServer)
  }

  /// Opens the handle; a busy device is tried again shortly.
  private static func openPCM(
    _ source: String, _ stepGuard: StepGuard, _ speaksToServer: Bool, deadline: UInt64,
    limits: CaptureLimits
  ) throws(CaptureError) -> PCM {
    var triesLeft = limits.busyTries
    while true {
      do throws(PCMFault) {
        return try PCM.open(
          source, stepGuard: stepGuard, closeMilliseconds: limits.closeMilliseconds)
      } catch {
        triesLeft -= 1
        guard error.code == -EBUSY, triesLeft > 0, MonotonicClock.nanoseconds() < deadline else {
          throw fault(error.code, at: .open, speaksToServer: speaksToServer)
        }
        usleep(UInt32(limits.busyRetryMilliseconds) * 1000)
      }
    }
  }

  private static func arm(_ stepGuard: StepGuard, until deadline: UInt64) throws(CaptureError) {
    let now = MonotonicClock.nanoseconds()
    guard now < deadline else { throw CaptureError.serverNotAnswering(step: .open) }
    stepGuard.arm(milliseconds: Int((deadline - now) / 1_000_000) + 1)
  }

  /// What ALSA's code means while a source is opened.
  static func fault(
    _ code: Int32, at step: CaptureStep, speaksToServer: Bool
  ) -> CaptureError {
    switch -code {
    case EBUSY: return .busy(holders: DeviceAccess().holders())
    case EACCES, EPERM: return .noPermission
    case ENOENT, ENODEV, ENXIO:
      return DeviceAccess().isRefused && !speaksToServer ? .noPermission : .missing(code: -code)
    case ECONNREFUSED where step == .open: return .serverDown(code: -code)
    case EIO where speaksToServer: return .missing(code: -code)
    case EINVAL where step == .configure: return .unsupportedFormat
    default: return .failed(step: step, code: -code)
    }
  }
}
