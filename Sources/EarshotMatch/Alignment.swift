import EarshotSignature

/// One way to lay the query over a reference.
@_spi(Training) public struct Alignment: Sendable, Hashable {
  /// The reference, as an index of the layout.
  public var reference: Int
  /// The reference's frame at the query's frame 0; fractions are parts of a hop.
  public var offset: Double
  /// Bins by which the query lies above the reference.
  public var binShift: Int
  /// Reference frames in one frame of the query.
  public var tempo: Double
  /// The frame of the signature from which the reference counts: it is a part of a long one.
  public var frameBase: Int

  /// Makes an alignment.
  public init(reference: Int, offset: Double, binShift: Int, tempo: Double, frameBase: Int = 0) {
    self.reference = reference
    self.offset = offset
    self.binShift = binShift
    self.tempo = tempo
    self.frameBase = frameBase
  }

  /// Whether the query plays about as fast and as high as the reference.
  var isAboutOwnSpeed: Bool { abs(tempo - 1) <= 0.012 && abs(binShift) <= 1 }

  /// Seconds in the signature at the query's first sample.
  ///
  /// An offset says where the middle of the query's first window lies; at another tempo the way back
  /// to the first sample is longer or shorter in the reference.
  public var seconds: Double {
    let halfWindow =
      Double(AnalyzerSettings.windowSampleCount) / 2 / Double(AnalyzerSettings.sampleRate)
    return (Double(frameBase) + offset) / AnalyzerSettings.framesPerSecond + halfWindow
      * (1 - tempo)
  }
}

/// What the detailed score found at one alignment.
@_spi(Training) public struct AlignmentScore: Sendable, Hashable {
  /// Evidence in nats.
  public var evidence = 0.0
  /// Peaks that the reference promises within the query.
  public var peakCount = 0
  /// Those of them at which the query is conspicuously strong: at or above `hitLevel`.
  public var hitCount = 0

  /// What stands behind the evidence; nil where that was not counted.
  public var support: AlignmentSupport?

  /// The level from which a cell is a hit: among the highest eighth of its half octave.
  static let hitLevel: UInt8 = 6

  /// The share of the promised peaks that were found.
  public var coverage: Double { peakCount == 0 ? 0 : Double(hitCount) / Double(peakCount) }
}
