import Glibc

/// Turns samples into frames of energy on the logarithmic frequency axis, one each 16 ms.
///
/// A frame is 369 values in parts of a decibel (`AnalyzerSettings.unitsPerDecibel`). Frames begin
/// at the first sample and only whole windows give one, so the pieces in which samples arrive make
/// no difference. Nothing is allocated after the beginning, and all memory is wiped at the end.
struct LogSpectrogram: ~Copyable {
  /// Samples taken so far.
  private(set) var sampleCount = 0
  /// The latest frame.
  let frame: WipedBuffer<Int16>

  private let axis = LogFrequencyAxis()
  private let transform = FourierTransform()
  private let window: WipedBuffer<Float>
  private let pending: WipedBuffer<Float>
  private var pendingCount = 0
  private let power: WipedBuffer<Float>
  private let gathered: WipedBuffer<Float>
  private let lineDecibels: WipedBuffer<Float>

  /// Power added to every line: below what 16-bit sound can hold, so that digital silence is flat.
  private static let powerFloor: Float = 1e-9
  /// Samples beyond this, and those that are no numbers, are taken as silence.
  private static let sampleLimit: Float = 64

  init() {
    frame = WipedBuffer(count: Self.paddedBinCount)
    pending = WipedBuffer(count: AnalyzerSettings.windowSampleCount)
    power = WipedBuffer(count: (axis.lineCount + 7) / 8 * 8)
    gathered = WipedBuffer(count: Self.paddedBinCount)
    lineDecibels = WipedBuffer(count: (axis.lineCount + 7) / 8 * 8)
    window = WipedBuffer(count: AnalyzerSettings.windowSampleCount)
    for index in 0..<window.count {
      let phase = 2 * Double.pi * Double(index) / Double(window.count)
      unsafe window.pointer[index] = Float(0.5 - 0.5 * Glibc.cos(phase))
    }
  }

  /// Bins rounded up to whole vectors.
  static let paddedBinCount = (AnalyzerSettings.binCount + 15) / 16 * 16

  /// Takes as many samples as the next frame needs, at most; returns how many.
  ///
  /// `hasFrame` is true when `frame` holds a new frame.
  mutating func take(
    _ samples: Span<Float>, from start: Int, atMost countMax: Int = .max
  ) -> (taken: Int, hasFrame: Bool) {
    let taken = min(pending.count - pendingCount, samples.count - start, countMax)
    let limit = Self.sampleLimit
    unsafe samples.withUnsafeBufferPointer { source in
      let target = unsafe pending.pointer + pendingCount
      for index in 0..<taken {
        let sample = unsafe source[start + index]
        unsafe target[index] = sample > -limit && sample < limit ? sample : 0
      }
    }
    pendingCount += taken
    sampleCount += taken
    guard pendingCount == pending.count else { return (taken, false) }
    computeFrame()
    let hop = AnalyzerSettings.hopSampleCount
    unsafe memmove(
      pending.pointer, pending.pointer + hop, (pending.count - hop) * MemoryLayout<Float>.stride)
    pendingCount -= hop
    return (taken, true)
  }

  private mutating func computeFrame() {
    unsafe multiply(pending.pointer, window.pointer, into: transform.input.pointer, pending.count)
    transform.run()
    let spectrum = unsafe transform.output.pointer + 2 * axis.firstLine
    let power = unsafe power.pointer
    for line in 0..<axis.lineCount {
      let real = unsafe spectrum[2 * line]
      let imaginary = unsafe spectrum[2 * line + 1]
      unsafe power[line] = real * real + imaginary * imaginary + Self.powerFloor
    }
    let interpolatedLineCount = Int(axis.lowerLines.last ?? 0) + 2
    unsafe convert(power, into: lineDecibels.pointer, count: interpolatedLineCount)
    let gathered = unsafe gathered.pointer
    unsafe gatherAverages(into: gathered)
    unsafe convert(gathered, into: gathered, count: AnalyzerSettings.binCount)
    unsafe interpolate(lineDecibels.pointer, into: gathered)
    unsafe scale(gathered, into: frame.pointer)
  }

  /// The decibels of each interpolated bin, at the bin's own place.
  private func interpolate(
    _ decibels: UnsafeMutablePointer<Float>, into gathered: UnsafeMutablePointer<Float>
  ) {
    unsafe axis.lowerLines.withUnsafeBufferPointer { lines in
      unsafe axis.upperWeights.withUnsafeBufferPointer { weights in
        for bin in 0..<axis.averagedBinStart {
          let line = unsafe Int(lines[bin])
          let weight = unsafe weights[bin]
          unsafe gathered[bin] =
            decibels[line] + weight * (decibels[line + 1] - decibels[line])
        }
      }
    }
  }

  /// Decibels as whole parts.
  private func scale(
    _ decibels: UnsafeMutablePointer<Float>, into frame: UnsafeMutablePointer<Int16>
  ) {
    let source = UnsafeRawPointer(decibels)
    let target = UnsafeMutableRawPointer(frame)
    let scale = Float(AnalyzerSettings.unitsPerDecibel)
    let vectorsEnd = AnalyzerSettings.binCount / 8 * 8
    for bin in stride(from: 0, to: vectorsEnd, by: 8) {
      let values = unsafe source.load(
        fromByteOffset: bin * MemoryLayout<Float>.stride, as: SIMD8<Float>.self)
      unsafe target.storeBytes(
        of: SIMD8<Int16>(truncatingIfNeeded: wholeNumbers(values * scale)),
        toByteOffset: bin * MemoryLayout<Int16>.stride, as: SIMD8<Int16>.self)
    }
    for bin in vectorsEnd..<AnalyzerSettings.binCount {
      unsafe frame[bin] = Int16((decibels[bin] * scale).rounded())
    }
  }

  /// The mean power of each averaged bin, at the bin's own place.
  private func gatherAverages(into gathered: UnsafeMutablePointer<Float>) {
    let power = unsafe power.pointer
    unsafe axis.averageStarts.withUnsafeBufferPointer { starts in
      unsafe axis.weightStarts.withUnsafeBufferPointer { weightStarts in
        unsafe axis.weights.withUnsafeBufferPointer { weights in
          for index in starts.indices {
            let first = unsafe Int(weightStarts[index])
            let count = unsafe Int(weightStarts[index + 1]) - first
            let line = unsafe Int(starts[index])
            var sum: Float = 0
            for offset in 0..<count {
              unsafe sum += weights[first + offset] * power[line + offset]
            }
            unsafe gathered[axis.averagedBinStart + index] = sum
          }
        }
      }
    }
  }

  private func multiply(
    _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>,
    into product: UnsafeMutablePointer<Float>, _ count: Int
  ) {
    for index in 0..<count { unsafe product[index] = left[index] * right[index] }
  }

  /// Decibels of `count` powers, in whole vectors: both buffers are padded to them.
  private func convert(
    _ power: UnsafeMutablePointer<Float>, into target: UnsafeMutablePointer<Float>, count: Int
  ) {
    let source = UnsafeRawPointer(power)
    let target = UnsafeMutableRawPointer(target)
    var offset = 0
    while offset < count * MemoryLayout<Float>.stride {
      let vector = unsafe source.load(fromByteOffset: offset, as: SIMD8<Float>.self)
      unsafe target.storeBytes(of: decibels(vector), toByteOffset: offset, as: SIMD8<Float>.self)
      offset += MemoryLayout<SIMD8<Float>>.stride
    }
  }
}
