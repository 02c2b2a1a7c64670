/// Notices a source that delivers no sound, within a second (outcome `no-signal`).
///
/// A muted source delivers digital silence, which no open microphone does: its converter is never
/// quieter than its last bit. An analogue mute leaves a faint noise, and so does an empty room; that
/// is only told at the beginning, because music has quiet passages.
struct SilenceWatch {
  /// What was noticed.
  enum Verdict: Hashable {
    /// Every sample is zero.
    case muted
    /// There is nothing but noise at the level of an analogue mute.
    case faint
  }

  /// Samples at 16 kHz after which it is told: 0.8 s, so that it is out within the second although
  /// sound is weighed in pieces.
  static let sampleCount = 12_800
  /// Below half of a 24-bit converter's last bit.
  static let zeroAmplitude: Float = 5e-8
  /// A peak of -62 dBFS. The noise of an analogue mute reaches 0.0007; a very quiet but good
  /// microphone still gives music more than this.
  static let faintAmplitude: Float = 0.0008

  private var heard = 0
  private var silentInARow = 0
  private var peak: Float = 0

  /// Takes the next samples.
  mutating func hear(_ samples: Span<Float>) {
    for index in samples.indices {
      let amplitude = abs(samples[index])
      silentInARow = amplitude > Self.zeroAmplitude ? 0 : silentInARow + 1
      // The beginning decides about faintness; what comes later does not take it back.
      if heard + index < Self.sampleCount { peak = max(peak, amplitude) }
    }
    heard += samples.count
  }

  /// What is to be told now, if anything.
  var verdict: Verdict? {
    if silentInARow >= Self.sampleCount { return .muted }
    guard heard >= Self.sampleCount, peak < Self.faintAmplitude else { return nil }
    return peak > Self.zeroAmplitude ? .faint : .muted
  }
}
