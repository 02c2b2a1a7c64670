import EarshotSignature

/// Tests the place where playing is expected against as many places where it is not.
///
/// All get the same chance: the best alignment as far around them as the expected place is known. So
/// what a wrong place reaches is counted on the same sound, and the bar is as high as in a search of
/// everything; only the number of places that could get there by luck is smaller.
struct ExpectedSearch: ~Copyable {
  /// The farthest offset that is looked at, in seconds: a year, far beyond any reference.
  private static let offsetMax = 365.0 * 86_400
  /// Places elsewhere that are tried in the same way.
  private static let rivalCount = 32
  /// The best of each, which are refined as well.
  private static let refinedRivalCount = 6

  /// Frames to each side of a place that are tried.
  private let reach: Int
  private let layout: ScanLayout
  private let expected: [Alignment]
  private let rivals: [Alignment]
  private let tables: EvidenceTables
  private var cells: QueryCells
  /// The frame of the query with which it begins, and the samples heard until then.
  let firstFrame: Int
  let firstSample: Int

  /// Finds the expected place in the layout; nil when the search space does not hold it.
  ///
  /// It may begin later than the query, at `firstFrame`, and then knows of nothing before.
  ///
  /// - Throws: `MatchError.catalog` when a catalog's peaks are unreadable.
  init?(
    _ place: ExpectedPlace, in space: SearchSpace, tables: EvidenceTables, frameCapacity: Int,
    firstFrame: Int = 0, firstSample: Int = 0
  ) throws(MatchError) {
    guard let signature = space.signatureIndex(ofItem: place.itemID), place.speed > 0.5,
      place.speed < 2, abs(place.offset) <= Self.offsetMax
    else { return nil }
    let layout = try space.layout(with: signature, others: Self.rivalCount)
    let frame =
      place.offset * AnalyzerSettings.framesPerSecond + place.speed * Double(firstFrame)
    let parts = layout.references.indices.filter {
      layout.references[$0].signatureIndex == signature
    }
    guard
      let part = parts.last(where: { Double(layout.references[$0].frameBase) <= max(0, frame) })
    else { return nil }
    let offset = frame - Double(layout.references[part].frameBase)
    // A place says how fast the sound plays, not whether its pitch went along.
    expected = Set([0, Hypothesis.speed(place.speed).binShift]).sorted().map {
      Alignment(
        reference: part, offset: offset, binShift: $0, tempo: place.speed,
        frameBase: layout.references[part].frameBase)
    }
    self.layout = layout
    self.tables = tables
    reach = Int(place.within * AnalyzerSettings.framesPerSecond)
    rivals = Self.rivals(of: expected[0], signature: signature, layout: layout)
    cells = QueryCells(frameCapacity: frameCapacity - firstFrame)
    self.firstFrame = firstFrame
    self.firstSample = firstSample
  }

  /// Places of other signatures, evenly spread over the peaks.
  private static func rivals(
    of expected: Alignment, signature: Int, layout: ScanLayout
  ) -> [Alignment] {
    let others = layout.references.indices.filter {
      layout.references[$0].signatureIndex != signature && !layout.references[$0].peaks.isEmpty
    }
    let peakCount = others.reduce(0) { $0 + layout.references[$1].peaks.count }
    guard peakCount > 0 else { return [] }
    var rivals: [Alignment] = []
    var passed = 0
    for index in others {
      let peaks = layout.references[index].peaks
      while rivals.count < rivalCount {
        let wanted = (2 * rivals.count + 1) * peakCount / (2 * rivalCount) - passed
        guard wanted < peaks.count else { break }
        let frame = layout.peaks[peaks.lowerBound + wanted] >> ScanLayout.frameShift
        var rival = expected
        (rival.reference, rival.offset) = (index, Double(frame))
        rival.frameBase = layout.references[index].frameBase
        rivals.append(rival)
      }
      passed += peaks.count
    }
    return rivals
  }

  /// The expected place's track at a look, and how certain it is: by what was heard from `firstFrame` on,
  /// which is where the track's alignment begins.
  mutating func look(
    at analyzer: borrowing QueryAnalyzer, frameCount: Int, heard allSampleCount: Int
  ) -> (track: RankedTrack, certainty: Double)? {
    let sampleCount = allSampleCount - firstSample
    let levels = analyzer.levelsOfFrames.extracting(
      droppingFirst: firstFrame * AnalyzerSettings.binCount)
    cells.take(from: levels, upTo: frameCount - firstFrame)
    let stage = LookSchedule.stage(atSampleCount: sampleCount)
    let detail = DetailedScore(layout: layout, mixture: tables.mixtures[stage])
    let refinement = Refinement(detail: detail)
    var best: (alignment: Alignment, score: AlignmentScore)?
    for place in expected {
      let found = bestAlignment(near: place, detail, cells)
      if found.score.evidence > best?.score.evidence ?? -.infinity { best = found }
    }
    guard var best else { return nil }
    best = refinement.refine(best.alignment, cells: cells, frameCount: cells.frameCount)
    best.score.support = detail.support(
      best.alignment, cells: cells, frameCount: cells.frameCount,
      explaining: HighestPeaks(frameCapacity: 0))
    var losers: [(alignment: Alignment, score: AlignmentScore)] = []
    for rival in rivals { losers.append(bestAlignment(near: rival, detail, cells)) }
    losers.sort { $0.score.evidence > $1.score.evidence }
    for index in losers.indices.prefix(Self.refinedRivalCount) {
      losers[index] = refinement.refine(
        losers[index].alignment, cells: cells, frameCount: cells.frameCount)
    }
    let signature = layout.references[best.alignment.reference].signatureIndex
    var track = RankedTrack(
      signatureIndex: signature, alignment: best.alignment, hypothesis: 0, score: best.score)
    let certainty = Decision(heardSampleCount: sampleCount, isExpected: true).certainty(
      of: track, others: losers.map(\.score.evidence).sorted(by: >))
    if certainty > Decision.expectedCertainty {
      track.alignment = PlaceFit(detail: detail).fit(
        best.alignment, tempo: expected[0].tempo, cells: cells, frameCount: cells.frameCount)
    }
    return (track, certainty)
  }

  private func bestAlignment(
    near place: Alignment, _ detail: DetailedScore, _ cells: borrowing QueryCells
  ) -> (alignment: Alignment, score: AlignmentScore) {
    var best = (alignment: place, score: AlignmentScore(evidence: -.infinity))
    for step in -reach...reach {
      var alignment = place
      alignment.offset = (place.offset + Double(step)).rounded()
      let score = detail.score(alignment, cells: cells, frameCount: cells.frameCount)
      if score.evidence > best.score.evidence { best = (alignment, score) }
    }
    return best
  }
}
