import EarshotSignature

extension Listening {
  /// Where a track fits, the best place first, each to a fraction of a frame.
  mutating func located(_ track: RankedTrack) -> LocatedTrack {
    ordered(track, places: equalPlaces(of: track))
  }

  /// Puts places of a track in order by all that was heard, and leaves out those that have parted.
  ///
  /// The scan and the coarse steps of the ranking know a place to half a frame, and which of two
  /// equal ones they find first is chance. So each is fitted before the best is chosen. Of places
  /// that are as good, the first is one in which the whole query lies inside the reference, at the
  /// reference's own tempo.
  func ordered(_ track: RankedTrack, places: [Alignment]) -> LocatedTrack {
    let tempo = hypothesisTempo(of: track)
    let detail = DetailedScore(
      layout: layout, mixture: tables.mixtures[EvidenceTables.stageCount - 1])
    var fitted: [FittedPlace] = []
    let others = places.filter { EqualPlaces.areApart(track.alignment, $0) }
    for (number, place) in ([track.alignment] + others).enumerated() {
      // Another place begins at the hypothesis's tempo too: the first one's was fitted to it alone.
      var own = place
      own.offset += (place.tempo - tempo) * Double(fitFrameCount) / 2
      own.tempo = tempo
      let begins = number == 0 || place.tempo == tempo ? [place] : [place, own]
      for begin in begins {
        let isFitted = number <= FittedPlace.fittedCountMax
        let alignment = isFitted ? self.fitted(begin, tempo: tempo) : begin
        let reference = layout.references[alignment.reference]
        let end = alignment.offset + alignment.tempo * Double(fitFrameCount)
        // The fit looks for the place, not for evidence: of that, a short query may lose a little.
        let scores = [begin, alignment].map {
          detail.score($0, cells: cells, frameCount: fitFrameCount)
        }
        fitted.append(
          FittedPlace(
            alignment: alignment,
            score: scores[0].evidence > scores[1].evidence ? scores[0] : scores[1],
            isInside: alignment.offset > -2 && end < Double(reference.frameCount) + 2))
      }
    }
    guard let best = FittedPlace.first(of: fitted) else {
      return LocatedTrack(track, places: [track.alignment])
    }
    var result = track
    result.alignment = best.alignment
    result.score = best.score
    result.score.support = track.score.support
    var told = [best.alignment]
    for place in fitted where EqualPlaces.isEqual(place.score.evidence, to: best.score.evidence) {
      if told.allSatisfy({ EqualPlaces.areApart($0, place.alignment) }) {
        told.append(place.alignment)
      }
    }
    return LocatedTrack(result, places: told)
  }
}

/// A place of a track after the fit.
struct FittedPlace {
  var alignment: Alignment
  var score: AlignmentScore
  /// Whether the whole query lies inside the reference.
  var isInside: Bool

  /// The most places that are fitted; others are told as they were found.
  static let fittedCountMax = 8
  /// Places are as good that lack no more than this of the best one's evidence.
  private static let lacking = (share: 0.02, nats: 3.0)

  /// The one to name first.
  static func first(of places: [FittedPlace]) -> FittedPlace? {
    guard let most = places.map(\.score.evidence).max() else { return nil }
    let least = most - max(lacking.nats, lacking.share * most)
    return places.filter { $0.score.evidence >= least }.min { one, other in
      if one.isInside != other.isInside { return one.isInside }
      let (own, away) = (abs(one.alignment.tempo - 1), abs(other.alignment.tempo - 1))
      if abs(own - away) > 1e-6 { return own < away }
      return one.score.evidence > other.score.evidence
    }
  }
}
