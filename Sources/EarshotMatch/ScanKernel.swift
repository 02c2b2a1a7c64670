import EarshotSignature

/// The innermost loop of the scan: what 32 neighbouring offsets gain from one chunk.
enum ScanKernel {
  /// Peaks whose biased bytes can be added before a byte could overflow.
  static let peaksPerGroup =
    Int(UInt8.max) / (EvidenceTables.scanRange.upperBound + EvidenceTables.scanBias)

  /// Adds up the rows of `peaks[range]` for the 32 offsets that begin at the block's first offset.
  ///
  /// Lane j is offset j. All of the peaks lie from 0 to `stepCount + 30` steps after the chunk's
  /// first step at the block's first offset, which is `startStep`. The sums stay in
  /// registers: bytes for a dozen peaks, then 16-bit lanes, the even and the odd ones apart.
  @inline(__always)
  static func gain(
    peaks: UnsafePointer<UInt32>, range: Range<Int>, rows: UnsafeRawPointer, startStep: Int,
    stepCount: Int
  ) -> SIMD32<Int16> {
    var even = SIMD16<UInt16>()
    var odd = SIMD16<UInt16>()
    // The chunk's last step is the row's byte 32; a peak at distance 0 has it in lane 0 when the
    // chunk is one step long, and each step of distance reads one byte earlier.
    let base = ScanRows.stepCountMax + stepCount - 1
    var index = range.lowerBound
    while index < range.upperBound {
      let end = min(index + peaksPerGroup, range.upperBound)
      var bytes = SIMD32<UInt8>()
      while index < end {
        let peak = unsafe peaks[index]
        let distance = Int(peak >> ScanLayout.stepShift) &- startStep
        let offset = Int(peak & 0xfff) &* ScanRows.stride &+ base &- distance
        bytes &+= unsafe rows.loadUnaligned(fromByteOffset: offset, as: SIMD32<UInt8>.self)
        index &+= 1
      }
      let pairs = unsafe unsafeBitCast(bytes, to: SIMD16<UInt16>.self)
      even &+= pairs & 0xff
      odd &+= pairs &>> 8
    }
    let bias = UInt16(truncatingIfNeeded: range.count &* EvidenceTables.scanBias)
    even &-= SIMD16(repeating: bias)
    odd &-= SIMD16(repeating: bias)
    var gain = SIMD32<Int16>()
    gain.evenHalf = unsafe unsafeBitCast(even, to: SIMD16<Int16>.self)
    gain.oddHalf = unsafe unsafeBitCast(odd, to: SIMD16<Int16>.self)
    return gain
  }
}
