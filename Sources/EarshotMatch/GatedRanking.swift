internal import EarshotCatalog
internal import EarshotSignature

/// The ranking of a look where the index chooses what is looked at.
struct GatedRanking: ~Copyable {
  private let space: SearchSpace
  private var search: GateSearch
  private let hypotheses: [Hypothesis]
  private let gate: GateSpace
  /// For each signature that has been laid out, its first reference in the layout.
  private var laidOut: [Int: Int] = [:]
  private var highest: HighestPeaks

  init(
    _ space: SearchSpace, _ gate: GateSpace, hypotheses: [Hypothesis], frameCapacity: Int
  ) {
    self.space = space
    self.gate = gate
    self.hypotheses = hypotheses
    search = GateSearch(gate, hypotheses: hypotheses, frameCapacity: frameCapacity)
    highest = HighestPeaks(frameCapacity: frameCapacity)
  }

  /// Looks up what the analyzer has heard up to a frame.
  ///
  /// - Throws: `MatchError.catalog` when an index is damaged.
  mutating func advance(
    to frameCount: Int, heard sampleCount: Int, at analyzer: borrowing QueryAnalyzer
  ) throws(MatchError) {
    highest.take(from: analyzer.peaksOfFrames, frameCount: frameCount)
    do throws(GateFault) {
      try search.advance(
        to: min(frameCount, analyzer.peakFrameCount), heard: sampleCount,
        peaks: analyzer.peaksOfFrames)
    } catch {
      throw .catalog(index: space.places[error.signature].catalogIndex, error.cause)
    }
  }

  /// The best tracks, best first. Their signatures are checked and added to `layout`.
  ///
  /// - Throws: `MatchError.catalog` when a candidate's peaks are unreadable.
  mutating func ranking(
    cells: borrowing QueryCells, stage: Int, tables: EvidenceTables, layout: inout ScanLayout,
    excluding excluded: Set<Int>
  ) throws(MatchError) -> [RankedTrack] {
    let tracks = search.best(
      Ranking.trackCountMax, cells: cells, frameCount: cells.frameCount, stage: stage,
      table: tables.scans[stage], excluding: excluded)
    return try ranked(tracks, cells: cells, stage: stage, tables: tables, layout: &layout)
  }

  /// The best tracks when every offset of the outlines has been looked at as well; nil where there are
  /// no outlines. Follows `ranking`, for the same frames.
  ///
  /// - Throws: `MatchError.catalog` when a candidate's peaks are unreadable.
  mutating func outlineRanking(
    cells: borrowing QueryCells, stage: Int, tables: EvidenceTables, layout: inout ScanLayout,
    excluding excluded: Set<Int>
  ) throws(MatchError) -> [RankedTrack]? {
    guard !gate.outlines.isEmpty else { return nil }
    let tracks = search.bestByOutline(
      Ranking.trackCountMax, cells: cells, frameCount: cells.frameCount,
      table: tables.scans[stage], excluding: excluded)
    return try ranked(tracks, cells: cells, stage: stage, tables: tables, layout: &layout)
  }

  private mutating func ranked(
    _ tracks: [GateSearch.Track], cells: borrowing QueryCells, stage: Int, tables: EvidenceTables,
    layout: inout ScanLayout
  ) throws(MatchError) -> [RankedTrack] {
    var starts: [[Ranking.Start]] = []
    for track in tracks {
      let first = try reference(ofSignature: track.signatureIndex, in: &layout)
      starts.append(
        track.found.compactMap { start($0, of: track.signatureIndex, from: first, in: layout) })
    }
    return Ranking(layout: layout, mixture: tables.mixtures[stage])
      .rank(starts, cells: cells, highest: highest, frameCount: cells.frameCount)
  }

  /// The alignment at a place, in the part of the signature in which the query begins.
  private func start(
    _ found: GateSearch.Found, of signature: Int, from first: Int, in layout: ScanLayout
  ) -> Ranking.Start? {
    let frame = found.place.step * ScanLayout.framesPerStep
    var reference = first
    while reference + 1 < layout.references.count,
      layout.references[reference + 1].signatureIndex == signature,
      layout.references[reference + 1].frameBase <= frame
    { reference += 1 }
    let part = layout.references[reference]
    guard frame - part.frameBase < part.frameCount else { return nil }
    let hypothesis = hypotheses[found.hypothesis]
    return Ranking.Start(
      alignment: Alignment(
        reference: reference, offset: Double(frame - part.frameBase),
        binShift: hypothesis.binShift, tempo: hypothesis.tempo, frameBase: part.frameBase),
      hypothesis: found.hypothesis)
  }

  /// The first reference of a signature, which is laid out if it has not been.
  mutating func reference(ofSignature index: Int, in layout: inout ScanLayout)
    throws(MatchError) -> Int
  {
    if let known = laidOut[index] { return known }
    let first = layout.references.count
    try space.add(signature: index, to: &layout)
    laidOut[index] = first
    return first
  }

  /// The places of a track that fit about as well: its signature alone is scanned for them.
  func equalPlaces(
    of track: RankedTrack, cells: borrowing QueryCells, stage: Int, tables: EvidenceTables
  ) -> [Alignment] {
    guard let first = laidOut[track.signatureIndex] else { return [track.alignment] }
    var layout = ScanLayout()
    do throws(MatchError) {
      try space.add(signature: track.signatureIndex, to: &layout)
    } catch {
      // It has been laid out before; what fails now fails at the next look as well.
      return [track.alignment]
    }
    var scan = Scan(layout, hypotheses: hypotheses)
    scan.advance(
      to: cells.frameCount, of: cells, table: tables.scans[stage], isEarly: false, isLast: true)
    scan.updateMaxima()
    var alone = track
    alone.alignment.reference -= first
    let detail = DetailedScore(
      layout: layout, mixture: tables.mixtures[EvidenceTables.stageCount - 1])
    return EqualPlaces(detail: detail).places(of: alone, scan: scan, cells: cells).map {
      var alignment = $0
      alignment.reference += first
      return alignment
    }
  }

  /// Forgets the query; what has been laid out stays.
  mutating func reset() {
    search.reset()
    highest.forget()
  }
}

/// What is wrong with an index, and a signature of the catalog that it belongs to.
struct GateFault: Error {
  var signature: Int
  var cause: CatalogError
}
