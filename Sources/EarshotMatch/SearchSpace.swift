public import EarshotCatalog
public import EarshotSignature
import Synchronization

/// Everything that a query is searched in: the signatures of one or more catalogs.
///
/// Making one is cheap: peaks are read, checked and laid out for the scan when they are first
/// needed, once, and then shared by all matchers.
public final class SearchSpace: Sendable {
  /// Takes catalogs; candidates name them by their place in this list.
  ///
  /// - Throws: `MatchError.emptySearchSpace` or `.searchSpaceTooLarge`.
  public init(_ catalogs: [Catalog]) throws(MatchError) {
    self.catalogs = catalogs
    signatures = []
    var places: [Place] = []
    var frameCount = 0
    var peakCount = 0
    for (catalogIndex, catalog) in catalogs.enumerated() {
      for signatureIndex in 0..<catalog.signatureCount {
        places.append(Place(catalogIndex: catalogIndex, signatureIndex: signatureIndex))
        frameCount += catalog.frameCount(ofSignature: signatureIndex)
        peakCount += catalog.peakCount(ofSignature: signatureIndex)
      }
    }
    self.places = places
    self.peakCount = peakCount
    isGated = frameCount >= Self.gatedFrameCountMin
    guard !places.isEmpty else { throw .emptySearchSpace }
  }

  /// Takes catalogs and searches them by their indexes, however small they are.
  @_spi(Training) public init(indexed catalogs: [Catalog]) {
    self.catalogs = catalogs
    signatures = []
    places = catalogs.enumerated().flatMap { number, catalog in
      (0..<catalog.signatureCount).map { Place(catalogIndex: number, signatureIndex: $0) }
    }
    peakCount = 0
    isGated = true
  }

  /// Takes signatures that are already in memory, as one catalog whose items are these signatures.
  ///
  /// - Throws: `MatchError.emptySearchSpace` or `.searchSpaceTooLarge`.
  public init(signatures: [Signature]) throws(MatchError) {
    catalogs = []
    self.signatures = signatures
    places = signatures.indices.map { Place(catalogIndex: 0, signatureIndex: $0) }
    peakCount = signatures.reduce(0) { $0 + $1.peakCount }
    isGated = false
    try Self.check(
      signatureCount: signatures.count,
      frameCount: signatures.reduce(0) { $0 + $1.frameCount })
  }

  /// The longest sound that is searched in without an index, all references together: 500 hours.
  public static let frameCountMax = Int(500 * 3600 * AnalyzerSettings.framesPerSecond)

  /// The sound from which catalogs are searched by their indexes: below, looking at every offset
  /// costs less than it gains.
  static let gatedFrameCountMin = Int(
    Catalog.indexedHoursMin * 3600 * AnalyzerSettings.framesPerSecond)

  /// Whether the index chooses where to look.
  let isGated: Bool

  /// Where a signature comes from.
  struct Place: Sendable, Hashable {
    var catalogIndex: Int
    var signatureIndex: Int
  }

  /// The signatures, in the order in which the layout counts them.
  let places: [Place]
  let catalogs: [Catalog]

  private let signatures: [Signature]
  private let peakCount: Int
  private let laidOut = Mutex<ScanLayout?>(nil)
  private let openedGate = Mutex<GateSpace?>(nil)
  private let madePassages = Mutex<PassageMap?>(nil)

  private static func check(signatureCount: Int, frameCount: Int) throws(MatchError) {
    guard signatureCount > 0 else { throw .emptySearchSpace }
    guard frameCount <= frameCountMax else {
      throw .searchSpaceTooLarge(frameCount: frameCount, frameCountMax: frameCountMax)
    }
  }

  /// Does what the first look would have to do: opens the indexes, or lays the peaks out.
  ///
  /// For whoever may not lose time between opening a microphone and the first look. An index that no
  /// file holds is built here.
  ///
  /// - Throws: `MatchError.catalog` when a catalog is damaged.
  public func prepare() throws(MatchError) {
    if isGated { _ = try gate() } else { _ = try layout() }
    _ = passages
  }

  /// The passages that signatures share, as the catalogs have recorded them.
  var passages: PassageMap {
    madePassages.withLock { known in
      if let known { return known }
      let map = PassageMap(catalogs)
      known = map
      return map
    }
  }

