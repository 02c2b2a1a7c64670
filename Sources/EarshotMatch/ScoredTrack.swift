import EarshotSignature

/// The places of one track that were scored at a look: the best one, and the best at the track's own
/// speed.
struct ScoredTrack {
  private(set) var best: RankedTrack
  private var ownSpeed: RankedTrack?
  private var otherPlaces: [Double] = []

  /// Nats that another speed than the reference's own has to gain: nearly everything is played at it, and
  /// a second of sound seldom tells it from the next one.
  private static let ownSpeedLead = 3.0

  init(_ place: RankedTrack) {
    best = place
    ownSpeed = place.alignment.isAboutOwnSpeed ? place : nil
  }

  /// The track by its best place, with what its other places reach.
  var ranked: RankedTrack {
    var track = best
    track.otherPlaces = otherPlaces
    return track
  }

  mutating func add(_ place: RankedTrack) {
    otherPlaces.append(min(place.score.evidence, best.score.evidence))
    if place.score.evidence > best.score.evidence { best = place }
    if place.alignment.isAboutOwnSpeed,
      place.score.evidence > ownSpeed?.score.evidence ?? -.infinity
    {
      ownSpeed = place
    }
  }

  /// Moves the best place to where its score is highest. Another speed than the track's own is compared
  /// with it only then: before, half a hop decides between them.
  mutating func refine(by refinement: Refinement, cells: borrowing QueryCells, frameCount: Int) {
    best = Self.refined(best, by: refinement, cells: cells, frameCount: frameCount)
    if !best.alignment.isAboutOwnSpeed, let ownSpeed {
      let own = Self.refined(ownSpeed, by: refinement, cells: cells, frameCount: frameCount)
      if own.score.evidence > best.score.evidence - Self.ownSpeedLead { best = own }
    }
  }

  private static func refined(
    _ place: RankedTrack, by refinement: Refinement, cells: borrowing QueryCells, frameCount: Int
  ) -> RankedTrack {
    var place = place
    (place.alignment, place.score) = refinement.refine(
      place.alignment, cells: cells, frameCount: frameCount)
    return place
  }
}
