internal import EarshotSignature

/// What a look finds where the best track shares the sound with others: as a catalog has recorded, or
/// as their peaks say where nobody has looked before.
///
/// Those others say nothing against the best one: they are the same sound. So they don't count as
/// losers, and it is settled apart whether what was heard tells them from it.
struct SharedSound {
  /// How certain it is that the sound is that of the best track, or of one that shares it.
  var certainty: Double
  /// The tracks that hold what was heard as well as the best one does, best first.
  var rivals: [RankedTrack]
  /// Whether no sound that could still be heard will tell them from the best one.
  var isLasting: Bool

  /// Nats, and share of its evidence, by which the best track has to lead.
  private static let lead = (nats: 15.0, share: 0.2)
  /// The share of a track's best evidence that its place in the passage has to bring: what comes from
  /// elsewhere in it is not the sound that they share.
  private static let sameSoundShare = 0.8
  /// Frames by which the ends of a recorded passage may be off.
  private static let margin = 20
  /// Frames outside the passage from which they alone may decide: 1 s.
  private static let outsideFrameCountMin = 62

  /// Judges the best of a ranking against the tracks that share its sound; nil where none does, or
  /// where the sound is not certain even so.
  ///
  /// `frameLimit` is how many frames will be heard at most, nil where that is not known.
  fileprivate static func judge(
    _ ranking: [RankedTrack], by decision: Decision, in space: SearchSpace,
    listening: inout Listening, frameLimit: Int?
  ) throws(MatchError) -> SharedSound? {
    guard let best = ranking.first else { return nil }
    let start = Double(best.alignment.frameBase) + best.alignment.offset
    let end = start + best.alignment.tempo * Double(listening.frameCount)
    let frames = max(0, Int(start))..<max(0, Int(end), Int(start))
    var twins = space.passages.twins(ofSignature: best.signatureIndex, frames: frames)
    twins += try UnrecordedTwins(space: space, decision: decision)
      .twins(in: ranking, frames: frames, besides: twins)
    twins.removeAll { $0.signatureIndex == best.signatureIndex }
    guard !twins.isEmpty else { return nil }
    let named = Set(twins.map(\.signatureIndex))
    func certainty(without others: Set<Int>) -> Double? {
      let losers = ranking.dropFirst().filter { !others.contains($0.signatureIndex) }
      let certainty = decision.certainty(of: best, against: losers)
      return decision.isCertain(best, certainty) ? certainty : nil
    }
    // Places are scored only where that could make the sound certain.
    guard certainty(without: named) != nil else { return nil }
    var moved: [(twin: PassageMap.Twin, track: RankedTrack)] = []
    for twin in twins {
      if let track = try listening.track(best, movedTo: twin) { moved.append((twin, track)) }
    }
    let others = named.filter { signature in
      guard let track = ranking.first(where: { $0.signatureIndex == signature }) else {
        return true
      }
      return moved.contains { twin, moved in
        twin.signatureIndex == signature
          && (isOnePlace(track, moved, at: listening.frameCount / 2)
            || moved.score.evidence >= sameSoundShare * track.score.evidence)
      }
    }
    guard let certainty = certainty(without: others) else { return nil }
    var rivals: [Int: RankedTrack] = [:]
    var isLasting = true
    for (twin, track) in moved where others.contains(twin.signatureIndex) {
      // The ranking may know the twin at a better place than the recorded one.
      let ranked = ranking.first { $0.signatureIndex == twin.signatureIndex }
      let evidence = max(track.score.evidence, ranked?.score.evidence ?? 0)
      if isBehind(evidence, track, best, twin, listening) { continue }
      if let known = rivals[twin.signatureIndex], known.score.evidence >= track.score.evidence {
        continue
      }
      rivals[twin.signatureIndex] = track
      let limit = frameLimit.map { Int(start + best.alignment.tempo * Double($0)) }
      isLasting =
        isLasting && twin.frames.lowerBound - margin <= frames.lowerBound
        && listening.lasts(twin, of: best, until: limit, margin: margin)
    }
    return SharedSound(
      certainty: certainty,
      rivals: rivals.values.sorted {
        ($1.score.evidence, $0.signatureIndex) < ($0.score.evidence, $1.signatureIndex)
      }, isLasting: isLasting)
  }

