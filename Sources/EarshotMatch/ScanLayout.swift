import EarshotSignature

/// The peaks of all references, laid out for the scan, and the axis of offsets they are scanned on.
///
/// A peak is one 32-bit word: its row (bin and class) in bits 0 to 11, its frame above. Words are in
/// the order of frames. A signature longer than 20 bits of frames (4.6 hours) is laid out in parts.
struct ScanLayout: Sendable {
  /// One signature's part of the layout.
  struct Reference: Sendable {
    /// The signature, and the frame of it that is the part's frame 0.
    let signatureIndex: Int
    let frameBase: Int
    /// Frames of the signature.
    let frameCount: Int
    /// Its peaks in `peaks`, and its strong ones in `strongPeaks`.
    let peaks: Range<Int>
    let strongPeaks: Range<Int>
    /// Its tiles of offsets.
    let tiles: Range<Int>
    /// For every segment of 64 frames, its first peak.
    let segments: Range<Int>
  }

  private(set) var references: [Reference] = []
  private(set) var peaks: [UInt32] = []
  private(set) var strongPeaks: [UInt32] = []
  private(set) var segmentStarts: [Int32] = []
  private(set) var tileCount = 0

  /// Frames in one step of the scan: 32 ms. A peak in a window of 128 ms changes little within it,
  /// so the scan looks at every second offset only; the detailed score takes both.
  static let framesPerStep = 2
  /// Bits of a peak's word below its step.
  static let stepShift = frameShift + UInt32(framesPerStep.trailingZeroBitCount)
  /// Neighbouring offsets, one step apart, that the kernel works on together.
  static let blockOffsetCount = 32
  /// Offsets in a tile: the unit in which maxima are kept.
  static let tileOffsetCount = 512
  /// Steps by which a query may begin before the reference does: 4 s.
  static let leadStepCount = 128
  /// Steps after a reference's end that belong to it, so that neighbours do not mix.
  static let trailStepCount = 64
  /// Frames of a part, at most: what 20 bits can count, with room for the query.
  static let partFrameCount = 1 << 19
  /// Bits of a peak's word below its frame.
  static let frameShift: UInt32 = 12
  /// Frames of a segment.
  static let segmentFrameCount = 64
  /// Strength from which a peak is one of the strong half.
  static let strongFrom = 2

  /// Adds a signature's peaks after all others.
  mutating func add(_ packedPeaks: Span<UInt16>, frameCount: Int, signatureIndex: Int) {
    var index = 0
    var frame = 0
    for base in stride(from: 0, to: max(frameCount, 1), by: Self.partFrameCount) {
      let partFrames = min(frameCount - base, Self.partFrameCount)
      let peakStart = peaks.count
      let strongStart = strongPeaks.count
      let segmentStart = segmentStarts.count
      var segmentCount = 0
      while index < packedPeaks.count {
        let peak = PackedPeak(word: packedPeaks[index])
        guard frame + peak.frameStep < base + partFrames else { break }
        index += 1
        frame += peak.frameStep
        if peak.isEscape { continue }
        while segmentCount * Self.segmentFrameCount <= frame - base {
          segmentStarts.append(Int32(peaks.count))
          segmentCount += 1
        }
        let word = UInt32(frame - base) << Self.frameShift | UInt32(peak.row)
        peaks.append(word)
        if peak.peakClass & 3 >= Self.strongFrom { strongPeaks.append(word) }
      }
      segmentStarts.append(Int32(peaks.count))
      let stepCount = (partFrames + Self.framesPerStep - 1) / Self.framesPerStep
      let offsetCount = Self.leadStepCount + stepCount + Self.trailStepCount
      let tiles = (offsetCount + Self.tileOffsetCount - 1) / Self.tileOffsetCount
      references.append(
        Reference(
          signatureIndex: signatureIndex, frameBase: base, frameCount: partFrames,
          peaks: peakStart..<peaks.count, strongPeaks: strongStart..<strongPeaks.count,
          tiles: tileCount..<tileCount + tiles, segments: segmentStart..<segmentStarts.count))
      tileCount += tiles
    }
  }

  /// Reserves memory for so many peaks in all.
  mutating func reserve(peakCount: Int) {
    peaks.reserveCapacity(peakCount)
    strongPeaks.reserveCapacity(peakCount / 2 + peakCount / 16)
  }

  /// The offset, in steps, at the beginning of a reference's tile.
  func firstOffset(ofTile tile: Int, in reference: Reference) -> Int {
    (tile - reference.tiles.lowerBound) * Self.tileOffsetCount - Self.leadStepCount
  }
}
