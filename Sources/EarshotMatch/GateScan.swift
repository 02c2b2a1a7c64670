internal import EarshotCatalog
internal import EarshotSignature

/// The scan, restricted to single blocks of offsets that the index has voted for.
///
/// The query's rows are kept for all of its chunks, so that a block which is named late is scanned
/// from the query's beginning. The sums are what the exhaustive scan would have at these offsets,
/// but for what it leaves out: all peaks count at every speed.
struct GateScan: ~Copyable {
  /// The rows of one chunk; a class, because an array can't hold what can't be copied.
  private final class Chunk {
    var rows = ScanRows()
  }

  private var chunks: [Chunk] = []
  private var wholeChunkCount = 0
  private var stage = -1
  private var stepCount = 0

  /// Where in a block the sum is highest.
  struct Best: Sendable, Hashable {
    /// The step of the signature at which the query begins.
    var step: Int
    var sum: Int
  }

  /// Fills the rows with the query's first `frameCount` frames, valued by one stage's table.
  mutating func fill(
    _ cells: borrowing QueryCells, frameCount: Int, stage: Int, table: [UInt8]
  ) {
    let perChunk = ScanRows.stepCountMax
    let steps = (frameCount + ScanLayout.framesPerStep - 1) / ScanLayout.framesPerStep
    let needed = (steps + perChunk - 1) / perChunk
    while chunks.count < needed { chunks.append(Chunk()) }
    let first = stage == self.stage ? wholeChunkCount : 0
    for index in first..<max(first, needed) {
      let start = index * perChunk
      chunks[index].rows.fill(
        start..<min(steps, start + perChunk), of: cells, frameCount: frameCount, table: table)
    }
    stepCount = steps
    wholeChunkCount = frameCount / ScanLayout.framesPerStep / perChunk
    self.stage = stage
  }

  /// The best of the 32 offsets from `first` on, for one hypothesis.
  ///
  /// `peaks` are the reference's from at least that step to where the query would end, as words of
  /// the scan's layout whose frames are counted from `base`, which is even.
  func best(
    from first: Int, hypothesis: Hypothesis, peaks: [UInt32], base: Int
  ) -> Best {
    var sums = SIMD32<Int32>()
    unsafe peaks.withUnsafeBufferPointer { peaks in
      guard let start = peaks.baseAddress else { return }
      var low = 0
      for chunk in chunks.prefix((stepCount + ScanRows.stepCountMax - 1) / ScanRows.stepCountMax) {
        let steps = chunk.rows.steps
        let middle = Double(steps.lowerBound) + Double(steps.count) / 2
        let drift = Int(((hypothesis.tempo - 1) * middle).rounded())
        let step = first + drift + steps.lowerBound - base / ScanLayout.framesPerStep
        let reach = steps.count + ScanLayout.blockOffsetCount - 1
        while low < peaks.count, unsafe Int(peaks[low] >> ScanLayout.stepShift) < step { low += 1 }
        // The next chunk may drift back into this one's peaks, by a step at most.
        var high = low
        while high < peaks.count, unsafe Int(peaks[high] >> ScanLayout.stepShift) < step + reach {
          high += 1
        }
        let origin =
          unsafe chunk.rows.origin + hypothesis.binShift * PackedPeak.classCount * ScanRows.stride
        let gain = unsafe ScanKernel.gain(
          peaks: start, range: low..<high, rows: origin, startStep: step,
          stepCount: steps.count)
        sums &+= SIMD32<Int32>(truncatingIfNeeded: gain)
      }
    }
    var lane = 0
    for index in 1..<32 where sums[index] > sums[lane] { lane = index }
    return Best(step: first + lane, sum: Int(sums[lane]))
  }

  /// Forgets the query.
  mutating func reset() {
    for chunk in chunks { chunk.rows.forget() }
    (wholeChunkCount, stage, stepCount) = (0, -1, 0)
  }
}

/// A stretch of a signature's peaks, read without reading what comes before.
struct GateExcerpt {
  /// Words of the scan's layout; frames are counted from `base`.
  private(set) var peaks: [UInt32] = []
  /// The frame of the signature from which frames are counted; even.
  private(set) var base = 0
  private var words: [UInt16] = []

  /// Peaks that a writer makes of a frame, at most, over some frames: 46 of 32.
  private static let peaksPerFrameMax = 2
  private static let wordCountMax = 1 << 14

  /// Takes the peaks of a place's signature from `frames`. Nothing is believed of the file: words that
  /// name no bin are left out, and reading ends with the stretch or the signature.
  mutating func take(_ frames: Range<Int>, of place: GateSpace.Place, in space: GateSpace) {
    peaks.removeAll(keepingCapacity: true)
    base = max(0, frames.lowerBound) & ~1
    let segment = space.segments[place.segment]
    let seek = segment.index.seek(
      toFrame: base, position: place.position, inSegment: segment.number)
    let signature = segment.timeline.signatures.lowerBound + place.position
    // More peaks than a writer makes of so many frames are not looked at.
    let countMax = (frames.upperBound - seek.frame + 64) * Self.peaksPerFrameMax
    guard seek.frame <= base, countMax > 0 else { return }
    let needed = min(countMax, Self.wordCountMax)
    if words.isEmpty { words = [UInt16](repeating: 0, count: Self.wordCountMax) }
    let count = segment.catalog.readUncheckedWords(
      ofSignature: signature, from: seek.word, atMost: needed, into: &words)
    var frame = seek.frame
    for index in 0..<count {
      let peak = PackedPeak(word: words[index])
      frame += peak.frameStep
      if frame >= frames.upperBound { break }
      if peak.isEscape || frame < base || peak.bin >= AnalyzerSettings.binCount { continue }
      peaks.append(
        UInt32(truncatingIfNeeded: frame - base) << ScanLayout.frameShift | UInt32(peak.row))
    }
  }
}
