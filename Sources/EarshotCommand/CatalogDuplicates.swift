internal import EarshotCatalog
internal import EarshotClient
internal import EarshotSignature

/// `earshot catalog duplicates`: sound that is in catalogs more than once, in whatever coding.
///
/// Rests on the passages that signatures share, which catalogs record; for several catalogs, or one
/// that has not recorded them, they are looked for.
struct CatalogDuplicates {
  /// Two sounds that share something.
  struct Pair: Sendable, Hashable {
    var first: Int
    var second: Int
    /// Where and how long they share it, the longest first.
    var passages: [SharedPassage]
    /// Frames of the shorter sound that the other has too, all at one distance.
    var frameCount: Int
    /// Frames by which that sound is later in the second.
    var distance: Int
    /// The share of it in the shorter sound.
    var share: Double
  }

  /// The share from which on two sounds are called the same throughout.
  static let throughoutMin = 0.8
  /// Frames within which two distances are one.
  private static let sameDistance = 3

  /// What pairs of different sounds share, those that share most first.
  static func pairs(_ passages: [SharedPassage], frameCounts: [Int]) -> [Pair] {
    var byPair: [[Int]: [SharedPassage]] = [:]
    for passage in passages
    where passage.first.signatureIndex != passage.second.signatureIndex {
      byPair[[passage.first.signatureIndex, passage.second.signatureIndex], default: []]
        .append(passage)
    }
    var pairs: [Pair] = []
    for (key, found) in byPair {
      let shorter = max(1, min(frameCounts[key[0]], frameCounts[key[1]]))
      var pair = Pair(
        first: key[0], second: key[1], passages: found.sorted { $0.frameCount > $1.frameCount },
        frameCount: 0, distance: 0, share: 0)
      for passage in found {
        let distance = passage.second.frame - passage.first.frame
        let count = covered(
          found.filter { abs($0.second.frame - $0.first.frame - distance) <= sameDistance })
        if count > pair.frameCount { (pair.frameCount, pair.distance) = (count, distance) }
      }
      pair.share = min(1, Double(pair.frameCount) / Double(shorter))
      pairs.append(pair)
    }
    return pairs.sorted {
      ($1.share, $1.frameCount, $0.first, $0.second)
        < ($0.share, $0.frameCount, $1.first, $1.second)
    }
  }

  /// Frames of the first sound that passages cover, each counted once.
  private static func covered(_ passages: [SharedPassage]) -> Int {
    var (count, end) = (0, 0)
    for passage in passages.sorted(by: { $0.first.frame < $1.first.frame }) {
      let upper = passage.first.frame + passage.frameCount
      count += max(0, upper - max(end, passage.first.frame))
      end = max(end, upper)
    }
    return count
  }
}

extension CatalogDuplicates {
  /// One sound of the catalogs that were named.
  private struct Sound {
    var identifiers: [String]
    var content: UInt64
    var frameCount: Int
  }

  /// Prints what is in the catalogs more than once.
  static func run(_ paths: [[UInt8]], json: Bool, console: Console) throws(CommandError) -> Int32 {
    let catalogs = try paths.map { path throws(CommandError) in try CatalogLooks.open(path) }
    var sounds: [Sound] = []
    var passages: [SharedPassage] = []
    var path = paths[0]
    do throws(CatalogError) {
      for (catalog, name) in zip(catalogs, paths) {
        path = name
        for index in 0..<catalog.signatureCount {
          var names: [String] = []
          for item in catalog.itemIndices(ofSignature: index) {
            names.append(try catalog.item(item).id)
          }
          sounds.append(
            Sound(
              identifiers: names, content: catalog.contentHash(ofSignature: index),
              frameCount: catalog.frameCount(ofSignature: index)))
        }
        // What can't be read is found here, where it is known which file it is in.
        for index in 0..<catalog.signatureCount {
          try catalog.withPeaks(ofSignature: index) { _ in }
        }
      }
      guard let found = try SharedPassage.find(in: catalogs) else { throw CatalogError.tooLarge }
      passages = found
    } catch {
      throw CatalogText.explained(error, path: path)
    }
    for sound in sounds where sound.identifiers.count > 1 {
      let others = Array(sound.identifiers.dropFirst())
      let whole = Pair(
        first: 0, second: 0, passages: [], frameCount: sound.frameCount, distance: 0, share: 1)
      show(sound.identifiers[0], others, whole, isSame: true, json, console)
    }
    for pair in pairs(passages, frameCounts: sounds.map(\.frameCount)) {
      let (first, second) = (sounds[pair.first], sounds[pair.second])
      guard let name = first.identifiers.first else { continue }
      show(
        name, second.identifiers, pair, isSame: first.content == second.content, json, console)
    }
    return 0
  }

  private static func show(
    _ first: String, _ others: [String], _ pair: Pair, isSame: Bool, _ json: Bool,
    _ console: Console
  ) {
    if json {
      let passages = pair.passages.map { passage in
        JSONText.object([
          .init("first", .number(seconds(passage.first.frame), digits: 2)),
          .init("second", .number(seconds(passage.second.frame), digits: 2)),
          .init("seconds", .number(seconds(passage.frameCount), digits: 2)),
          .init("likeness", .number(Double(passage.likeness) / 1000, digits: 3)),
        ])
      }
      console.print(
        JSONText.object([
          .init("version", 1), .init("id", .string(first)),
          .init("duplicates", .array(others.map { .string($0) })),
          .init("identical", .bool(isSame)), .init("share", .number(pair.share, digits: 2)),
          .init("offset", .number(seconds(-pair.distance), digits: 2)),
          .init("seconds", .number(seconds(pair.frameCount), digits: 2)),
          .init("passages", .array(passages)),
        ]).text)
      return
    }
    let names = others.map(Shown.text).joined(separator: ", ")
    console.print("\(Shown.text(first))\t\(names)\t\(isSame ? "the same sound" : text(pair))")
  }

  private static func text(_ pair: Pair) -> String {
    guard let longest = pair.passages.first else { return "" }
    if pair.share >= throughoutMin {
      // Another coding keeps most peaks; with other sound over it, fewer are left.
      let shift = seconds(-pair.distance)
      return "the same throughout, with \((longest.likeness + 5) / 10) % of its peaks"
        + (abs(shift) < 0.02 ? "" : ", shifted by \(JSONText.plain(shift, digits: 2)) s")
    }
    let others = pair.passages.count - 1
    return "\(JSONText.plain(seconds(longest.frameCount), digits: 1)) s the same, at "
      + "\(JSONText.plain(seconds(longest.first.frame), digits: 1)) s and "
      + "\(JSONText.plain(seconds(longest.second.frame), digits: 1)) s"
      + (others > 0 ? ", and \(others) more" : "")
  }

  private static func seconds(_ frames: Int) -> Double {
    Double(frames) / AnalyzerSettings.framesPerSecond
  }
}
