internal import EarshotSignature

/// Finds the passages that signatures share, in time that grows about as the hours do.
///
/// Every signature lies on one axis of frames. The same key (`IndexKey`) at two places of it is a
/// link, told by its distance and its place; each occurrence of a key is linked with a few of the
/// next ones only, so that a passage which stands everywhere costs no more than its length each
/// time. Links of one distance that follow each other make a candidate, and what the peaks of both
/// places really have in common decides how far it reaches and whether it is recorded.
struct PassageFinder {
  /// Keys that are held at a time. A catalog that has more keeps those with the lowest hashes, the
  /// same ones at all places: from 50 hours on shorter passages begin to go unnoticed.
  var keyCountMax = 1 << 24
  /// Links that are held at a time.
  private static let linkCountMax = 1 << 24
  /// Later occurrences in the same signature, and later signatures, that one is linked to.
  private static let reach = (repeats: 2, signatures: 3)
  /// Occurrences in a signature that are linked to other signatures.
  private static let startCount = 2
  /// Frames between two occurrences in a signature, at least: nearer, a passage overlaps itself.
  private static let distanceMin = 62
  /// Links of one distance that make a candidate, at least, and the most frames between two.
  private static let run = (links: 6, gap: 190)
  /// Passages of two signatures, and of one with itself, that are recorded at most.
  private static let perPair = (two: 16, one: 32)

  /// Two places with the same key: the distance above, the place of the first below.
  private struct Link {
    let word: UInt64
    init(distance: Int, place: Int) {
      word = UInt64(truncatingIfNeeded: distance) << 32 | UInt64(truncatingIfNeeded: place)
    }
    var distance: Int { Int(word >> 32) }
    var place: Int { Int(word & 0xffff_ffff) }
  }

  /// What links suggest: places on the axis of all frames.
  private struct Candidate {
    var distance: Int
    var range: Range<Int>
    var linkCount: Int
  }

  /// Looks for all shared passages. Nil when there are more frames than the axis can count, which
  /// is 19,000 hours.
  ///
  /// `report` is told the share of the work that is done, as near as it can be told; what it throws
  /// ends the work.
  func find(
    _ source: some IndexSource, report: (Double) throws(CatalogError) -> Void = { _ in }
  ) throws(CatalogError) -> [SharedPassage]? {
    var starts = [0]
    for index in 0..<source.signatureCount {
      starts.append(starts[index] + source.frameCount(ofSignature: index))
    }
    guard starts[source.signatureCount] < Int(UInt32.max) else { return nil }
    let keys = try keys(of: source, starts: starts) { (share: Double) throws(CatalogError) in
      try report(0.4 * share)
    }
    let links = try links(of: keys, starts: starts) { (share: Double) throws(CatalogError) in
      try report(0.4 + 0.4 * share)
    }
    let candidates = candidates(of: links, starts: starts)
    return try confirmed(candidates, source, starts: starts) {
      (share: Double) throws(CatalogError) in try report(0.8 + 0.2 * share)
    }
  }

  /// All keys with their places, sorted: the hash above, the place below.
  private func keys(
    of source: some IndexSource, starts: [Int], report: (Double) throws(CatalogError) -> Void
  ) throws(CatalogError) -> [UInt64] {
    var strongCount = 0
    for index in 0..<source.signatureCount {
      strongCount += source.peakCount(ofSignature: index) / 4
    }
    // A strong peak makes about four keys. The limit is on the hash, so that every place of a key
    // is kept, or none.
    let share = min(1, Double(keyCountMax) / Double(max(1, 4 * strongCount)))
    let highest = UInt32(share * Double(UInt32.max))
    var keys: [UInt64] = []
    keys.reserveCapacity(min(keyCountMax, 4 * strongCount))
    var peaks = IndexedPeaks()
    for index in 0..<source.signatureCount {
      try report(Double(index) / Double(source.signatureCount))
      try source.withWords(ofSignature: index) { peaks.take($0) }
      let start = starts[index]
      peaks.forEachKey { frame, hash in
        guard hash <= highest, keys.count < 2 * keyCountMax else { return }
        keys.append(UInt64(hash) << 32 | UInt64(truncatingIfNeeded: start + frame))
      }
    }
    keys.sort()
    return keys
  }

