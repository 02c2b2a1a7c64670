/// What stands behind an alignment's evidence. A steady tone fits held notes, with all its harmonics,
/// for as long as they last; music that is really there has beginnings, in many bands, and what the query
/// holds besides is only what covers it.
@_spi(Training) public struct AlignmentSupport: Sendable, Hashable {
  /// Half octaves in which cells that were not strong 100 ms before speak for the alignment.
  public var bandCount = 0
  /// Nats that the bounded table finds in all cells.
  public var evidence = 0.0
  /// Those that it finds in cells that were not strong before.
  public var movingEvidence = 0.0
  /// How evenly these come over time, from 0 to 1: see `EvidenceSpread`.
  public var spread = 0.0
  /// The same of all evidence.
  public var spreadOfAll = 0.0
  /// How evenly the moving evidence comes over the half octaves, in the same way.
  public var bandSpread = 0.0
  /// Nats of the promised peaks that speak for the alignment.
  public var foundEvidence = 0.0
  /// Nats of those that speak against it, without their sign.
  public var missedEvidence = 0.0
  /// Nats a promised peak by the tables of clean sound.
  public var clean = 0.0
  /// Nats a promised peak by the tables of noisy sound.
  public var noisy = 0.0
  /// The share of the promised peaks of the upper half of strengths that were found.
  public var strongCoverage = 0.0
  /// The shares of the query's own highest peaks that the reference promises.
  public var explained = ExplainedPeaks()
}
