internal import EarshotCatalog
internal import EarshotSignature

/// The indexes of all catalogs of a search space, on one axis of steps.
struct GateSpace: Sendable {
  /// A segment of one catalog's index.
  struct Segment: Sendable {
    let index: CatalogIndex
    /// Its number in the index.
    let number: Int
    let catalog: Catalog
    /// The space's number of the segment's first signature.
    let firstSignature: Int
    /// The step of the axis at which the segment begins.
    let firstStep: Int
    let timeline: IndexTimeline
  }

  let segments: [Segment]
  /// Keys in all segments.
  let keyCount: Int

  /// A place of the axis: a signature and a step of it, which may lie before its beginning.
  struct Place: Sendable, Hashable {
    var segment: Int
    /// The signature, counted from the segment's first.
    var position: Int
    var step: Int
  }

  /// Opens the indexes; builds those that no file holds.
  ///
  /// - Throws: `MatchError.catalog`, `.searchSpaceTooLarge`.
  init(_ catalogs: [Catalog]) throws(MatchError) {
    var segments: [Segment] = []
    var firstSignature = 0
    var firstStep = 0
    for (number, catalog) in catalogs.enumerated() {
      let index: CatalogIndex
      do throws(CatalogError) {
        index = try catalog.index()
      } catch {
        throw .catalog(index: number, error)
      }
      for (segmentNumber, segment) in index.segments.enumerated() {
        segments.append(
          Segment(
            index: index, number: segmentNumber, catalog: catalog,
            firstSignature: firstSignature + segment.timeline.signatures.lowerBound,
            firstStep: firstStep, timeline: segment.timeline))
        firstStep += segment.timeline.stepCount
      }
      firstSignature += catalog.signatureCount
    }
    guard firstStep <= Self.stepCountMax else {
      throw .searchSpaceTooLarge(
        frameCount: firstStep * IndexKey.framesPerStep,
        frameCountMax: Self.stepCountMax * IndexKey.framesPerStep)
    }
    self.segments = segments
    keyCount = segments.reduce(0) { $0 + $1.index.segments[$1.number].keyCount }
  }

  /// Steps on the axis, at most: what 32 bits count, with room for a query before and behind.
  static let stepCountMax = Int(UInt32.max) - 1 << 16

  /// The signature at a step of the axis.
  func place(ofStep step: Int) -> Place {
    var number = segments.count - 1
    while number > 0, segments[number].firstStep > step { number -= 1 }
    let local = step - segments[number].firstStep
    let position = segments[number].timeline.position(ofStep: local)
    return Place(
      segment: number, position: position,
      step: local - Int(segments[number].timeline.starts[position]))
  }

  /// The space's number of a place's signature.
  func signatureIndex(of place: Place) -> Int {
    segments[place.segment].firstSignature + place.position
  }
}