  /// The indexes of the catalogs, opened at the first call.
  ///
  /// - Throws: `MatchError.catalog` when an index, or what it is built of, is damaged.
  func gate() throws(MatchError) -> GateSpace {
    let result = openedGate.withLock { known -> Result<GateSpace, MatchError> in
      if let known { return .success(known) }
      do throws(MatchError) {
        let gate = try GateSpace(catalogs)
        known = gate
        return .success(gate)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The peaks as the scan wants them; made at the first call, which takes about 2 ms an hour.
  ///
  /// - Throws: `MatchError.catalog` when a catalog's peaks are unreadable.
  func layout() throws(MatchError) -> ScanLayout {
    let result = laidOut.withLock { known -> Result<ScanLayout, MatchError> in
      if let known { return .success(known) }
      do throws(MatchError) {
        let layout = try layOut()
        known = layout
        return .success(layout)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func layOut() throws(MatchError) -> ScanLayout {
    var layout = ScanLayout()
    layout.reserve(peakCount: peakCount)
    for (index, signature) in signatures.enumerated() {
      layout.add(
        signature.packedPeaks.span, frameCount: signature.frameCount, signatureIndex: index)
    }
    guard !catalogs.isEmpty else { return layout }
    for index in places.indices { try add(signature: index, to: &layout) }
    return layout
  }

  /// Lays one signature of a catalog out after all others.
  ///
  /// - Throws: `MatchError.catalog` when its peaks are unreadable.
  func add(signature index: Int, to layout: inout ScanLayout) throws(MatchError) {
    let place = places[index]
    let catalog = catalogs[place.catalogIndex]
    let frameCount = catalog.frameCount(ofSignature: place.signatureIndex)
    do throws(CatalogError) {
      try catalog.withPeaks(ofSignature: place.signatureIndex) { peaks in
        layout.add(peaks, frameCount: frameCount, signatureIndex: index)
      }
    } catch {
      throw .catalog(index: place.catalogIndex, error)
    }
  }

  /// A layout that holds one signature and at least `count` others, where there are so many: all of
  /// them, or where an index is asked, others that are spread evenly.
  ///
  /// - Throws: `MatchError.catalog` when a catalog's peaks are unreadable.
  func layout(with signature: Int, others count: Int) throws(MatchError) -> ScanLayout {
    guard isGated else { return try layout() }
    var layout = ScanLayout()
    let others = (0..<count).map { (2 * $0 + 1) * places.count / (2 * count) }
    for index in Set(others + [signature]).sorted() { try add(signature: index, to: &layout) }
    return layout
  }

  /// The signature that an item stands on; nil when no catalog of the space holds the item.
  func signatureIndex(ofItem identifier: String) -> Int? {
    guard !catalogs.isEmpty else {
      return Int(identifier).flatMap { places.indices.contains($0) ? $0 : nil }
    }
    for (catalogIndex, catalog) in catalogs.enumerated() {
      // A catalog that can't be read has nothing to expect; the search of everything reports it.
      guard let item = try? catalog.index(ofItem: identifier) else { continue }
      let place = Place(
        catalogIndex: catalogIndex, signatureIndex: catalog.signatureIndex(ofItem: item))
      return places.firstIndex(of: place)
    }
    return nil
  }

  /// The items that a signature of the space stands for at a moment of it, or all when none does.
  func itemIndices(ofSignature index: Int, at seconds: Double, speed: Double?) -> [Int] {
    let place = places[index]
    guard place.catalogIndex < catalogs.count else { return [place.signatureIndex] }
    let catalog = catalogs[place.catalogIndex]
    let all = catalog.itemIndices(ofSignature: place.signatureIndex)
    return all.filter { itemIndex in
      // An item that can't be read is named all the same: whoever shows it reports the fault.
      guard let item = try? catalog.item(itemIndex) else { return true }
      if let range = item.speedRange, let speed, speed < range.low || speed > range.high {
        return false
      }
      return item.timeRanges.isEmpty
        || item.timeRanges.contains { $0.start <= seconds && seconds < $0.end }
    }
  }
}
