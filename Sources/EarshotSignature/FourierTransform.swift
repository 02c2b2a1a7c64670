internal import CFFTW
import Synchronization

/// FFTW plans are made and destroyed one at a time; executing them needs no lock.
private let planner = Mutex<Void>(())

/// The real Fourier transform of one analysis window, in single precision.
///
/// The plan is estimated, never measured, so that the same build gives the same bits in every run.
@safe struct FourierTransform: ~Copyable {
  private let plan: fftwf_plan
  /// The windowed samples: write these, then call `run`.
  let input: WipedBuffer<Float>
  /// The spectrum as pairs of real and imaginary part.
  let output: WipedBuffer<Float>

  init() {
    let sampleCount = AnalyzerSettings.windowSampleCount
    let input = WipedBuffer<Float>(count: sampleCount)
    let output = WipedBuffer<Float>(count: sampleCount + 2)
    // SAFETY: both buffers live as long as the plan, and hold what FFTW asks of a transform of
    // this size: n reals, and n / 2 + 1 complex numbers.
    let made = unsafe planner.withLock { _ -> SendablePlan in
      let spectrum = unsafe UnsafeMutableRawPointer(output.pointer)
        .assumingMemoryBound(to: fftwf_complex.self)
      return unsafe SendablePlan(
        plan: fftwf_plan_dft_r2c_1d(
          Int32(sampleCount), input.pointer, spectrum, FFTW_ESTIMATE | FFTW_DESTROY_INPUT))
    }
    guard let plan = unsafe made.plan else { preconditionFailure("FFTW has no plan") }
    unsafe self.plan = plan
    self.input = input
    self.output = output
  }

  deinit {
    let spent = unsafe SendablePlan(plan: plan)
    planner.withLock { _ in unsafe fftwf_destroy_plan(spent.plan) }
  }

  /// Transforms `input` into `output`; `input` is destroyed.
  func run() { unsafe fftwf_execute(plan) }
}

/// A plan on its way out of the planner's lock.
// SAFETY: a plan has one owner, which alone runs and destroys it.
@unsafe private struct SendablePlan: @unchecked Sendable {
  let plan: fftwf_plan?
}