  /// The links that others of nearly the same distance and place support, sorted by distance.
  private func links(
    of keys: [UInt64], starts: [Int], report: (Double) throws(CatalogError) -> Void
  ) throws(CatalogError) -> [Link] {
    // Most links are chance. A table of counts, in which neighbours share a cell, tells them before
    // they are kept: of what it lets pass, candidates need more.
    var counts = [UInt8](repeating: 0, count: 1 << 24)
    func cell(_ link: Link) -> Int {
      let word = UInt64(link.distance >> 2) << 24 ^ UInt64(link.place >> 9)
      return Int((word &* 0x9e37_79b9_7f4a_7c15) >> 40)
    }
    try forEachLink(
      of: keys, starts: starts,
      report: { (share: Double) throws(CatalogError) in try report(share / 2) }
    ) { link in
      let index = cell(link)
      if counts[index] < 3 { counts[index] += 1 }
    }
    var links: [Link] = []
    try forEachLink(
      of: keys, starts: starts,
      report: { (share: Double) throws(CatalogError) in try report(0.5 + share / 2) }
    ) { link in
      guard counts[cell(link)] == 3, links.count < Self.linkCountMax else { return }
      links.append(link)
    }
    links.sort { $0.word < $1.word }
    return links
  }

  /// Keys after which it is told how far the links have come.
  private static let keysPerReport = 1 << 16

  private func forEachLink(
    of keys: [UInt64], starts: [Int], report: (Double) throws(CatalogError) -> Void,
    _ body: (Link) -> Void
  ) throws(CatalogError) {
    var reported = 0
    var groups: [(places: Range<Int>, signature: Int)] = []
    var from = 0
    while from < keys.count {
      var end = from + 1
      let hash = keys[from] >> 32
      while end < keys.count, keys[end] >> 32 == hash { end += 1 }
      if from >= reported {
        try report(Double(from) / Double(keys.count))
        reported = from + Self.keysPerReport
      }
      defer { from = end }
      guard end - from > 1 else { continue }
      groups.removeAll(keepingCapacity: true)
      var index = from
      while index < end {
        let place = Int(keys[index] & 0xffff_ffff)
        let signature = Self.signature(at: place, starts: starts)
        var next = index + 1
        while next < end, Int(keys[next] & 0xffff_ffff) < starts[signature + 1] { next += 1 }
        groups.append((index..<next, signature))
        index = next
      }
      for (number, group) in groups.enumerated() {
        for index in group.places {
          let place = Int(keys[index] & 0xffff_ffff)
          for next in (index + 1)..<max(index + 1, min(group.places.upperBound, index + 8)) {
            let distance = Int(keys[next] & 0xffff_ffff) - place
            if distance < Self.distanceMin { continue }
            body(Link(distance: distance, place: place))
            if next > index + Self.reach.repeats { break }
          }
        }
        for index in group.places.prefix(Self.startCount) {
          let place = Int(keys[index] & 0xffff_ffff)
          for other in groups[(number + 1)...].prefix(Self.reach.signatures) {
            for next in other.places.prefix(Self.startCount) {
              body(Link(distance: Int(keys[next] & 0xffff_ffff) - place, place: place))
            }
          }
        }
      }
    }
  }

  /// Stretches in which links of one distance, give or take a frame, follow each other.
  private func candidates(of links: [Link], starts: [Int]) -> [Candidate] {
    var candidates: [Candidate] = []
    var from = 0
    while from < links.count {
      let distance = links[from].distance
      var end = from
      while end < links.count, links[end].distance == distance { end += 1 }
      var near = end
      while near < links.count, links[near].distance <= distance + 1 { near += 1 }
      let places = (from..<near).map { links[$0].place }.sorted()
      from = end
      var first = 0
      while first < places.count {
        let signature = Self.signature(at: places[first], starts: starts)
        let other = Self.signature(at: places[first] + distance, starts: starts)
        let limit = min(starts[signature + 1], starts[other + 1] - distance)
        var last = first + 1
        while last < places.count, places[last] < limit,
          places[last] - places[last - 1] <= Self.run.gap
        { last += 1 }
        if last - first >= Self.run.links {
          candidates.append(
            Candidate(
              distance: distance, range: places[first]..<(places[last - 1] + 1),
              linkCount: last - first))
        }
        first = last
      }
    }
    return candidates
  }

