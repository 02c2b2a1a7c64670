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
  /// The outline of each catalog; none where there is too much sound to scan them.
  let outlines: [Outline]
  /// Keys in all segments.
  let keyCount: Int
  /// Hours of sound in all catalogs.
  let hours: Double

  /// The outline of one catalog.
  struct Outline: Sendable {
    let outline: CatalogOutline
    /// The space's number of the catalog's first signature.
    let firstSignature: Int
  }

  /// A place of the axis: a signature and a step of it, which may lie before its beginning.
  struct Place: Sendable, Hashable {
    var segment: Int
    /// The signature, counted from the segment's first.
    var position: Int
    var step: Int
  }

  /// Opens the indexes and outlines; builds those that no file holds.
  ///
  /// - Throws: `MatchError.catalog`, `.searchSpaceTooLarge`.
  init(_ catalogs: [Catalog]) throws(MatchError) {
    var segments: [Segment] = []
    var outlines: [Outline] = []
    var firstSignature = 0
    var firstStep = 0
    hours = catalogs.reduce(0) { $0 + $1.duration } / 3600
    for (number, catalog) in catalogs.enumerated() {
      let index: CatalogIndex
      do throws(CatalogError) {
        index = try catalog.index()
        if hours <= Self.outlineHoursMax {
          outlines.append(
            Outline(outline: try catalog.outline(), firstSignature: firstSignature))
        }
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
    self.outlines = outlines
    keyCount = segments.reduce(0) { $0 + $1.index.segments[$1.number].keyCount }
  }

  /// The hours of sound of which outlines are scanned: a scan costs about 0.06 s of CPU for 1,000, and
  /// beyond these more than all the rest.
  static let outlineHoursMax = 12_000.0

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

  /// The place at a step of one of the space's signatures.
  func place(ofStep step: Int, inSignature signature: Int) -> Place {
    var (low, high) = (0, segments.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if segments[middle].firstSignature <= signature { low = middle } else { high = middle }
    }
    return Place(
      segment: low, position: signature - segments[low].firstSignature, step: step)
  }

  /// The space's number of a place's signature.
  func signatureIndex(of place: Place) -> Int {
    segments[place.segment].firstSignature + place.position
  }
}
