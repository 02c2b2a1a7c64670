/// Intervals sorted by start that can be asked which of them contain a time.
///
/// A tree of greatest ends lies over the sorted starts, so that a question costs time in proportion
/// to the logarithm of their number and to the length of the answer, however they overlap.
struct IntervalIndex: Sendable {
  private let starts: [CueTime]
  /// Node 1 is the root, node n has 2n and 2n + 1 below it, and the leaves are the intervals.
  private let greatestEnds: [CueTime]
  private let sortedEnds: [CueTime]
  private let leafCount: Int

  /// An index over half-open intervals that are already sorted by start. Empty ones are never found.
  init(_ intervals: [Range<CueTime>]) {
    starts = intervals.map(\.lowerBound)
    var leafCount = 1
    while leafCount < intervals.count { leafCount *= 2 }
    var tree = [CueTime](repeating: .zero, count: 2 * leafCount)
    for (index, interval) in intervals.enumerated() {
      tree[leafCount + index] = interval.upperBound
    }
    for node in stride(from: leafCount - 1, to: 0, by: -1) {
      tree[node] = max(tree[2 * node], tree[2 * node + 1])
    }
    self.leafCount = leafCount
    greatestEnds = tree
    sortedEnds = intervals.map(\.upperBound).sorted()
  }

  /// The end of the last interval.
  var end: CueTime { sortedEnds.last ?? .zero }

  /// The indices of the intervals that contain a time, ascending.
  func containing(_ time: CueTime) -> [Int] {
    let limit = Self.firstIndex(after: time, in: starts)
    guard limit > 0 else { return [] }
    var found: [Int] = []
    var pending = [(node: 1, first: 0, count: leafCount)]
    while let (node, first, count) = pending.popLast() {
      guard first < limit, greatestEnds[node] > time else { continue }
      if count == 1 {
        found.append(first)
      } else {
        let half = count / 2
        pending.append((2 * node + 1, first + half, half))
        pending.append((2 * node, first, half))
      }
    }
    return found
  }

  /// The first start or end that is later than a time.
  func change(after time: CueTime) -> CueTime? {
    let start = Self.firstIndex(after: time, in: starts)
    let end = Self.firstIndex(after: time, in: sortedEnds)
    switch (start < starts.count, end < sortedEnds.count) {
    case (true, true): return min(starts[start], sortedEnds[end])
    case (true, false): return starts[start]
    case (false, true): return sortedEnds[end]
    case (false, false): return nil
    }
  }

  /// The index of the first time later than another in a sorted list.
  private static func firstIndex(after time: CueTime, in sorted: [CueTime]) -> Int {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
