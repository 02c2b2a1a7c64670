/// Ten times the decimal logarithm, good to 0.001 dB, the same bits on every machine.
///
/// The exponent is read from the bits, and the mantissa goes through a polynomial: no call into the
/// mathematics library, whose results differ from version to version. Zero, denormal and negative
/// values give the value of the smallest normal number, about -379 dB.
@inline(__always)
func decibels(_ power: SIMD8<Float>) -> SIMD8<Float> {
  let smallest = SIMD8<Float>(repeating: Float.leastNormalMagnitude)
  let bits = unsafe unsafeBitCast(
    power.replacing(with: smallest, where: power .< smallest), to: SIMD8<Int32>.self)
  let exponent = SIMD8<Float>((bits &>> 23) &- 127)
  let x =
    unsafe unsafeBitCast((bits & 0x007f_ffff) | 0x3f80_0000, to: SIMD8<Float>.self)
    - SIMD8<Float>(repeating: 1)
  // log2(1 + x) / x on 0...1, fitted at Chebyshev nodes.
  var p = SIMD8<Float>(repeating: DecibelPolynomial.c6)
  p = p * x + DecibelPolynomial.c5
  p = p * x + DecibelPolynomial.c4
  p = p * x + DecibelPolynomial.c3
  p = p * x + DecibelPolynomial.c2
  p = p * x + DecibelPolynomial.c1
  p = p * x + DecibelPolynomial.c0
  return (exponent + p * x) * DecibelPolynomial.decibelsPerOctaveOfPower
}

/// The coefficients of `decibels`, lowest power first.
private enum DecibelPolynomial {
  static let decibelsPerOctaveOfPower: Float = 3.010_299_957
  static let c0: Float = 1.442693257
  static let c1: Float = -0.721162734
  static let c2: Float = 0.477705931
  static let c3: Float = -0.339247773
  static let c4: Float = 0.215588533
  static let c5: Float = -0.096066250
  static let c6: Float = 0.020490346
}

/// The nearest whole numbers, halves away from zero: what `rounded()` gives, without a call for each.
///
/// For magnitudes below 2^22: adding 1.5 * 2^23 leaves no bits behind the point, so the sum's own
/// rounding, halves to even, gives the nearest whole number, whose bits stand at the sum's end. The
/// rest of the subtraction is exact and tells the halves that went towards zero.
@inline(__always)
func wholeNumbers(_ values: SIMD8<Float>) -> SIMD8<Int32> {
  let shift = SIMD8<Float>(repeating: 12_582_912)
  let sum = values + shift
  let rest = values - (sum - shift)
  let nearest = unsafe unsafeBitCast(sum, to: SIMD8<Int32>.self) &- Int32(bitPattern: 0x4b40_0000)
  return
    nearest
    .replacing(with: nearest &+ 1, where: (rest .== 0.5) .& (values .> 0))
    .replacing(with: nearest &- 1, where: (rest .== -0.5) .& (values .< 0))
}
