internal import EarshotCatalog
internal import EarshotSignature

/// The passages that the signatures of a search space share, by signature.
///
/// What catalogs record is a chain: the first place with the second, the second with the third. Asked
/// for a place, the map follows the chain to all others.
struct PassageMap: Sendable {
  /// One passage, seen from one of its two places.
  private struct Link {
    var frames: Range<Int>
    var other: Int
    /// Frames from a place of this signature to the same sound in the other.
    var distance: Int
  }

  /// Another place of the sound at a place that was asked for.
  struct Twin: Sendable, Hashable {
    /// Its signature, counted over all catalogs.
    var signatureIndex: Int
    /// Frames from the place that was asked for to this one.
    var distance: Int
    /// The frames, of the signature that was asked for, over which both are the same sound.
    var frames: Range<Int>
  }

  private let links: [Link]
  /// For each signature its first link; one more at the end.
  private let firstLink: [Int]

  /// The most places that are found for one.
  static let twinCountMax = 100
  /// Frames by which two chains to one place may differ.
  private static let sameDistance = 3

  /// Takes the passages of catalogs, whose signatures are counted one after the other.
  init(_ catalogs: [Catalog]) {
    var bySignature: [(signature: Int, link: Link)] = []
    var first = 0
    for catalog in catalogs {
      for passage in catalog.passages {
        let (one, other) = (passage.first, passage.second)
        let distance = other.frame - one.frame
        let count = passage.frameCount
        bySignature.append(
          (
            first + one.signatureIndex,
            Link(
              frames: one.frame..<(one.frame + count), other: first + other.signatureIndex,
              distance: distance)
          ))
        bySignature.append(
          (
            first + other.signatureIndex,
            Link(
              frames: other.frame..<(other.frame + count), other: first + one.signatureIndex,
              distance: -distance)
          ))
      }
      first += catalog.signatureCount
    }
    bySignature.sort {
      ($0.signature, $0.link.frames.lowerBound, $0.link.other, $0.link.distance)
        < ($1.signature, $1.link.frames.lowerBound, $1.link.other, $1.link.distance)
    }
    links = bySignature.map(\.link)
    var firstLink: [Int] = []
    for (index, entry) in bySignature.enumerated() {
      while firstLink.count <= entry.signature { firstLink.append(index) }
    }
    while firstLink.count <= first { firstLink.append(bySignature.count) }
    self.firstLink = firstLink
  }

  /// Whether there is nothing to look up.
  var isEmpty: Bool { links.isEmpty }

  /// Of so many frames that were heard, how many a twin has to share.
  static func sharedFrameCountMin(of frames: Range<Int>) -> Int {
    min(frames.count / 2 + 1, Int(AnalyzerSettings.framesPerSecond))
  }

  /// The other places that hold the sound of `frames`, or a good part of it: half, or a second.
  func twins(ofSignature signature: Int, frames: Range<Int>) -> [Twin] {
    guard !isEmpty, frames.count > 0 else { return [] }
    let least = Self.sharedFrameCountMin(of: frames)
    // Where the sound that was asked for is by now, and what of it is still the same there.
    var places = [Twin(signatureIndex: signature, distance: 0, frames: 0..<Int.max)]
    var next = 0
    while next < places.count, places.count <= Self.twinCountMax {
      let place = places[next]
      next += 1
      guard place.signatureIndex + 1 < firstLink.count else { continue }
      for link in links[firstLink[place.signatureIndex]..<firstLink[place.signatureIndex + 1]] {
        let own =
          (link.frames.lowerBound - place.distance)..<(link.frames.upperBound - place.distance)
        let shared = own.clamped(to: place.frames)
        guard shared.clamped(to: frames).count >= least else { continue }
        let twin = Twin(
          signatureIndex: link.other, distance: place.distance + link.distance, frames: shared)
        let isKnown = places.contains {
          $0.signatureIndex == twin.signatureIndex
            && abs($0.distance - twin.distance) <= Self.sameDistance
        }
        if !isKnown { places.append(twin) }
      }
    }
    return Array(places.dropFirst().prefix(Self.twinCountMax))
  }
}
