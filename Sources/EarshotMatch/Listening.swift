public import EarshotSignature

/// The evidence of one stream so far: cells, sums, and the ranking at a look.
@_spi(Training) public struct Listening: ~Copyable {
  private(set) var layout: ScanLayout
  let tables: EvidenceTables
  private var scan: Scan
  private var gated: GatedRanking?
  private(set) var cells: QueryCells
  private var highest: HighestPeaks
  /// Frames up to which the track was followed, where it was heard no longer.
  private var followedFrameCount: Int?
  /// Peaks that have room from the start where an index chooses what is laid out: ten hours.
  private static let gatedPeakCount = 1 << 22

  /// Makes it for one search space; the peaks are laid out if nobody has needed them before.
  ///
  /// - Throws: `MatchError.catalog` when a catalog's peaks are unreadable.
  public init(
    _ space: SearchSpace, speeds: MatchOptions.Speeds, tables: EvidenceTables, frameCapacity: Int
  ) throws(MatchError) {
    let hypotheses = speeds == .all ? Hypothesis.all : [.trueSpeed]
    if space.isGated {
      // Nothing is laid out but the signatures that the index names.
      gated = GatedRanking(
        space, try space.gate(), hypotheses: hypotheses, frameCapacity: frameCapacity)
      layout = ScanLayout()
    } else {
      layout = try space.layout()
    }
    self.tables = tables
    scan = Scan(layout, hypotheses: hypotheses)
    cells = QueryCells(frameCapacity: frameCapacity)
    highest = HighestPeaks(frameCapacity: frameCapacity)
    // After the scan has taken its own, empty one, so that this memory is the layout's alone.
    if space.isGated { layout.reserve(peakCount: Self.gatedPeakCount) }
  }

  /// Frames that places are fitted to.
  var fitFrameCount: Int { min(cells.frameCount, followedFrameCount ?? .max) }

  /// Frames that have been weighed.
  public var frameCount: Int { gated == nil ? scan.frameCount : cells.frameCount }

  /// Weighs the analyzer's frames up to `frameCount`, which belong to so many samples heard.
  public mutating func advance(
    to frameCount: Int, heard sampleCount: Int, at analyzer: borrowing QueryAnalyzer,
    isLast: Bool = false
  ) throws(MatchError) {
    cells.take(from: analyzer.levelsOfFrames, upTo: frameCount)
    if gated != nil {
      try gated?.advance(to: cells.frameCount, heard: sampleCount, at: analyzer)
      return
    }
    highest.take(from: analyzer.peaksOfFrames, frameCount: cells.frameCount)
    let stage = LookSchedule.stage(atSampleCount: sampleCount)
    scan.advance(
      to: cells.frameCount, of: cells, table: tables.scans[stage], isEarly: stage == 0,
      isLast: isLast)
  }

  /// Takes the frames over without scanning them, for counting.
  public mutating func take(upTo frameCount: Int, at analyzer: borrowing QueryAnalyzer) {
    cells.take(from: analyzer.levelsOfFrames, upTo: frameCount)
  }

