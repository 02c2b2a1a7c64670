internal import EarshotSignature

/// Whether a sound holds anything to recognise it by: how much of it is silence, and whether it is
/// noise from beginning to end.
struct SoundWorth {
  private var quietCount = 0
  private var windowCount = 0
  private var loudest: Float = 0

  /// Below this nothing is heard through a microphone either: -62 dBFS.
  private static let quiet: Float = 0.000_794
  /// Below this for all of its length a sound is told as faint: -56 dBFS.
  private static let faint = 2 * quiet
  private static let windowSampleCount = 1024
  /// The share of silence from which it is told.
  private static let silentShareMin = 0.9

  /// Takes the next samples, in blocks of whole windows but for the last.
  mutating func take(_ samples: Span<Float>) {
    unsafe samples.withUnsafeBufferPointer { samples in
      for start in stride(from: 0, to: samples.count, by: Self.windowSampleCount) {
        let end = min(start + Self.windowSampleCount, samples.count)
        let peak = unsafe Self.peak(UnsafeBufferPointer(rebasing: samples[start..<end]))
        windowCount += 1
        if peak < Self.quiet { quietCount += 1 }
        loudest = max(loudest, peak)
      }
    }
  }

  /// The largest magnitude.
  private static func peak(_ samples: UnsafeBufferPointer<Float>) -> Float {
    guard let base = samples.baseAddress else { return 0 }
    let bytes = unsafe UnsafeRawPointer(base)
    var most = SIMD16<Float>()
    var index = 0
    while index + 16 <= samples.count {
      let some = unsafe bytes.loadUnaligned(
        fromByteOffset: index * MemoryLayout<Float>.stride, as: SIMD16<Float>.self)
      most.replace(with: some, where: some .> most)
      most.replace(with: -some, where: -some .> most)
      index += 16
    }
    var peak = most.max()
    while index < samples.count {
      unsafe peak = max(peak, abs(samples[index]))
      index += 1
    }
    return peak
  }

  /// What a person should know of the sound before they rely on its being recognised.
  func warnings(_ signature: Signature) -> [String] {
    guard windowCount > 0, signature.peakCount > 0 else { return [] }
    if loudest < Self.faint { return ["is so faint that it will hardly be recognised"] }
    let share = Double(quietCount) / Double(windowCount)
    if share >= Self.silentShareMin {
      return ["is silent for \(Int(share * 100)) % of its length: only the rest can be recognised"]
    }
    return Self.isNoise(signature)
      ? ["sounds like noise from beginning to end, which can't be told from other noise"] : []
  }

  /// The share of peaks at, or next to, a bin that had one within the last half second.
  ///
  /// Noise puts its peaks anywhere: white, pink and brown noise have 33 to 36 % and 89 peaks a second. Of
  /// 134 pieces of music the least has 39 %, half of them more than 66 %.
  private static func isNoise(_ signature: Signature) -> Bool {
    guard signature.peakCount >= 500, signature.duration > 0 else { return false }
    var repeatedCount = 0
    PackedPeak.forEach(in: signature.packedPeaks.span) { _, peak in
      if peak.peakClass & 4 != 0 { repeatedCount += 1 }
    }
    let share = Double(repeatedCount) / Double(signature.peakCount)
    return (0.3...0.37).contains(share) && Double(signature.peakCount) / signature.duration > 85
  }
}
