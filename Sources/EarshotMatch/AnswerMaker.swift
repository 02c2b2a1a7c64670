import EarshotSignature

/// A track that is certain, with the places in it that fit equally well.
struct LocatedTrack: Sendable {
  private(set) var track: RankedTrack
  /// The places, best first; the first is the track's own alignment.
  private(set) var places: [Alignment]

  init(_ track: RankedTrack, places: [Alignment]) {
    self.track = track
    self.places = places
  }

  /// Takes a finer alignment of the same place; the other places move along.
  mutating func move(to finer: RankedTrack) {
    let shift = finer.alignment.offset - track.alignment.offset
    for index in places.indices {
      places[index].offset += shift
      places[index].tempo = finer.alignment.tempo
    }
    if !places.isEmpty { places[0] = finer.alignment }
    track = finer
  }
}

/// Words certain tracks as an answer about items.
struct AnswerMaker: Sendable {
  let space: SearchSpace
  let options: MatchOptions

  /// Seconds from which the speed is known to 1 %.
  static let speedSeconds = 2.0

  /// The answer; nil when no item stands on any of the tracks at their places.
  func answer(
    _ tracks: [LocatedTrack], confidence: Double, heardSeconds heard: Double,
    explanation: MatchExplanation?
  ) -> MatchAnswer? {
    var candidates: [MatchCandidate] = []
    for located in tracks {
      let track = located.track
      let place = space.places[track.signatureIndex]
      let offsets = located.places.map { Self.plain($0.seconds) }
      guard let offset = offsets.first else { continue }
      let speed = heard >= Self.speedSeconds ? track.alignment.tempo : nil
      let items = space.itemIndices(
        ofSignature: track.signatureIndex, at: offset + heard / 2, speed: speed)
      candidates += items.map { itemIndex in
        MatchCandidate(
          catalogIndex: place.catalogIndex, itemIndex: itemIndex,
          signatureIndex: place.signatureIndex, offset: offset, speed: speed,
          confidence: confidence, coverage: track.score.coverage,
          places: offsets, evidence: track.score.evidence)
      }
    }
    guard !candidates.isEmpty else { return nil }
    return MatchAnswer(
      kind: candidates.count == 1 ? .match : .ambiguous, heardSeconds: heard,
      candidates: Array(candidates.prefix(options.candidateCountMax)), explanation: explanation)
  }

  /// An offset less than a hop before the beginning is the beginning: it is not known more exactly.
  private static func plain(_ offset: Double) -> Double {
    offset < 0 && offset > -1 / AnalyzerSettings.framesPerSecond ? 0 : offset
  }
}
