internal import EarshotCatalog
internal import EarshotSignature

/// Finds the candidates of a look by the index, where there is too much sound to scan all of it.
///
/// The index names places by triples of peaks; the best of them are scanned as the exhaustive scan
/// would, and the best of those go to the same detailed score. So a place that the gate finds has
/// the evidence it would have had, and an answer rests on the same figures.
struct GateSearch: ~Copyable {
  private let space: GateSpace
  private let hypotheses: [Hypothesis]
  private var passes: [Pass] = []
  private var votes: [Votes]
  private var peaks: GatePeaks
  /// What each pass finds in a segment; kept for its memory.
  private var found: [[UInt64]]
  private var scan = GateScan()
  private var outlineScan = OutlineScan()
  /// What the last look found, by signature.
  private var tracks: [Int: Track] = [:]

  /// The most places that are scanned at a look, for the true speed, for each other hypothesis and from an
  /// outline: with the hours grows the number of wrong places that look as good as the right one.
  private let placeCountMax: (trueSpeed: Int, other: Int, outline: Int)
  /// The same in catalogs of up to 1,000 hours.
  private static let placeCountMin = (trueSpeed: 2048.0, other: 256.0, outline: 1024.0)
  /// Seconds from which other speeds are looked up: before, there is too little to tell them by.
  private static let otherSpeedsSeconds = 1.6
  /// The most places of one signature that get a detailed score.
  private static let placesPerTrack = 2

  /// What is looked up once for all hypotheses that differ in tempo alone.
  private struct Pass {
    var binShift: Int
    var members: [(index: Int, tempo: Double)]
    /// Peaks whose keys have been looked up.
    var peakCount = 0
  }

  /// One hypothesis's votes; a class, because an array can't hold what can't be copied.
  private final class Votes {
    var votes = GateVotes()
  }

  /// A place that is worth a detailed score.
  struct Found: Sendable, Hashable {
    var place: GateSpace.Place
    var hypothesis: Int
    var sum: Int
  }

  /// One signature's best places.
  struct Track: Sendable {
    var signatureIndex: Int
    var found: [Found]
  }

  init(_ space: GateSpace, hypotheses: [Hypothesis], frameCapacity: Int) {
    self.space = space
    self.hypotheses = hypotheses
    let growth = max(1, space.hours / 1000).squareRoot()
    placeCountMax = (
      Int(Self.placeCountMin.trueSpeed * growth), Int(Self.placeCountMin.other * growth),
      Int(Self.placeCountMin.outline * growth)
    )
    peaks = GatePeaks(frameCapacity: frameCapacity)
    found = []
    votes = hypotheses.map { _ in Votes() }
    for pass in HypothesisPass.group(hypotheses) {
      passes.append(Pass(binShift: pass.binShift, members: pass.members))
    }
    found = [[UInt64]](repeating: [], count: passes.count)
  }

  /// Takes the peaks of further frames and looks their keys up.
  ///
  /// - Throws: where an index is damaged.
  mutating func advance(
    to frameCount: Int, heard sampleCount: Int, peaks found: Span<QueryPeak>
  ) throws(GateFault) {
    peaks.take(from: found, upTo: frameCount)
    let seconds = Double(sampleCount) / Double(AnalyzerSettings.sampleRate)
    var keys: [UInt64] = []
    // Passes that have come equally far take their keys together.
    var waiting: [Int: [(pass: Int, bins: Int)]] = [:]
    for (index, pass) in passes.enumerated() {
      if pass.binShift != 0, seconds <= Self.otherSpeedsSeconds { continue }
      waiting[pass.peakCount, default: []].append((index, pass.binShift))
      passes[index].peakCount = peaks.count
    }
    for (from, shifts) in waiting.sorted(by: { $0.key < $1.key }) {
      peaks.forEachKey(endingIn: from..<peaks.count, shifts: shifts) { hash, anchor, pass in
        keys.append(
          UInt64(hash) << 32 | UInt64(truncatingIfNeeded: pass) << Self.anchorBits
            | UInt64(truncatingIfNeeded: anchor))
      }
    }
    // In the order of the index: what the passes look up for one key lies in one group or two.
    GateSort.byUpperHalf(&keys)
    try lookUp(keys)
  }

  /// Bits of a key's lower half that name its anchor; above them it names its pass.
  private static let anchorBits: UInt64 = 16

  private mutating func lookUp(_ keys: [UInt64]) throws(GateFault) {
    let anchorSteps = (0..<peaks.count).map {
      Double(peaks.frame($0)) / Double(IndexKey.framesPerStep)
    }
    for segment in space.segments {
      do throws(CatalogError) {
        try lookUp(keys, in: segment)
      } catch {
        throw GateFault(signature: segment.firstSignature, cause: error)
      }
      for (pass, found) in zip(passes, found) where !found.isEmpty {
        for member in pass.members {
          let before = anchorSteps.map { UInt32(($0 * member.tempo).rounded()) }
          votes[member.index].votes.add(
            found, firstStep: UInt32(segment.firstStep), stepsBefore: before)
        }
      }
    }
  }

