import Glibc

/// Subtracts from each cell the mean of its surroundings: 24 bins to each side, 16 frames before and
/// a fixed number after.
///
/// What lies outside the sound or the axis is left out of the mean. Sums are whole numbers, so they
/// neither drift nor depend on the order of the work.
struct Whitener: ~Copyable {
  /// Frames that have come in.
  private(set) var framesIn = 0
  /// Frames that have come out.
  private(set) var framesOut = 0
  /// The latest whitened frame, in parts of a decibel.
  let whitened: WipedBuffer<Int16>

  private let framesAfter: Int
  private let ringFrameCount: Int
  private let ring: WipedBuffer<Int16>
  private let columnSums: WipedBuffer<Int32>
  private let prefix: WipedBuffer<Int32>
  private let binsInMean: WipedBuffer<Float>
  private var oldestFrame = 0

  init(framesAfter: Int) {
    self.framesAfter = framesAfter
    ringFrameCount = AnalyzerSettings.whiteningFramesBefore + 1 + framesAfter
    let binCount = AnalyzerSettings.binCount
    whitened = WipedBuffer(count: LogSpectrogram.paddedBinCount)
    ring = WipedBuffer(count: ringFrameCount * LogSpectrogram.paddedBinCount)
    columnSums = WipedBuffer(count: LogSpectrogram.paddedBinCount)
    prefix = WipedBuffer(count: binCount + 1)
    binsInMean = WipedBuffer(count: binCount)
    let reach = AnalyzerSettings.whiteningBinReach
    for bin in 0..<binCount {
      unsafe binsInMean.pointer[bin] = Float(min(binCount, bin + reach + 1) - max(0, bin - reach))
    }
  }

  /// Takes a frame; true when `whitened` holds a new one.
  mutating func take(_ frame: borrowing WipedBuffer<Int16>) -> Bool {
    if framesIn - oldestFrame == ringFrameCount { dropOldest() }
    let row = unsafe ring.pointer + framesIn % ringFrameCount * LogSpectrogram.paddedBinCount
    unsafe row.update(from: frame.pointer, count: LogSpectrogram.paddedBinCount)
    let sums = unsafe columnSums.pointer
    for bin in 0..<AnalyzerSettings.binCount { unsafe sums[bin] &+= Int32(row[bin]) }
    framesIn += 1
    guard framesIn - framesOut > framesAfter else { return false }
    whitenNext()
    return true
  }

  /// Whitens one of the frames that were still waiting for later ones; false when none is left.
  mutating func drain() -> Bool {
    guard framesOut < framesIn else { return false }
    whitenNext()
    return true
  }

  private mutating func dropOldest() {
    let row = unsafe ring.pointer + oldestFrame % ringFrameCount * LogSpectrogram.paddedBinCount
    let sums = unsafe columnSums.pointer
    for bin in 0..<AnalyzerSettings.binCount { unsafe sums[bin] &-= Int32(row[bin]) }
    oldestFrame += 1
  }

  private mutating func whitenNext() {
    while oldestFrame < framesOut - AnalyzerSettings.whiteningFramesBefore { dropOldest() }
    let binCount = AnalyzerSettings.binCount
    let reach = AnalyzerSettings.whiteningBinReach
    let sums = unsafe columnSums.pointer
    let prefix = unsafe prefix.pointer
    for bin in 0..<binCount { unsafe prefix[bin + 1] = prefix[bin] &+ sums[bin] }
    let frameCount = Float(framesIn - oldestFrame)
    let row = unsafe ring.pointer + framesOut % ringFrameCount * LogSpectrogram.paddedBinCount
    let target = unsafe whitened.pointer
    let bins = unsafe binsInMean.pointer
    func whiten(_ bin: Int) {
      let low = max(0, bin - reach)
      let high = min(binCount, bin + reach + 1)
      let mean = unsafe Float(prefix[high] &- prefix[low]) / (bins[bin] * frameCount)
      unsafe target[bin] = row[bin] &- Int16(mean.rounded())
    }
    // Away from the ends of the axis all means are over equally many bins, so vectors can be taken.
    let last = reach + (binCount - 2 * reach) / 8 * 8
    for bin in 0..<reach { whiten(bin) }
    let count = unsafe SIMD8<Float>(repeating: bins[reach] * frameCount)
    for bin in stride(from: reach, to: last, by: 8) {
      let high = unsafe UnsafeRawPointer(prefix + bin + reach + 1).loadUnaligned(
        as: SIMD8<Int32>.self)
      let low = unsafe UnsafeRawPointer(prefix + bin - reach).loadUnaligned(as: SIMD8<Int32>.self)
      let own = unsafe UnsafeRawPointer(row + bin).loadUnaligned(as: SIMD8<Int16>.self)
      let means = wholeNumbers(SIMD8<Float>(high &- low) / count)
      unsafe UnsafeMutableRawPointer(target + bin).storeBytes(
        of: own &- SIMD8<Int16>(truncatingIfNeeded: means), as: SIMD8<Int16>.self)
    }
    for bin in last..<binCount { whiten(bin) }
    framesOut += 1
  }
}
