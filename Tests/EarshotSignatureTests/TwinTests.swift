import Glibc
import TestSupport
import Testing

@testable import EarshotSignature

/// Each fast kernel of the analyzer against the plainest way to say the same.
@Suite("The analyzer's naive twins")
struct TwinTests {
  private static let binCount = AnalyzerSettings.binCount

  /// Frames of random energy, with plateaus: half of the values are drawn from a few.
  private static func frames(_ count: Int, seed: UInt64) -> [[Int16]] {
    var random = SyntheticSound.Random(seed: seed)
    return (0..<count).map { _ in
      (0..<binCount).map { _ in
        Bool.random(using: &random)
          ? Int16.random(in: -9000 ... -1000, using: &random)
          : [-5000, -4000, -3000][Int.random(in: 0..<3, using: &random)]
      }
    }
  }

  private static func fill(_ buffer: borrowing WipedBuffer<Int16>, _ values: [Int16]) {
    for (bin, value) in values.enumerated() { buffer.pointer[bin] = value }
  }

  private static func values(_ buffer: borrowing WipedBuffer<Int16>) -> [Int16] {
    (0..<binCount).map { buffer[$0] }
  }

  @Test("whitening subtracts the mean of the surroundings", arguments: [8, 16])
  func whitener(framesAfter: Int) {
    let frames = Self.frames(60, seed: UInt64(framesAfter))
    var whitener = Whitener(framesAfter: framesAfter)
    let input = WipedBuffer<Int16>(count: LogSpectrogram.paddedBinCount)
    var whitened: [[Int16]] = []
    for frame in frames {
      Self.fill(input, frame)
      if whitener.take(input) { whitened.append(Self.values(whitener.whitened)) }
    }
    while whitener.drain() { whitened.append(Self.values(whitener.whitened)) }
    #expect(whitened.count == frames.count)
    for frame in stride(from: 0, to: frames.count, by: 7) {
      for bin in stride(from: 0, to: Self.binCount, by: 5) {
        var sum = 0
        var count = 0
        for other in max(0, frame - 16)...min(frames.count - 1, frame + framesAfter) {
          for near in max(0, bin - 24)...min(Self.binCount - 1, bin + 24) {
            sum += Int(frames[other][near])
            count += 1
          }
        }
        let mean = Float(sum) / Float(count)
        #expect(abs(Float(whitened[frame][bin]) - (Float(frames[frame][bin]) - mean)) <= 0.51)
      }
    }
  }

  @Test("peaks are the first largest cells of their surroundings", arguments: 1...3 as ClosedRange)
  func peaks(seed: UInt64) {
    let frames = Self.frames(40, seed: seed).map { $0.map { $0 + 6000 } }
    var finder = PeakFinder()
    var constellation = Constellation()
    let input = WipedBuffer<Int16>(count: LogSpectrogram.paddedBinCount)
    for frame in frames {
      Self.fill(input, frame)
      finder.take(input, into: &constellation)
    }
    finder.finish(into: &constellation)
    constellation.finish()
    var found: Set<[Int]> = []
    PackedPeak.forEach(in: constellation.packedPeaks.span) { found.insert([$0, $1.bin]) }
    var expected: Set<[Int]> = []
    for block in [0..<32, 32..<40] {
      var peaks: [(height: Int16, frame: Int, bin: Int)] = []
      for frame in block {
        for bin in 0..<Self.binCount where Self.isPeak(frames, frame, bin) {
          peaks.append((frames[frame][bin], frame, bin))
        }
      }
      peaks.sort { ($1.height, $0.frame, $0.bin) < ($0.height, $1.frame, $1.bin) }
      for peak in peaks.prefix(46) { expected.insert([peak.frame, peak.bin]) }
    }
    #expect(found == expected)
  }

  private static func isPeak(_ frames: [[Int16]], _ frame: Int, _ bin: Int) -> Bool {
    let value = frames[frame][bin]
    guard value >= 2 * 64 else { return false }
    for other in max(0, frame - 3)...min(frames.count - 1, frame + 3) {
      for near in max(0, bin - 5)...min(binCount - 1, bin + 5) where (other, near) != (frame, bin) {
        if frames[other][near] > value { return false }
        // Of equal cells the earlier counts, and the lower of one frame.
        let isBefore = other < frame || other == frame && near < bin
        if frames[other][near] == value && isBefore { return false }
      }
    }
    return true
  }

  @Test("levels are ranks among what the half octave has shown, ridges the largest of five bins")
  func ranks() {
    let frames = Self.frames(25, seed: 9).map { $0.map { $0 / 4 + 1250 } }
    var ranks = RankLevels()
    let ridges = Ridges()
    let input = WipedBuffer<Int16>(count: LogSpectrogram.paddedBinCount)
    let output = WipedBuffer<UInt8>(count: Self.binCount)
    for (index, frame) in frames.enumerated() {
      Self.fill(input, frame)
      ranks.rank(input, into: output.pointer)
      ridges.add(input, to: output.pointer)
      for bin in stride(from: 0, to: Self.binCount, by: 3) {
        let band = bin / 36 * 36..<min(bin / 36 * 36 + 36, Self.binCount)
        // A quarter of a decibel is one cell of the histogram.
        let seen = frames[...index].flatMap { frame in band.map { Int(frame[$0] >> 4) } }
        let cell = Int(frame[bin] >> 4)
        let share = Double(seen.count { $0 >= cell }) / Double(seen.count)
        var level = 0
        while level < 15, share <= exp2(-Double(level + 1) / 2) { level += 1 }
        #expect(Int(output[bin] & 15) == level)
        var distance = 0
        while distance < 3,
          !Self.isRidge(frame, bin - distance), !Self.isRidge(frame, bin + distance)
        { distance += 1 }
        #expect(Int(output[bin] >> 4) == distance)
      }
    }
  }

  @Test("rounding eight values at once is rounding each, halves and their neighbours included")
  func wholes() {
    var random = SyntheticSound.Random(seed: 5)
    var values: [Float] = [0, -0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 32767.5, -32768.5, 4_194_303.5]
    values += values.flatMap { [$0.nextUp, $0.nextDown, -$0] }
    for _ in 0..<20_000 {
      let value = Float.random(in: -40_000...40_000, using: &random)
      values += [value, value.rounded(.down) + 0.5, value / 1000]
    }
    while values.count % 8 != 0 { values.append(0) }
    for start in stride(from: 0, to: values.count, by: 8) {
      let wholes = wholeNumbers(SIMD8(values[start..<(start + 8)]))
      for lane in 0..<8 {
        #expect(wholes[lane] == Int32(values[start + lane].rounded()), "\(values[start + lane])")
      }
    }
  }

  private static func isRidge(_ frame: [Int16], _ bin: Int) -> Bool {
    guard frame.indices.contains(bin) else { return false }
    return (bin - 2...bin + 2).allSatisfy { !frame.indices.contains($0) || frame[$0] <= frame[bin] }
  }
}
