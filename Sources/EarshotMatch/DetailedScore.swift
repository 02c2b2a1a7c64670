import EarshotSignature
import Glibc

/// The detailed score of single alignments: all peaks, a mixture over kinds of sound.
///
/// With sums L_k(o) over the peaks of octave o by table k, the score is the logarithm of the mean of
/// e^a and e^b, where a takes one kind of sound for all octaves and b one for each: a band that is
/// buried in noise costs little while a free band keeps its weight.
struct DetailedScore {
  let layout: ScanLayout
  let mixture: [SIMD8<Int8>]

  /// Octaves of the axis; the few bins above the fifth belong to it.
  private static let octaveCount = 5

  /// Scores one alignment against the query's first `frameCount` frames.
  func score(_ alignment: Alignment, cells: borrowing QueryCells, frameCount: Int)
    -> AlignmentScore
  {
    var octaves: [5 of SIMD8<Int16>] = .init(repeating: SIMD8())
    var peakCount = 0
    var hitCount = 0
    let base = unsafe cells.pointer
    unsafe mixture.withUnsafeBufferPointer { mixture in
      forEachPeak(of: alignment, frameCount: frameCount) { frame, bin, peakClass in
        let cell = unsafe base[frame * AnalyzerSettings.binCount + bin]
        let index = EvidenceTables.index(cell: cell, peakClass: peakClass, bin: bin)
        let octave = min(bin / AnalyzerSettings.binsPerOctave, Self.octaveCount - 1)
        unsafe octaves[octave] &+= SIMD8<Int16>(truncatingIfNeeded: mixture[index])
        peakCount += 1
        if cell & 15 >= AlignmentScore.hitLevel { hitCount += 1 }
      }
    }
    return AlignmentScore(
      evidence: Self.mix(octaves), peakCount: peakCount, hitCount: hitCount)
  }

  /// The evidence of some of the query's frames alone.
  func evidence(
    of alignment: Alignment, cells: borrowing QueryCells, in ranges: [Range<Int>]
  ) -> Double {
    var octaves: [5 of SIMD8<Int16>] = .init(repeating: SIMD8())
    let base = unsafe cells.pointer
    forEachPeak(of: alignment, frameCount: cells.frameCount) { frame, bin, peakClass in
      guard ranges.contains(where: { $0.contains(frame) }) else { return }
      let cell = unsafe base[frame * AnalyzerSettings.binCount + bin]
      let index = EvidenceTables.index(cell: cell, peakClass: peakClass, bin: bin)
      octaves[min(bin / AnalyzerSettings.binsPerOctave, Self.octaveCount - 1)] &+=
        SIMD8<Int16>(truncatingIfNeeded: mixture[index])
    }
    return Self.mix(octaves)
  }

  /// What stands behind an alignment: in how many bands, how much of it moves, how evenly it comes,
  /// and which of the query's highest peaks it explains.
  func support(
    _ alignment: Alignment, cells: borrowing QueryCells, frameCount: Int,
    explaining highest: borrowing HighestPeaks
  ) -> AlignmentSupport {
    var sums = AlignmentSums(frameCount: frameCount)
    var explanation = Explanation(count: highest.count)
    let base = unsafe cells.pointer
    let peaks = unsafe highest.pointer
    forEachPeak(of: alignment, frameCount: frameCount) { frame, bin, peakClass in
      let cell = unsafe base[frame * AnalyzerSettings.binCount + bin]
      let index = EvidenceTables.index(cell: cell, peakClass: peakClass, bin: bin)
      sums.add(mixture[index], cell: cell, peakClass: peakClass, frame: frame, bin: bin)
      unsafe explanation.promise(frame: frame, bin: bin, among: peaks)
    }
    var support = sums.support
    support.explained = explanation.result(among: highest)
    return support
  }

  /// Calls `body` with frame, bin and class of every promised peak, in the query's terms.
  @inline(__always)
  func forEachPeak(
    of alignment: Alignment, frameCount: Int,
    _ body: (_ frame: Int, _ bin: Int, _ peakClass: Int) -> Void
  ) {
    forEachPlace(of: alignment, frameCount: frameCount) { place, bin, peakClass in
      body(Int(place + 0.5), bin, peakClass)
    }
  }

  /// The same with the place between frames at which the peak is promised.
  @inline(__always)
  func forEachPlace(
    of alignment: Alignment, frameCount: Int,
    _ body: (_ place: Double, _ bin: Int, _ peakClass: Int) -> Void
  ) {
    let reference = layout.references[alignment.reference]
    let inverse = 1 / alignment.tempo
    let first = max(0, Int(alignment.offset.rounded(.down)) - 1)
    guard first < reference.frameCount else { return }
    let segment = reference.segments.lowerBound + first / ScanLayout.segmentFrameCount
    guard segment < reference.segments.upperBound else { return }
    var index = Int(layout.segmentStarts[segment])
    while index < reference.peaks.upperBound {
      let peak = layout.peaks[index]
      index += 1
      let place = (Double(peak >> ScanLayout.frameShift) - alignment.offset) * inverse
      if place < -0.5 { continue }
      if Int(place + 0.5) >= frameCount { break }
      let bin = Int(peak >> 3 & 0x1ff) + alignment.binShift
      if bin < 0 || bin >= AnalyzerSettings.binCount { continue }
      body(place, bin, Int(peak & 7))
    }
  }

  private static func mix(_ octaves: [5 of SIMD8<Int16>]) -> Double {
    var total = SIMD8<Float>()
    var separate: Float = 0
    for octave in octaves.indices {
      let sums = SIMD8<Float>(octaves[octave]) / Float(EvidenceTables.partsPerNat)
      total += sums
      separate += logarithmOfMean(sums)
    }
    let together = logarithmOfMean(total)
    let higher = max(together, separate)
    let lower = min(together, separate)
    return Double(higher + log(0.5 * (1 + exp(lower - higher))))
  }

  /// ln of the mean of e^x over the lanes in use.
  private static func logarithmOfMean(_ lanes: SIMD8<Float>) -> Float {
    var highest = lanes[0]
    for lane in 1..<EvidenceTables.mixtureLaneCount { highest = max(highest, lanes[lane]) }
    var sum: Float = 0
    for lane in 0..<EvidenceTables.mixtureLaneCount { sum += exp(lanes[lane] - highest) }
    return highest + log(sum / Float(EvidenceTables.mixtureLaneCount))
  }
}
