/// A stretch of sound that stands at two places: in two signatures, or twice in one.
public struct SharedPassage: Sendable, Hashable {
  /// A place: a signature of the catalog, and the frame of it at which the passage begins.
  public struct Place: Sendable, Hashable, Comparable {
    /// The signature within its catalog.
    public var signatureIndex: Int
    /// Frames of 16 ms from the signature's beginning.
    public var frame: Int

    /// Names a place.
    public init(signatureIndex: Int, frame: Int) {
      self.signatureIndex = signatureIndex
      self.frame = frame
    }

    /// Orders places by signature, then by frame.
    public static func < (one: Self, other: Self) -> Bool {
      (one.signatureIndex, one.frame) < (other.signatureIndex, other.frame)
    }
  }

  /// The place that comes first in the catalog.
  public var first: Place
  /// The place that comes after it.
  public var second: Place
  /// How long the passage is, in frames of 16 ms.
  public var frameCount: Int
  /// The share of the first place's peaks that the second has too, in thousandths: 600 to 1,000 for
  /// another coding of a recording, less where more is heard at one of the places.
  public var likeness: Int

  /// Describes a passage.
  public init(first: Place, second: Place, frameCount: Int, likeness: Int) {
    self.first = first
    self.second = second
    self.frameCount = frameCount
    self.likeness = likeness
  }
}

/// Whether a catalog is written with the passages that its signatures share.
public enum PassageChoice: Sendable, Hashable {
  /// They are looked for and recorded.
  case record
  /// They are left for later, and the file says so.
  case later
  /// The file says nothing of them: a single signature, which has nobody to share with.
  case never
}

extension SharedPassage {
  /// Looks for passages in several catalogs at once, in the order of their first places.
  ///
  /// Signatures are counted one after the other. Where one catalog has recorded its own, nothing is
  /// looked for. Takes about 0.2 s an hour of sound; nil for more than 19,000 hours. Throws where a
  /// catalog is damaged.
  public static func find(in catalogs: [Catalog]) throws(CatalogError) -> [SharedPassage]? {
    if let only = catalogs.first, catalogs.count == 1, only.hasPassages { return only.passages }
    return try PassageFinder().find(CatalogsSource(catalogs))
  }
}

extension SharedPassage {
  /// The passage around some frames of a signature that stands `distance` frames further in another
  /// one, of the same catalog or of a second; nil where the two don't hold the same sound there.
  ///
  /// Places count signatures within their own catalogs. Takes about 1 ms for two songs. Throws where
  /// a catalog is damaged.
  public static func around(
    _ frames: Range<Int>, of first: (catalog: Catalog, signatureIndex: Int),
    distance: Int, in second: (catalog: Catalog, signatureIndex: Int)
  ) throws(CatalogError) -> SharedPassage? {
    let comparison = PassageComparison(
      try PassagePeaks(of: first.signatureIndex, in: first.catalog),
      try PassagePeaks(of: second.signatureIndex, in: second.catalog))
    guard let stretch = comparison.stretch(around: frames, distance: distance) else { return nil }
    return SharedPassage(
      first: Place(signatureIndex: first.signatureIndex, frame: stretch.range.lowerBound),
      second: Place(
        signatureIndex: second.signatureIndex, frame: stretch.range.lowerBound + stretch.distance),
      frameCount: stretch.range.count, likeness: stretch.likeness)
  }
}

extension PassagePeaks {
  fileprivate init(of signatureIndex: Int, in catalog: Catalog) throws(CatalogError) {
    self.init(frameCount: catalog.frameCount(ofSignature: signatureIndex))
    self = try catalog.withPeaks(ofSignature: signatureIndex) { [self] words in
      var filled = self
      filled.take(words)
      return filled
    }
  }
}

/// The signatures of catalogs, counted one after the other and checked as they are read.
private struct CatalogsSource: IndexSource {
  let places: [(catalog: Catalog, index: Int)]

  init(_ catalogs: [Catalog]) {
    places = catalogs.flatMap { catalog in (0..<catalog.signatureCount).map { (catalog, $0) } }
  }

  var signatureCount: Int { places.count }
  func frameCount(ofSignature index: Int) -> Int {
    places[index].catalog.frameCount(ofSignature: places[index].index)
  }
  func peakCount(ofSignature index: Int) -> Int {
    places[index].catalog.peakCount(ofSignature: places[index].index)
  }
  func withWords(ofSignature index: Int, _ body: (Span<UInt16>) -> Void) throws(CatalogError) {
    try places[index].catalog.withPeaks(ofSignature: places[index].index, body)
  }
}

extension Catalog {
  /// The passages that two places share, in the order of the first place, then of the second.
  ///
  /// Not every pair of places is recorded: a passage that stands at many is a chain of pairs. Empty
  /// where nobody has looked.
  public var passages: [SharedPassage] { recordedPassages?.passages ?? [] }

  /// Whether shared passages have been looked for; if not, there may be some.
  public var hasPassages: Bool { recordedPassages?.isSearched ?? false }
}