  /// Whether two alignments of a signature put one frame of the query at the same place of it.
  private static func isOnePlace(_ one: RankedTrack, _ other: RankedTrack, at frame: Int) -> Bool {
    func place(_ track: RankedTrack) -> Double {
      Double(track.alignment.frameBase) + track.alignment.offset
        + track.alignment.tempo * Double(frame)
    }
    return abs(place(one) - place(other)) <= Double(margin)
  }

  /// Whether what was heard tells a twin from the best track: on the whole, or by what lies outside
  /// of the passage that they share.
  private static func isBehind(
    _ evidence: Double, _ track: RankedTrack, _ best: RankedTrack, _ twin: PassageMap.Twin,
    _ listening: borrowing Listening
  ) -> Bool {
    let lead = best.score.evidence - evidence
    if lead > Self.lead.nats, lead > Self.lead.share * best.score.evidence { return true }
    let start = Double(best.alignment.frameBase) + best.alignment.offset
    func frame(_ place: Int) -> Int { Int((Double(place) - start) / best.alignment.tempo) }
    let heard = 0..<listening.frameCount
    let before = heard.clamped(to: 0..<max(0, frame(twin.frames.lowerBound - margin)))
    let end = max(0, frame(twin.frames.upperBound + margin))
    let after = heard.clamped(to: end..<max(listening.frameCount, end))
    guard before.count + after.count >= outsideFrameCountMin else { return false }
    let own = listening.evidence(of: best.alignment, in: [before, after])
    return own - listening.evidence(of: track.alignment, in: [before, after]) > Self.lead.nats
      && own > Self.lead.nats
  }
}

extension Listening {
  /// Judges the best of a ranking against the tracks that share its sound (`SharedSound.judge`).
  mutating func judge(
    _ ranking: [RankedTrack], by decision: Decision, in space: SearchSpace, frameLimit: Int?
  ) throws(MatchError) -> SharedSound? {
    try SharedSound.judge(
      ranking, by: decision, in: space, listening: &self, frameLimit: frameLimit)
  }

  /// The best track's alignment at another place of its sound, with the evidence there; nil where
  /// the query would lie outside of that signature.
  mutating func track(_ best: RankedTrack, movedTo twin: PassageMap.Twin) throws(MatchError)
    -> RankedTrack?
  {
    let place = Double(best.alignment.frameBase) + best.alignment.offset + Double(twin.distance)
    guard
      var reference = try firstReference(ofSignature: twin.signatureIndex),
      place > -Double(ScanLayout.leadStepCount * ScanLayout.framesPerStep)
    else { return nil }
    while reference + 1 < layout.references.count,
      layout.references[reference + 1].signatureIndex == twin.signatureIndex,
      Double(layout.references[reference + 1].frameBase) <= place
    { reference += 1 }
    var alignment = best.alignment
    alignment.reference = reference
    alignment.frameBase = layout.references[reference].frameBase
    let detail = DetailedScore(
      layout: layout, mixture: tables.mixtures[EvidenceTables.stageCount - 1])
    var found: RankedTrack?
    for step in -2...2 {
      alignment.offset = place - Double(alignment.frameBase) + Double(step)
      let score = detail.score(alignment, cells: cells, frameCount: frameCount)
      if score.evidence > found?.score.evidence ?? -.infinity {
        found = RankedTrack(
          signatureIndex: twin.signatureIndex, alignment: alignment,
          hypothesis: best.hypothesis, score: score)
      }
    }
    return found
  }

  /// The evidence of some frames of the query alone.
  func evidence(of alignment: Alignment, in ranges: [Range<Int>]) -> Double {
    DetailedScore(layout: layout, mixture: tables.mixtures[EvidenceTables.stageCount - 1])
      .evidence(of: alignment, cells: cells, in: ranges)
  }

  /// Whether a passage goes on for as long as anything can be heard: to the end of the listening, or
  /// to that of both signatures.
  func lasts(_ twin: PassageMap.Twin, of best: RankedTrack, until limit: Int?, margin: Int) -> Bool
  {
    let end = twin.frames.upperBound + margin
    if let limit, limit <= end { return true }
    // A chain of passages ends where the shortest of its places does.
    func ends(_ signature: Int, _ frame: Int) -> Bool {
      let last = layout.references.last { $0.signatureIndex == signature }
      return last.map { $0.frameBase + $0.frameCount <= frame + 62 } ?? false
    }
    return ends(best.signatureIndex, end) && ends(twin.signatureIndex, end + twin.distance)
  }
}