  /// Where the keys of each pass stand in a segment, each with its anchor and weight, as votes are
  /// packed.
  private mutating func lookUp(_ keys: [UInt64], in segment: GateSpace.Segment)
    throws(CatalogError)
  {
    for pass in found.indices { found[pass].removeAll(keepingCapacity: true) }
    let mean = segment.index.segments[segment.number].meanCount
    var group = CatalogIndex.Group()
    // One pass's list at a time stands alone, so that a vote is added without asking two lists.
    var own: [UInt64] = []
    for key in keys {
      let pass = Int(key >> Self.anchorBits & 0xffff)
      let anchor = Int(key & 0xffff)
      var low: UInt64 = 0
      swap(&own, &found[pass])
      defer { swap(&own, &found[pass]) }
      try segment.index.forEachStep(
        ofHash: UInt32(key >> 32), inSegment: segment.number, through: &group,
        where: { count in
          low = GateVotes.packed(
            anchor: anchor, weight: GateVotes.weight(count: count, mean: mean))
          return own.count + count <= GateVotes.voteCountMax
        },
        { step in own.append(UInt64(step) << 32 | low) })
    }
  }

  /// The best signatures now, best first, at most `countMax`.
  mutating func best(
    _ countMax: Int, cells: borrowing QueryCells, frameCount: Int, stage: Int, table: [UInt8],
    excluding excluded: Set<Int>
  ) -> [Track] {
    scan.fill(cells, frameCount: frameCount, stage: stage, table: table)
    tracks.removeAll(keepingCapacity: true)
    var excerpt = GateExcerpt()
    for number in hypotheses.indices {
      let countMax = number == 0 ? placeCountMax.trueSpeed : placeCountMax.other
      for candidate in votes[number].votes.best(
        countMax, distance: ScanLayout.blockOffsetCount / 2)
      {
        let place = space.place(ofStep: candidate.step)
        let signature = space.signatureIndex(of: place)
        if excluded.contains(signature) { continue }
        keep(
          scanned(place, hypothesis: number, frameCount: frameCount, through: &excerpt),
          of: signature)
      }
    }
    return bestTracks(countMax)
  }

  /// The best signatures when every offset of the outlines has been looked at as well, at the
  /// reference's own speed. Continues the last `best`, for the same frames.
  mutating func bestByOutline(
    _ countMax: Int, cells: borrowing QueryCells, frameCount: Int, table: [UInt8],
    excluding excluded: Set<Int>
  ) -> [Track] {
    outlineScan.fill(cells, table: table)
    var candidates: [OutlineScan.Candidate] = []
    for outline in space.outlines {
      for var candidate in outlineScan.best(placeCountMax.outline, in: outline.outline) ?? [] {
        candidate.signature += outline.firstSignature
        candidates.append(candidate)
      }
    }
    candidates.sort { ($1.sum, $0.signature, $0.step) < ($0.sum, $1.signature, $1.step) }
    var excerpt = GateExcerpt()
    for candidate in candidates.prefix(placeCountMax.outline)
    where !excluded.contains(candidate.signature) {
      let place = space.place(ofStep: candidate.step, inSignature: candidate.signature)
      keep(
        scanned(place, hypothesis: 0, frameCount: frameCount, through: &excerpt),
        of: candidate.signature)
    }
    return bestTracks(countMax)
  }

  /// The best of the 32 offsets around a place.
  private func scanned(
    _ place: GateSpace.Place, hypothesis number: Int, frameCount: Int,
    through excerpt: inout GateExcerpt
  ) -> Found {
    let first = place.step - ScanLayout.blockOffsetCount / 2
    let hypothesis = hypotheses[number]
    excerpt.take(
      reach(from: first, hypothesis: hypothesis, frameCount: frameCount), of: place, in: space)
    let best = scan.best(
      from: first, hypothesis: hypothesis, peaks: excerpt.peaks, base: excerpt.base)
    var place = place
    place.step = best.step
    return Found(place: place, hypothesis: number, sum: best.sum)
  }

  private func bestTracks(_ countMax: Int) -> [Track] {
    let all = tracks.values.sorted {
      ($1.found[0].sum, $0.signatureIndex) < ($0.found[0].sum, $1.signatureIndex)
    }
    return Array(all.prefix(countMax))
  }

  /// The frames of a signature that a block of offsets and the query after them reach.
  private func reach(from first: Int, hypothesis: Hypothesis, frameCount: Int) -> Range<Int> {
    let perStep = ScanLayout.framesPerStep
    let length = Int(Double(frameCount) * max(1, hypothesis.tempo))
    let start = (first - 2) * perStep
    return
      start..<(start + length + (ScanLayout.blockOffsetCount + 2 * ScanRows.stepCountMax) * perStep)
  }

  private mutating func keep(_ found: Found, of signature: Int) {
    guard var track = tracks[signature] else {
      tracks[signature] = Track(signatureIndex: signature, found: [found])
      return
    }
    let near = track.found.firstIndex {
      $0.hypothesis == found.hypothesis && abs($0.place.step - found.place.step) <= 2
    }
    if let near {
      if track.found[near].sum >= found.sum { return }
      track.found.remove(at: near)
    }
    let at = track.found.firstIndex { $0.sum < found.sum } ?? track.found.count
    track.found.insert(found, at: at)
    if track.found.count > Self.placesPerTrack { track.found.removeLast() }
    tracks[signature] = track
  }

  /// Forgets everything, for another query.
  mutating func reset() {
    let capacity = QueryAnalyzer.capacitySecondsMax * AnalyzerSettings.framesPerSecond
    peaks = GatePeaks(frameCapacity: Int(capacity))
    for index in passes.indices { passes[index].peakCount = 0 }
    for votes in votes { votes.votes.reset() }
    scan.reset()
    outlineScan.reset()
    tracks.removeAll()
  }
}
