/// How the signatures of one segment of the index lie on its one axis of time, in steps of 32 ms.
///
/// Before each signature there is room for a query that begins earlier, behind it for what drifts.
package struct IndexTimeline: Sendable {
  /// Steps before a signature that belong to it: 32 s, the longest query.
  static let leadStepCount = 1024
  /// Steps behind a signature that belong to it.
  static let trailStepCount = 64
  /// Steps of a segment, at most; together with those of the last signature they fit 30 bits.
  static let stepCountMax = 1 << 29

  /// The signatures, by their numbers in the catalog.
  package let signatures: Range<Int>
  /// For each signature the step at which its sound begins.
  package let starts: [UInt32]
  /// Steps on the axis.
  package let stepCount: Int

  /// Lays signatures out, beginning with `first`, until the segment is full.
  init(from first: Int, signatureCount: Int, stepCountMax: Int, frameCount: (Int) -> Int) {
    var starts: [UInt32] = []
    var end = 0
    var index = first
    while index < signatureCount, end < stepCountMax {
      starts.append(UInt32(end + Self.leadStepCount))
      end += Self.leadStepCount + Self.steps(ofFrames: frameCount(index)) + Self.trailStepCount
      index += 1
    }
    signatures = first..<index
    self.starts = starts
    stepCount = end
  }

  /// All segments of a catalog.
  static func all(
    signatureCount: Int, stepCountMax: Int = Self.stepCountMax, frameCount: (Int) -> Int
  ) -> [IndexTimeline] {
    var all: [IndexTimeline] = []
    var first = 0
    while first < signatureCount {
      let timeline = IndexTimeline(
        from: first, signatureCount: signatureCount, stepCountMax: stepCountMax,
        frameCount: frameCount)
      all.append(timeline)
      first = timeline.signatures.upperBound
    }
    return all
  }

  private static func steps(ofFrames frameCount: Int) -> Int {
    (frameCount + IndexKey.framesPerStep - 1) / IndexKey.framesPerStep
  }

  /// The signature to which a step belongs, counted from the segment's first.
  package func position(ofStep step: Int) -> Int {
    // The last signature whose lead begins at or before the step.
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if Int(starts[middle]) - Self.leadStepCount <= step { low = middle } else { high = middle }
    }
    return low
  }
}
