/// Marks how far each cell of a frame is from a ridge: a bin that is the largest of five.
///
/// Where a reference promises a peak, the query should not only be strong but have a ridge there. A
/// strong cell on the flank of another note is a coincidence.
struct Ridges: ~Copyable {
  /// Bins to each side over which a ridge is the largest value.
  private static let reach = 2
  /// The bit of a level's byte at which the distance begins.
  private static let shift: UInt8 = 4

  /// 1 where there is a ridge, with margins that hold none.
  private let tops: WipedBuffer<UInt8>

  init() { tops = WipedBuffer(count: AnalyzerSettings.binCount + 2 * Self.reach) }

  /// Adds the distance of each bin, 0 to 3, to the bytes of a frame.
  func add(_ whitened: borrowing WipedBuffer<Int16>, to levels: UnsafeMutablePointer<UInt8>) {
    let binCount = AnalyzerSettings.binCount
    let values = unsafe whitened.pointer
    let tops = unsafe tops.pointer + Self.reach
    for bin in 0..<binCount {
      let value = unsafe values[bin]
      var isTop = true
      for neighbour in max(0, bin - Self.reach)...min(binCount - 1, bin + Self.reach) {
        if unsafe values[neighbour] > value { isTop = false }
      }
      unsafe tops[bin] = isTop ? 1 : 0
    }
    for bin in 0..<binCount {
      let near = unsafe tops[bin - 1] | tops[bin + 1]
      let next = unsafe tops[bin - 2] | tops[bin + 2]
      let distance: UInt8 = unsafe tops[bin] == 1 ? 0 : near == 1 ? 1 : next == 1 ? 2 : 3
      unsafe levels[bin] |= distance << Self.shift
    }
  }
}
