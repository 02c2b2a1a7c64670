internal import EarshotCatalog
internal import EarshotClient
internal import EarshotSignature

/// `earshot catalog duplicates`: sound that is in catalogs more than once, in whatever coding.
///
/// Identical signatures are told first. For the others, the strongest peaks of each sound are made
/// into marks of two bins and the time between them; marks that two sounds share, at the same
/// distance in time, vote for one being a copy of the other. Only a part of the marks is looked
/// at, the smaller the more hours there are, so that memory stays bounded.
struct CatalogDuplicates {
  /// Two sounds that share most of the shorter one.
  struct Pair: Sendable, Hashable {
    var first: Int
    var second: Int
    /// The share of the shorter sound's marks that the other has at the same places.
    var share: Double
    /// Where the second sound begins in the first one, in seconds.
    var offset: Double
  }

  private struct Mark {
    var key: UInt32
    var sound: Int32
    var frame: Int32
  }

  /// The share of marks from which on two sounds are called copies.
  static let shareMin = 0.15
  private static let votesMin = 8
  private static let marksMax = 4_000_000
  private static let sameKeyMax = 24

  private var marks: [Mark] = []
  private var markCounts: [Int] = []
  private let sampling: UInt32

  /// Prepares for so many seconds of sound in all.
  init(seconds: Double) {
    // About 40 marks a second, of which at most `marksMax` are kept in all.
    sampling = UInt32(max(1, (seconds * 40 / Double(Self.marksMax)).rounded(.up)))
  }

  /// Takes the peaks of the next sound.
  mutating func append(_ peaks: Span<UInt16>) {
    let sound = Int32(markCounts.count)
    var strong: [(frame: Int, bin: Int)] = []
    PackedPeak.forEach(in: peaks) { frame, peak in
      if peak.peakClass & 3 == 3 { strong.append((frame, peak.bin)) }
    }
    let before = marks.count
    for index in strong.indices {
      let anchor = strong[index]
      for other in strong[(index + 1)...].prefix(3) {
        let step = other.frame - anchor.frame
        guard (1...63).contains(step) else { continue }
        // Codings move a peak by a bin now and then: pairs of bins are one.
        let key = UInt32(anchor.bin / 2) << 14 | UInt32(other.bin / 2) << 6 | UInt32(step)
        guard key &* 0x9E37_79B1 >> 8 % sampling == 0 else { continue }
        marks.append(Mark(key: key, sound: sound, frame: Int32(anchor.frame)))
      }
    }
    markCounts.append(marks.count - before)
  }

  /// The pairs found, the most alike first.
  mutating func pairs() -> [Pair] {
    marks.sort { ($0.key, $0.sound) < ($1.key, $1.sound) }
    var votes: [Vote: Int] = [:]
    var start = 0
    while start < marks.count {
      var end = start
      while end < marks.count, marks[end].key == marks[start].key { end += 1 }
      // A mark that everyone has tells nothing.
      if end - start <= Self.sameKeyMax {
        for first in start..<end {
          for second in (first + 1)..<max(first + 1, end)
          where marks[first].sound != marks[second].sound {
            let offset = marks[first].frame - marks[second].frame
            let vote = Vote(
              first: marks[first].sound, second: marks[second].sound, offset: offset >> 1)
            votes[vote, default: 0] += 1
          }
        }
      }
      start = end
    }
    return best(of: votes)
  }

  private struct Vote: Hashable {
    var first: Int32
    var second: Int32
    var offset: Int32
  }

  private func best(of votes: [Vote: Int]) -> [Pair] {
    var found: [[Int32]: Pair] = [:]
    for (vote, count) in votes where count >= Self.votesMin / 2 {
      // A distance at the edge of two steps is divided between them.
      let next = Vote(first: vote.first, second: vote.second, offset: vote.offset + 1)
      let both = count + (votes[next] ?? 0)
      let fewest = min(markCounts[Int(vote.first)], markCounts[Int(vote.second)])
      let share = Double(both) / Double(max(1, fewest))
      guard both >= Self.votesMin, share >= Self.shareMin else { continue }
      let key = [vote.first, vote.second]
      if share > found[key]?.share ?? 0 {
        found[key] = Pair(
          first: Int(vote.first), second: Int(vote.second), share: min(1, share),
          offset: Double(2 * vote.offset + 1) / AnalyzerSettings.framesPerSecond)
      }
    }
    return found.values.sorted { ($1.share, $0.first, $0.second) < ($0.share, $1.first, $1.second) }
  }
}

extension CatalogDuplicates {
  /// One sound of the catalogs that were named.
  private struct Sound {
    var identifiers: [String]
    var content: UInt64
    var seconds: Double
  }

  /// Prints what is in the catalogs more than once.
  static func run(_ paths: [[UInt8]], json: Bool, console: Console) throws(CommandError) -> Int32 {
    let catalogs = try paths.map { path throws(CommandError) in try CatalogLooks.open(path) }
    var search = CatalogDuplicates(seconds: catalogs.reduce(0) { $0 + $1.duration })
    var sounds: [Sound] = []
    for (catalog, path) in zip(catalogs, paths) {
      do throws(CatalogError) {
        for index in 0..<catalog.signatureCount {
          try catalog.withPeaks(ofSignature: index) { search.append($0) }
          var names: [String] = []
          for item in catalog.itemIndices(ofSignature: index) {
            names.append(try catalog.item(item).id)
          }
          let samples = catalog.sampleCount(ofSignature: index)
          sounds.append(
            Sound(
              identifiers: names, content: catalog.contentHash(ofSignature: index),
              seconds: Double(samples) / Double(AnalyzerSettings.sampleRate)))
        }
      } catch {
        throw CatalogText.explained(error, path: path)
      }
    }
    for sound in sounds where sound.identifiers.count > 1 {
      show(sound.identifiers[0], Array(sound.identifiers.dropFirst()), 1, 0, true, json, console)
    }
    for pair in search.pairs() {
      let (first, second) = (sounds[pair.first], sounds[pair.second])
      let isSame = first.content == second.content
      show(
        first.identifiers[0], second.identifiers, pair.share, pair.offset, isSame, json, console)
    }
    return 0
  }

  private static func show(
    _ first: String, _ others: [String], _ share: Double, _ offset: Double, _ isSame: Bool,
    _ json: Bool, _ console: Console
  ) {
    if json {
      console.print(
        JSONText.object([
          .init("version", 1), .init("id", .string(first)),
          .init("duplicates", .array(others.map { .string($0) })),
          .init("identical", .bool(isSame)), .init("share", .number(share, digits: 2)),
          .init("offset", .number(offset, digits: 2)),
        ]).text)
      return
    }
    let names = others.map(Shown.text).joined(separator: ", ")
    let kind =
      isSame
      ? "the same sound"
      : "\(Int((share * 100).rounded())) % alike, shifted by \(JSONText.plain(offset, digits: 2)) s"
    console.print("\(Shown.text(first))\t\(names)\t\(kind)")
  }
}
