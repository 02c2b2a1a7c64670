public import EarshotSignature

/// The evidence of one stream so far: cells, sums, and the ranking at a look.
@_spi(Training) public struct Listening: ~Copyable {
  private let layout: ScanLayout
  private let tables: EvidenceTables
  private var scan: Scan
  private var cells: QueryCells

  /// Makes it for one search space; the peaks are laid out if nobody has needed them before.
  ///
  /// - Throws: `MatchError.catalog` when a catalog's peaks are unreadable.
  public init(
    _ space: SearchSpace, speeds: MatchOptions.Speeds, tables: EvidenceTables, frameCapacity: Int
  ) throws(MatchError) {
    layout = try space.layout()
    self.tables = tables
    scan = Scan(layout, hypotheses: speeds == .all ? Hypothesis.all : [.trueSpeed])
    cells = QueryCells(frameCapacity: frameCapacity)
  }

  /// Frames that have been weighed.
  public var frameCount: Int { scan.frameCount }

  /// Weighs the analyzer's frames up to `frameCount`, which belong to so many samples heard.
  public mutating func advance(
    to frameCount: Int, heard sampleCount: Int, at analyzer: borrowing QueryAnalyzer
  ) {
    cells.take(from: analyzer.levelsOfFrames, upTo: frameCount)
    let stage = LookSchedule.stage(atSampleCount: sampleCount)
    scan.advance(to: cells.frameCount, of: cells, table: tables.scans[stage])
  }

  /// Takes the frames over without scanning them, for counting.
  public mutating func take(upTo frameCount: Int, at analyzer: borrowing QueryAnalyzer) {
    cells.take(from: analyzer.levelsOfFrames, upTo: frameCount)
  }

  /// The best tracks now, best first.
  public mutating func ranking(heard sampleCount: Int, excluding excluded: Set<Int> = [])
    -> [RankedTrack]
  {
    scan.updateMaxima()
    let stage = LookSchedule.stage(atSampleCount: sampleCount)
    return Ranking(layout: layout, mixture: tables.mixtures[stage])
      .rank(scan, cells: cells, excluding: excluded)
  }

  /// The values of a track's peaks at an alignment: class, bin and cell of each, for counting.
  public func peaks(
    at alignment: Alignment, _ body: (_ peakClass: Int, _ bin: Int, _ cell: UInt8) -> Void
  ) {
    let detail = DetailedScore(layout: layout, mixture: [])
    detail.forEachPeak(of: alignment, frameCount: cells.frameCount) { frame, bin, peakClass in
      body(peakClass, bin, unsafe cells.pointer[frame * AnalyzerSettings.binCount + bin])
    }
  }

  /// Forgets everything, for another stream.
  public mutating func reset() {
    scan.reset()
    cells.reset()
  }
}