  /// The first reference of a signature in the layout.
  ///
  /// - Throws: `MatchError.catalog` when its peaks are unreadable.
  mutating func firstReference(ofSignature index: Int) throws(MatchError) -> Int? {
    if gated != nil { return try gated?.reference(ofSignature: index, in: &layout) }
    var (low, high) = (0, layout.references.count)
    while low < high {
      let middle = (low + high) / 2
      if layout.references[middle].signatureIndex < index {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low < layout.references.count && layout.references[low].signatureIndex == index
      ? low : nil
  }

  /// The best tracks now, best first.
  ///
  /// - Throws: `MatchError.catalog` when a candidate's peaks are unreadable.
  public mutating func ranking(heard sampleCount: Int, excluding excluded: Set<Int> = [])
    throws(MatchError) -> [RankedTrack]
  {
    let stage = LookSchedule.stage(atSampleCount: sampleCount)
    if gated != nil {
      return try gated?.ranking(
        cells: cells, stage: stage, tables: tables, layout: &layout, excluding: excluded) ?? []
    }
    scan.updateMaxima()
    return Ranking(layout: layout, mixture: tables.mixtures[stage])
      .rank(scan, cells: cells, highest: highest, excluding: excluded)
  }

  /// The best tracks when every offset has been looked at, coarsely, where the index chose before; nil
  /// where nothing was left out. Follows `ranking`, for the same sound.
  ///
  /// - Throws: `MatchError.catalog` when a candidate's peaks are unreadable.
  public mutating func outlineRanking(heard sampleCount: Int, excluding excluded: Set<Int> = [])
    throws(MatchError) -> [RankedTrack]?
  {
    try gated?.outlineRanking(
      cells: cells, stage: LookSchedule.stage(atSampleCount: sampleCount), tables: tables,
      layout: &layout, excluding: excluded)
  }

  /// The values of a track's peaks at an alignment: class, bin and cell of each, for counting.
  public func peaks(
    at alignment: Alignment, _ body: (_ peakClass: Int, _ bin: Int, _ cell: UInt16) -> Void
  ) {
    let detail = DetailedScore(layout: layout, mixture: [])
    detail.forEachPeak(of: alignment, frameCount: cells.frameCount) { frame, bin, peakClass in
      body(peakClass, bin, unsafe cells.pointer[frame * AnalyzerSettings.binCount + bin])
    }
  }

  /// The places of a track that fit the sound about as well as the one it was found at, best first.
  public mutating func equalPlaces(of track: RankedTrack) -> [Alignment] {
    if let places = gated?.equalPlaces(
      of: track, cells: cells, stage: EvidenceTables.stageCount - 1, tables: tables)
    {
      return places
    }
    let detail = DetailedScore(
      layout: layout, mixture: tables.mixtures[EvidenceTables.stageCount - 1])
    return EqualPlaces(detail: detail).places(of: track, scan: scan, cells: cells)
  }

  /// An alignment to a fraction of a frame, with the frames so far.
  public func fitted(_ alignment: Alignment, tempo: Double) -> Alignment {
    let detail = DetailedScore(
      layout: layout, mixture: tables.mixtures[EvidenceTables.stageCount - 1])
    return PlaceFit(detail: detail).fit(
      alignment, tempo: tempo, cells: cells, frameCount: fitFrameCount)
  }

  /// A track's alignment to a fraction of a frame, with the frames so far.
  func fitted(_ track: RankedTrack) -> Alignment {
    fitted(track.alignment, tempo: hypothesisTempo(of: track))
  }

  /// The tempo of the hypothesis by which a track was found; where refinement has led back to the
  /// reference's own, that one.
  func hypothesisTempo(of track: RankedTrack) -> Double {
    track.alignment.isAboutOwnSpeed ? 1 : scan.hypotheses[track.hypothesis].tempo
  }

  /// An alignment refined in coarse steps, with the frames so far.
  public func refined(_ alignment: Alignment) -> Alignment {
    let detail = DetailedScore(
      layout: layout, mixture: tables.mixtures[EvidenceTables.stageCount - 1])
    return Refinement(detail: detail)
      .refine(alignment, cells: cells, frameCount: cells.frameCount).alignment
  }

  /// A track's alignment, refined step by step with all sound that the analyzer has by now.
  ///
  /// Each step is half as long again as the one before, so that the tempo found on little sound is
  /// good enough to begin the next. Nothing is scanned. It ends where the track is heard no more at its
  /// place: of a recording that was cut, or goes on with something else, no line through all of it is right.
  public mutating func followed(_ track: RankedTrack, at analyzer: borrowing QueryAnalyzer)
    -> RankedTrack
  {
    var track = track
    var frames = frameCount
    cells.take(from: analyzer.levelsOfFrames, upTo: analyzer.frameCount)
    let refinement = Refinement(
      detail: DetailedScore(
        layout: layout, mixture: tables.mixtures[EvidenceTables.stageCount - 1]))
    followedFrameCount = nil
    while frames < cells.frameCount {
      let next = min(cells.frameCount, frames + frames / 2 + 1)
      frames = refinement.detail.heardEnd(
        of: track.alignment, cells: cells, frames: frames * 2 / 3..<next)
      let refined = refinement.refine(track.alignment, cells: cells, frameCount: frames)
      track.alignment = refined.alignment
      track.score = refined.score
      if frames < next {
        followedFrameCount = frames
        break
      }
    }
    track.alignment = fitted(track)
    return track
  }

  /// Forgets everything, for another stream.
  public mutating func reset() {
    highest.forget()
    followedFrameCount = nil
    scan.reset()
    gated?.reset()
    cells.reset()
  }
}
