/// Samples that have been converted and wait for room in the reader's block.
final class SampleWaiting {
  private var block: SampleBlock
  private var taken = 0

  init(capacity: Int) { block = SampleBlock(capacity: capacity) }

  /// Takes in whole interleaved frames, converted.
  func take(_ interleaved: Span<Float>, through converter: inout SampleRateConverter) {
    converter.convert(interleaved, into: &block)
  }

  /// Takes in what a converter still holds at the end, and returns how many samples that were.
  func takeRest(of converter: inout SampleRateConverter) -> Int { converter.finish(into: &block) }

  /// Moves as many samples as fit, and returns how many.
  func move(to other: inout SampleBlock) -> Int {
    let count = min(block.count - taken, other.capacity - other.count)
    guard count > 0 else {
      if taken == block.count {
        block.removeAll()
        taken = 0
      }
      return 0
    }
    other.append(block.samples.extracting(taken..<(taken + count)))
    taken += count
    if taken == block.count {
      block.removeAll()
      taken = 0
    }
    return count
  }
}
