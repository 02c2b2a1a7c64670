import EarshotSignature

/// Finds the other places of a track that fit the sound as well as the best: repeats and loops.
struct EqualPlaces {
  let detail: DetailedScore

  /// The most places that are told, the best one among them.
  static let placeCountMax = 20
  /// A place is equal when it lacks no more than this of the best one's evidence: a share, or nats.
  private static let lacking = (share: 0.2, nats: 6.0)
  /// The share of the best sum of the scan from which a place is looked at.
  private static let sumShare = 0.5
  /// The most places that are looked at.
  private static let triedCountMax = 64
  /// Frames within which two places are one.
  private static let apartFrameCount = 12.0

  private struct Peak {
    var reference: Int
    var offset: Int
    var sum: Int16
  }

  /// The places, best first; the first is the track's own.
  func places(
    of track: RankedTrack, scan: borrowing Scan, cells: borrowing QueryCells
  ) -> [Alignment] {
    var found: [(alignment: Alignment, evidence: Double)] = []
    let frameCount = cells.frameCount
    let best = detail.score(track.alignment, cells: cells, frameCount: frameCount).evidence
    let middle = Double(frameCount) / 2
    for peak in peaks(of: track, scan: scan) {
      var here: (alignment: Alignment, evidence: Double)?
      for frame in -2...2 {
        var trial = track.alignment
        trial.reference = peak.reference
        trial.frameBase = detail.layout.references[peak.reference].frameBase
        // The scan found it at the hypothesis's tempo; the middle of the query stays where it is.
        let tempo = scan.hypotheses[track.hypothesis].tempo
        trial.offset = Double(peak.offset + frame) + (tempo - trial.tempo) * middle
        let evidence = detail.score(trial, cells: cells, frameCount: frameCount).evidence
        if evidence > here?.evidence ?? -.infinity { here = (trial, evidence) }
      }
      if let here, Self.isEqual(here.evidence, to: best) { found.append(here) }
    }
    found.sort { $0.evidence > $1.evidence }
    var places = [track.alignment]
    for place in found where places.count < Self.placeCountMax {
      if places.allSatisfy({ Self.areApart($0, place.alignment) }) {
        places.append(place.alignment)
      }
    }
    return places
  }

  /// Whether a place with so much evidence fits about as well as the best.
  static func isEqual(_ evidence: Double, to best: Double) -> Bool {
    evidence >= best - max(lacking.nats, lacking.share * best)
  }

  /// Whether two alignments are two places.
  static func areApart(_ one: Alignment, _ other: Alignment) -> Bool {
    one.reference != other.reference || abs(one.offset - other.offset) > apartFrameCount
  }

  /// The highest sums of the track's signature, each the largest within its surroundings.
  private func peaks(of track: RankedTrack, scan: borrowing Scan) -> [Peak] {
    let layout = detail.layout
    var peaks: [Peak] = []
    let apart = Int(Self.apartFrameCount) / ScanLayout.framesPerStep
    for (index, reference) in layout.references.enumerated()
    where reference.signatureIndex == track.signatureIndex {
      var latest: Peak?
      for tile in reference.tiles {
        let first = layout.firstOffset(ofTile: tile, in: reference)
        for position in 0..<ScanLayout.tileOffsetCount {
          let sum = scan.sum(ofTile: tile, position: position, hypothesis: track.hypothesis)
          guard sum > 0 else { continue }
          let offset = (first + position) * ScanLayout.framesPerStep
          guard offset < reference.frameCount else { break }
          let peak = Peak(reference: index, offset: offset, sum: sum)
          if let known = latest, offset - known.offset <= apart * ScanLayout.framesPerStep {
            if sum > known.sum { latest = peak }
          } else {
            if let latest { peaks.append(latest) }
            latest = peak
          }
        }
      }
      if let latest { peaks.append(latest) }
    }
    peaks.sort { $0.sum > $1.sum }
    let highest = Double(peaks.first?.sum ?? 0)
    return peaks.prefix(Self.triedCountMax).filter { Double($0.sum) >= Self.sumShare * highest }
  }
}
