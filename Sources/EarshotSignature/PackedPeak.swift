/// One 16-bit word of a packed constellation.
///
/// Bits 0 to 2 hold the class: the strength in bits 0 and 1 (0 is the weakest quarter of the peak's
/// block, 3 the strongest), 'repeated' in bit 2. Bits 3 to 11 hold the bin, 0 to 368. Bits 12 to 15
/// hold the step: the frames from the previous peak (the first peak counts from frame 0), 0 to 14.
/// A step of 15 is an escape: the word is no peak, and its bits 0 to 11 are frames to go forward.
/// Peaks come in the order of their frames, and of their bins within a frame.
public struct PackedPeak: Sendable, Hashable {
  /// The word as it is stored.
  public let word: UInt16

  /// Takes a word as it is stored.
  @inlinable public init(word: UInt16) { self.word = word }

  /// Packs a peak. The step must be below `escapeStep`.
  public init(bin: Int, strength: Int, isRepeated: Bool, step: Int) {
    precondition(bin >= 0 && bin < AnalyzerSettings.binCount, "the bin is on the axis")
    precondition(strength >= 0 && strength < 4, "there are four strengths")
    precondition(step >= 0 && step < Self.escapeStep, "longer steps take an escape")
    word = UInt16(step << 12 | bin << 3 | (isRepeated ? 4 : 0) | strength)
  }

  /// Packs an escape of 0 to 4095 frames.
  public init(escapeOverFrames frameCount: Int) {
    precondition(frameCount >= 0 && frameCount <= Self.escapeFrameCountMax, "at most 4095 frames")
    word = UInt16(Self.escapeStep << 12 | frameCount)
  }

  /// The step that marks an escape.
  public static let escapeStep = 15
  /// The most frames that one escape goes forward.
  public static let escapeFrameCountMax = 4095
  /// The classes of peaks: four strengths, repeated or not.
  public static let classCount = 8

  /// Whether the word is an escape and no peak.
  @inlinable public var isEscape: Bool { word >> 12 == 15 }
  /// Frames from the previous peak, or the frames an escape goes forward.
  @inlinable public var frameStep: Int { isEscape ? Int(word & 0xfff) : Int(word >> 12) }
  /// The peak's bin.
  @inlinable public var bin: Int { Int(word >> 3) & 0x1ff }
  /// The peak's class: strength, and 4 where it is repeated.
  @inlinable public var peakClass: Int { Int(word & 7) }
  /// Bin and class together: `bin * 8 + class`.
  @inlinable public var row: Int { Int(word & 0xfff) }

  /// Calls `body` with frame and word of each peak, in order.
  @inlinable
  public static func forEach(
    in packedPeaks: Span<UInt16>, _ body: (_ frame: Int, _ peak: PackedPeak) -> Void
  ) {
    var frame = 0
    for index in packedPeaks.indices {
      let peak = PackedPeak(word: packedPeaks[index])
      frame += peak.frameStep
      if !peak.isEscape { body(frame, peak) }
    }
  }
}
