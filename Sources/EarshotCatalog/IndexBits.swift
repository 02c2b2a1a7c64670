/// Writes and reads the steps of one bucket: gaps between rising numbers, in Rice's code.
///
/// A gap's low bits stand as they are; what is left over is written as so many zeros and a one, before
/// them. How many bits are low follows from the number of gaps on the axis, so nothing else has to be
/// stored. Bits are filled from the lowest.
package enum IndexBits {
  /// The low bits of a gap, where so many steps are spread over the axis.
  static func lowBitCount(stepCount: Int, count: Int) -> Int {
    let mean = max(1, stepCount / max(1, count))
    return Int.bitWidth - 1 - mean.leadingZeroBitCount
  }

  /// Appends a bucket: the number of its steps, then their gaps. Nothing is written for none.
  static func append(_ steps: Span<UInt32>, stepCount: Int, to bytes: inout [UInt8]) {
    guard !steps.isEmpty else { return }
    var number = steps.count
    while number >= 128 {
      bytes.append(UInt8(truncatingIfNeeded: number) | 128)
      number >>= 7
    }
    bytes.append(UInt8(number))
    let lowBits = UInt64(lowBitCount(stepCount: stepCount, count: steps.count))
    var held: UInt64 = 0
    var heldCount: UInt64 = 0
    var before: UInt32 = 0
    for index in steps.indices {
      let gap = UInt64(steps[index] - before)
      before = steps[index]
      var zeros = gap >> lowBits
      while zeros > 0 {
        let some = min(zeros, 8)
        heldCount += some
        zeros -= some
        flush(&held, &heldCount, to: &bytes)
      }
      held |= 1 << heldCount
      heldCount += 1
      held |= (gap & (1 << lowBits - 1)) << heldCount
      heldCount += lowBits
      flush(&held, &heldCount, to: &bytes)
    }
    if heldCount > 0 { bytes.append(UInt8(truncatingIfNeeded: held)) }
  }

  private static func flush(
    _ held: inout UInt64, _ heldCount: inout UInt64, to bytes: inout [UInt8]
  ) {
    while heldCount >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: held))
      held >>= 8
      heldCount -= 8
    }
  }

  /// The number of steps in a bucket and the bytes that say so; nil when that is damage.
  @inline(__always)
  static func count(_ bytes: UnsafeRawBufferPointer) -> (count: Int, byteCount: Int)? {
    var count = 0
    for index in 0..<min(4, bytes.count) {
      let byte = unsafe bytes[index]
      count |= Int(byte & 127) << (7 * index)
      if byte < 128 { return (count, index + 1) }
    }
    return nil
  }

  /// Calls `body` with each step of a bucket; false when the bits don't say what a writer would have.
  ///
  /// Eight bytes after the bucket must be readable. No step is at or past `stepCount`.
  @inline(__always)
  static func forEach(
    _ bytes: UnsafeRawBufferPointer, stepCount: Int, count: Int, from start: Int,
    _ body: (UInt32) -> Void
  ) -> Bool {
    guard let base = bytes.baseAddress else { return count == 0 }
    let lowBits = lowBitCount(stepCount: stepCount, count: count)
    let mask: UInt64 = 1 << UInt64(lowBits) &- 1
    let end = bytes.count * 8
    var bit = start * 8
    var step: UInt64 = 0
    for _ in 0..<count {
      var zeros = 0
      while true {
        guard bit < end else { return false }
        let window =
          unsafe UInt64(
            littleEndian: (base + bit >> 3).loadUnaligned(as: UInt64.self)) >> UInt64(bit & 7)
        // 57 bits of the window are sure to be there.
        let run = min(window.trailingZeroBitCount, 56)
        zeros += run
        bit += run
        if run < 56 { break }
      }
      bit += 1
      guard bit + lowBits <= end else { return false }
      let window =
        unsafe UInt64(
          littleEndian: (base + bit >> 3).loadUnaligned(as: UInt64.self)) >> UInt64(bit & 7)
      bit += lowBits
      step &+= UInt64(zeros) << UInt64(lowBits) | window & mask
      guard step < UInt64(stepCount) else { return false }
      body(UInt32(truncatingIfNeeded: step))
    }
    return true
  }
}
