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
}

/// Chooses the candidates of one look and scores them.
struct Ranking {
  let layout: ScanLayout
  let mixture: [SIMD8<Int8>]

  /// The most tracks that get a detailed score.
  static let trackCountMax = 24
  /// Tiles of a track that get one.
  private static let tilesPerTrack = 2
  /// The best tracks whose alignments are refined.
  private static let refinedCount = 6

  private struct Place {
    var tile: Int
    var hypothesis: Int
    var sum: Int16
  }

  /// The best tracks, best first. `isExcluded` takes signatures out.
  func rank(
    _ scan: borrowing Scan, cells: borrowing QueryCells, excluding excluded: Set<Int> = []
  ) -> [RankedTrack] {
    let starts = bestPlaces(scan, excluding: excluded).map { places in
      places.places.compactMap { place in
        alignment(place, reference: places.reference, scan: scan).map {
          Start(alignment: $0, hypothesis: place.hypothesis)
        }
      }
    }
    return rank(starts, cells: cells, frameCount: scan.frameCount)
  }

  /// An alignment to begin with, and the hypothesis that it belongs to.
  struct Start: Sendable {
    var alignment: Alignment
    var hypothesis: Int
  }

  /// Scores and refines the alignments of each track, and ranks the tracks by them, best first.
  func rank(_ tracks: [[Start]], cells: borrowing QueryCells, frameCount: Int) -> [RankedTrack] {
    let detail = DetailedScore(layout: layout, mixture: mixture)
    var ranked: [RankedTrack] = []
    for starts in tracks {
      var best: RankedTrack?
      for start in starts {
        for frame in 0..<ScanLayout.framesPerStep {
          var alignment = start.alignment
          alignment.offset += Double(frame)
          let score = detail.score(alignment, cells: cells, frameCount: frameCount)
          if score.evidence > best?.score.evidence ?? -.infinity {
            best = RankedTrack(
              signatureIndex: layout.references[alignment.reference].signatureIndex,
              alignment: alignment, hypothesis: start.hypothesis, score: score)
          }
        }
      }
      if let best { ranked.append(best) }
    }
    ranked.sort { $0.score.evidence > $1.score.evidence }
    let refinement = Refinement(detail: detail)
    for index in ranked.indices.prefix(Self.refinedCount) {
      let refined = refinement.refine(
        ranked[index].alignment, cells: cells, frameCount: frameCount)
      ranked[index].alignment = refined.alignment
      ranked[index].score = refined.score
    }
    ranked.sort { $0.score.evidence > $1.score.evidence }
    for index in ranked.indices.prefix(Decision.sharingTrackCountMax) {
      ranked[index].score.support = detail.support(
        ranked[index].alignment, cells: cells, frameCount: frameCount)
    }
    return ranked
  }

  /// For each of the best references by the scan, its best tiles.
  private func bestPlaces(_ scan: borrowing Scan, excluding excluded: Set<Int>)
    -> [(reference: Int, places: [Place])]
  {
    var all: [(reference: Int, places: [Place])] = []
    for (index, reference) in layout.references.enumerated()
    where !excluded.contains(reference.signatureIndex) {
      var places: [Place] = []
      for hypothesis in scan.hypotheses.indices {
        for tile in reference.tiles {
          let sum = scan.maximum(ofTile: tile, hypothesis: hypothesis)
          if places.count == Self.tilesPerTrack, sum <= places[places.count - 1].sum { continue }
          let place = Place(tile: tile, hypothesis: hypothesis, sum: sum)
          let at = places.firstIndex { $0.sum < sum } ?? places.count
          places.insert(place, at: at)
          if places.count > Self.tilesPerTrack { places.removeLast() }
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