  /// Compares the peaks at both places of every candidate, and keeps what they share.
  private func confirmed(
    _ candidates: [Candidate], _ source: some IndexSource, starts: [Int],
    report: (Double) throws(CatalogError) -> Void
  ) throws(CatalogError) -> [SharedPassage] {
    var byPair: [[Int]: [Candidate]] = [:]
    for candidate in candidates {
      let first = Self.signature(at: candidate.range.lowerBound, starts: starts)
      let second = Self.signature(
        at: candidate.range.lowerBound + candidate.distance, starts: starts)
      byPair[[first, second], default: []].append(candidate)
    }
    var passages: [SharedPassage] = []
    var one: (index: Int, peaks: PassagePeaks)?
    let pairs = byPair.keys.sorted(by: { $0.lexicographicallyPrecedes($1) })
    for (number, pair) in pairs.enumerated() {
      try report(Double(number) / Double(byPair.count))
      if one?.index != pair[0] { one = (pair[0], try Self.peaks(of: pair[0], source)) }
      guard let first = one?.peaks, let found = byPair[pair] else { continue }
      let second = pair[0] == pair[1] ? first : try Self.peaks(of: pair[1], source)
      let most = pair[0] == pair[1] ? Self.perPair.one : Self.perPair.two
      var kept: [SharedPassage] = []
      for candidate in found.sorted(by: { $0.linkCount > $1.linkCount }).prefix(4 * most) {
        let distance = candidate.distance + starts[pair[0]] - starts[pair[1]]
        let lower = candidate.range.lowerBound - starts[pair[0]]
        let range = lower..<(candidate.range.upperBound - starts[pair[0]])
        let isKnown = kept.contains {
          abs($0.second.frame - $0.first.frame - distance) <= 3
            && $0.first.frame <= range.lowerBound
            && range.upperBound <= $0.first.frame + $0.frameCount
        }
        if isKnown || kept.count == most { continue }
        guard
          let shared = PassageComparison(first, second).stretch(
            around: range, distance: distance)
        else { continue }
        kept.append(
          SharedPassage(
            first: .init(signatureIndex: pair[0], frame: shared.range.lowerBound),
            second: .init(
              signatureIndex: pair[1], frame: shared.range.lowerBound + shared.distance),
            frameCount: shared.range.count, likeness: shared.likeness))
      }
      passages += kept
    }
    return Self.ordered(passages)
  }

  /// In order, each once, and no more than a file holds: the longest.
  private static func ordered(_ passages: [SharedPassage]) -> [SharedPassage] {
    var longest = passages
    if passages.count > RecordedPassages.countMax {
      longest.sort { ($1.frameCount, $0.first, $0.second) < ($0.frameCount, $1.first, $1.second) }
      longest.removeLast(passages.count - RecordedPassages.countMax)
    }
    longest.sort { ($0.first, $0.second, $1.frameCount) < ($1.first, $1.second, $0.frameCount) }
    var ordered: [SharedPassage] = []
    for passage in longest {
      if let last = ordered.last, (last.first, last.second) == (passage.first, passage.second) {
        continue
      }
      ordered.append(passage)
    }
    return ordered
  }

  private static func peaks(of index: Int, _ source: some IndexSource) throws(CatalogError)
    -> PassagePeaks
  {
    var peaks = PassagePeaks(frameCount: source.frameCount(ofSignature: index))
    try source.withWords(ofSignature: index) { peaks.take($0) }
    return peaks
  }

  /// The signature in which a place of the axis lies.
  private static func signature(at place: Int, starts: [Int]) -> Int {
    var (low, high) = (0, starts.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= place { low = middle } else { high = middle }
    }
    return low
  }
}
