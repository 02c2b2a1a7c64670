import Glibc

/// Finds the cells of a whitened spectrogram that are the largest of their surroundings.
struct PeakFinder: ~Copyable {
  /// Two frames' worth of the largest values: frames wait until their later neighbours are there.
  private static let ringFrameCount = 2 * AnalyzerSettings.peakFrameReach + 1
  private static let rowStride = LogSpectrogram.paddedBinCount
  private static let lowest = Int16.min

  private let rows: WipedBuffer<Int16>
  private let rowMaxima: WipedBuffer<Int16>
  private let padded: WipedBuffer<Int16>
  private var framesIn = 0
  private var framesOut = 0

  init() {
    rows = WipedBuffer(count: Self.ringFrameCount * Self.rowStride)
    rowMaxima = WipedBuffer(count: Self.ringFrameCount * Self.rowStride)
    padded = WipedBuffer(count: Self.rowStride + 2 * AnalyzerSettings.peakBinReach)
    unsafe padded.pointer.update(repeating: Self.lowest, count: padded.count)
  }

  /// Takes the next frame and hands the peaks of an earlier one on.
  mutating func take(
    _ whitened: borrowing WipedBuffer<Int16>, into sink: inout some PeakSink & ~Copyable
  ) {
    let binCount = AnalyzerSettings.binCount
    let reach = AnalyzerSettings.peakBinReach
    let slot = framesIn % Self.ringFrameCount * Self.rowStride
    unsafe (rows.pointer + slot).update(from: whitened.pointer, count: binCount)
    unsafe (padded.pointer + reach).update(from: whitened.pointer, count: binCount)
    let source = unsafe padded.pointer
    let maxima = unsafe rowMaxima.pointer + slot
    unsafe maxima.update(from: source, count: binCount)
    for shift in 1...(2 * reach) {
      for bin in 0..<binCount {
        unsafe maxima[bin] = max(maxima[bin], source[bin + shift])
      }
    }
    framesIn += 1
    if framesIn - framesOut > AnalyzerSettings.peakFrameReach { findNext(into: &sink) }
  }

  /// Hands on the peaks of the frames that waited for later ones.
  mutating func finish(into sink: inout some PeakSink & ~Copyable) {
    while framesOut < framesIn { findNext(into: &sink) }
  }

  private mutating func findNext(into sink: inout some PeakSink & ~Copyable) {
    let frame = framesOut
    let reach = AnalyzerSettings.peakFrameReach
    let first = max(0, frame - reach)
    let last = min(framesIn - 1, frame + reach)
    let row = unsafe rows.pointer + frame % Self.ringFrameCount * Self.rowStride
    let height = Int16(AnalyzerSettings.peakDecibelsMin * AnalyzerSettings.unitsPerDecibel)
    let own = unsafe rowMaxima.pointer + frame % Self.ringFrameCount * Self.rowStride
    // Few bins are high enough and the largest of their own frame: sixteen are asked at once. Rows are
    // padded with zeros, which are never high enough.
    let least = SIMD16<Int16>(repeating: height)
    for start in stride(from: 0, to: AnalyzerSettings.binCount, by: 16) {
      let values = unsafe UnsafeRawPointer(row + start).loadUnaligned(as: SIMD16<Int16>.self)
      let largest = unsafe UnsafeRawPointer(own + start).loadUnaligned(as: SIMD16<Int16>.self)
      let candidates = (values .>= least) .& (values .== largest)
      guard any(candidates) else { continue }
      for lane in 0..<16 where candidates[lane] {
        let (bin, value) = (start + lane, values[lane])
        guard isLargest(value, bin: bin, frame: frame, first: first, last: last) else { continue }
        // Of equal neighbours in a frame the lowest bin is the peak.
        let lowest = max(0, bin - AnalyzerSettings.peakBinReach)
        if (lowest..<bin).contains(where: { unsafe row[$0] == value }) { continue }
        sink.add(frame: frame, bin: bin, height: value)
      }
    }
    framesOut += 1
    sink.complete(throughFrame: frame)
  }

  /// Whether no frame from `first` to `last` is higher near `bin`; of equal ones the earlier counts.
  private func isLargest(_ value: Int16, bin: Int, frame: Int, first: Int, last: Int) -> Bool {
    for other in first...last where other != frame {
      let maximum = unsafe rowMaxima.pointer[other % Self.ringFrameCount * Self.rowStride + bin]
      if maximum > value || (other < frame && maximum == value) { return false }
    }
    return true
  }
}
