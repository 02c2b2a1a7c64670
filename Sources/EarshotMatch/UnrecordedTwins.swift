internal import EarshotCatalog

/// Finds tracks that hold the best one's sound where no catalog could record it: they lie in two
/// catalogs, or in one that was written without looking for passages.
struct UnrecordedTwins {
  let space: SearchSpace
  let decision: Decision

  /// The share of the best track's evidence from which another track may be the same sound, and the
  /// most tracks that are compared with it.
  private static let candidates = (share: 0.3, count: 8)
  /// By how much the tempo of the same sound may differ between two tracks of one look.
  private static let sameTempo = 0.012

  /// The twins of a ranking's best track at the frames of it that were heard, besides those known.
  ///
  /// Nothing is compared before the best track is certain against all that can't be its twins.
  func twins(in ranking: [RankedTrack], frames: Range<Int>, besides known: [PassageMap.Twin])
    throws(MatchError) -> [PassageMap.Twin]
  {
    guard let best = ranking.first, !frames.isEmpty else { return [] }
    let knownSignatures = Set(known.map(\.signatureIndex))
    let others = ranking.dropFirst().filter { !knownSignatures.contains($0.signatureIndex) }
    let candidates = others.filter { mayBeTwin($0, of: best) }.prefix(Self.candidates.count)
    guard !candidates.isEmpty else { return [] }
    let signatures = Set(candidates.map(\.signatureIndex))
    let losers = others.filter { !signatures.contains($0.signatureIndex) }
    guard decision.isCertain(best, decision.certainty(of: best, against: losers)) else { return [] }
    var twins: [PassageMap.Twin] = []
    for candidate in candidates {
      if let twin = try twin(candidate, of: best, frames: frames) { twins.append(twin) }
    }
    return twins
  }

  private func mayBeTwin(_ other: RankedTrack, of best: RankedTrack) -> Bool {
    guard !space.catalogs.isEmpty else { return false }
    let (one, two) = (space.places[best.signatureIndex], space.places[other.signatureIndex])
    let isUnrecorded =
      one.catalogIndex != two.catalogIndex || !space.catalogs[one.catalogIndex].hasPassages
    return isUnrecorded && other.score.evidence >= Self.candidates.share * best.score.evidence
      && abs(other.alignment.tempo - best.alignment.tempo) <= Self.sameTempo
      && abs(other.alignment.binShift - best.alignment.binShift) <= 1
  }

  private func twin(_ other: RankedTrack, of best: RankedTrack, frames: Range<Int>)
    throws(MatchError) -> PassageMap.Twin?
  {
    func start(_ track: RankedTrack) -> Double {
      Double(track.alignment.frameBase) + track.alignment.offset
    }
    let (one, two) = (space.places[best.signatureIndex], space.places[other.signatureIndex])
    let passage: SharedPassage?
    do throws(CatalogError) {
      passage = try SharedPassage.around(
        frames, of: (space.catalogs[one.catalogIndex], one.signatureIndex),
        distance: Int((start(other) - start(best)).rounded()),
        in: (space.catalogs[two.catalogIndex], two.signatureIndex))
    } catch {
      throw .catalog(index: two.catalogIndex, error)
    }
    guard let passage else { return nil }
    let shared = passage.first.frame..<(passage.first.frame + passage.frameCount)
    let heard = shared.clamped(to: frames).count
    guard heard >= PassageMap.sharedFrameCountMin(of: frames) else { return nil }
    return PassageMap.Twin(
      signatureIndex: other.signatureIndex,
      distance: passage.second.frame - passage.first.frame, frames: shared)
  }
}
