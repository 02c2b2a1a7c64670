import EarshotSignature

/// One signature's best alignment at a look.
@_spi(Training) public struct RankedTrack: Sendable {
  /// The signature, counted over all catalogs.
  public var signatureIndex: Int
  /// Where the query lies best.
  public var alignment: Alignment
  /// The hypothesis it was found by.
  public var hypothesis: Int
  /// Its detailed score.
  public var score: AlignmentScore
  /// The evidence of the track's other places that were scored, in no order.
  var otherPlaces: [Double] = []
}

/// Chooses the candidates of one look and scores them.
struct Ranking {
  let layout: ScanLayout
  let mixture: [SIMD8<Int8>]

  /// The most tracks that get a detailed score.
  static let trackCountMax = 24
  /// Tiles of a track that get one, at least and at most. A small catalog has few wrong tracks to tell how
  /// far they get, but many wrong places.
  private static let tilesPerTrack = 2...16
  /// The best tracks whose alignments are refined.
  private static let refinedCount = 6

  private struct Place {
    var tile: Int
    var hypothesis: Int
    var sum: Int16
  }

  /// The best tracks, best first. `isExcluded` takes signatures out.
  func rank(
    _ scan: borrowing Scan, cells: borrowing QueryCells, highest: borrowing HighestPeaks,
    excluding excluded: Set<Int> = []
  ) -> [RankedTrack] {
    let starts = bestPlaces(scan, excluding: excluded).map { places in
      places.places.compactMap { place in
        alignment(place, reference: places.reference, scan: scan).map {
          Start(alignment: $0, hypothesis: place.hypothesis)
        }
      }
    }
    return rank(starts, cells: cells, highest: highest, frameCount: scan.frameCount)
  }

  /// An alignment to begin with, and the hypothesis that it belongs to.
  struct Start: Sendable {
    var alignment: Alignment
    var hypothesis: Int
  }

  /// Scores and refines the alignments of each track, and ranks the tracks by them, best first.
  func rank(
    _ tracks: [[Start]], cells: borrowing QueryCells, highest: borrowing HighestPeaks,
    frameCount: Int
  ) -> [RankedTrack] {
    let detail = DetailedScore(layout: layout, mixture: mixture)
    var ranked: [ScoredTrack] = []
    for starts in tracks {
      var track: ScoredTrack?
      for start in starts {
        let place = score(start, with: detail, cells: cells, frameCount: frameCount)
        if track?.add(place) == nil { track = ScoredTrack(place) }
      }
      if let track { ranked.append(track) }
    }
    ranked.sort { $0.best.score.evidence > $1.best.score.evidence }
    let refinement = Refinement(detail: detail)
    for index in ranked.indices.prefix(Self.refinedCount) {
      ranked[index].refine(by: refinement, cells: cells, frameCount: frameCount)
    }
    return supported(
      ranked.map(\.ranked), detail, cells: cells, highest: highest, frameCount: frameCount)
  }

  /// The tracks, best first, with what stands behind the first of them.
  private func supported(
    _ tracks: [RankedTrack], _ detail: DetailedScore, cells: borrowing QueryCells,
    highest: borrowing HighestPeaks, frameCount: Int
  ) -> [RankedTrack] {
    var ranked = tracks
    ranked.sort { $0.score.evidence > $1.score.evidence }
    for index in ranked.indices.prefix(Decision.sharingTrackCountMax) {
      ranked[index].score.support = detail.support(
        ranked[index].alignment, cells: cells, frameCount: frameCount, explaining: highest)
    }
    return ranked
  }

  /// A start as a track, at the better of its frames.
  private func score(
    _ start: Start, with detail: DetailedScore, cells: borrowing QueryCells, frameCount: Int
  ) -> RankedTrack {
    var best = RankedTrack(
      signatureIndex: layout.references[start.alignment.reference].signatureIndex,
      alignment: start.alignment, hypothesis: start.hypothesis,
      score: AlignmentScore(evidence: -.infinity))
    for frame in 0..<ScanLayout.framesPerStep {
      var alignment = start.alignment
      alignment.offset += Double(frame)
      let score = detail.score(alignment, cells: cells, frameCount: frameCount)
      if score.evidence > best.score.evidence { (best.alignment, best.score) = (alignment, score) }
    }
    return best
  }

  /// For each of the best references by the scan, its best tiles.
  private func bestPlaces(_ scan: borrowing Scan, excluding excluded: Set<Int>)
    -> [(reference: Int, places: [Place])]
  {
    var all: [(reference: Int, places: [Place])] = []
    let wanted = Self.trackCountMax * Self.tilesPerTrack.lowerBound
    let tileCount = max(
      Self.tilesPerTrack.lowerBound,
      min(Self.tilesPerTrack.upperBound, wanted / max(1, layout.references.count)))
    for (index, reference) in layout.references.enumerated()
    where !excluded.contains(reference.signatureIndex) {
      var places: [Place] = []
      for hypothesis in scan.hypotheses.indices {
        for tile in reference.tiles {
          let sum = scan.maximum(ofTile: tile, hypothesis: hypothesis)
          if places.count == tileCount, sum <= places[places.count - 1].sum { continue }
          let place = Place(tile: tile, hypothesis: hypothesis, sum: sum)
          let at = places.firstIndex { $0.sum < sum } ?? places.count
          places.insert(place, at: at)
          if places.count > tileCount { places.removeLast() }
        }
      }
      all.append((index, places))
    }
    all.sort { ($0.places.first?.sum ?? 0) > ($1.places.first?.sum ?? 0) }
    return Array(all.prefix(Self.trackCountMax))
  }

  private func alignment(_ place: Place, reference index: Int, scan: borrowing Scan) -> Alignment? {
    let reference = layout.references[index]
    let first = layout.firstOffset(ofTile: place.tile, in: reference)
    guard
      let best = scan.bestPosition(
        inTile: place.tile, hypothesis: place.hypothesis,
        where: { (first + $0) * ScanLayout.framesPerStep < reference.frameCount })
    else { return nil }
    let hypothesis = scan.hypotheses[place.hypothesis]
    return Alignment(
      reference: index, offset: Double((first + best.position) * ScanLayout.framesPerStep),
      binShift: hypothesis.binShift, tempo: hypothesis.tempo, frameBase: reference.frameBase)
  }
}
