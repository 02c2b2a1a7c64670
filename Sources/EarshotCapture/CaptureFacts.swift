/// What is known of one use of a microphone: facts about it, never its sound.
public struct CaptureFacts: Sendable, Hashable {
  /// The name that was opened, exactly as it was consented to.
  public let source: String
  /// The rate that the source granted, in hertz; never the one that was asked for.
  public let grantedRate: Int
  /// The channels that the source delivers.
  public let channels: Int
  /// The width of one delivered sample in bits: 16 for a source that has no wider format.
  public let bits: Int
  /// Samples delivered so far, at 16 kHz, mono.
  public internal(set) var sampleCount: Int = 0
  /// How often sound was lost because it was not taken in time.
  public internal(set) var overrunCount: Int = 0
  /// The monotonic time, in nanoseconds, at which the first delivered sample was in the air.
  ///
  /// `nil` before the first sample. It rests on the delay that the source reports, is refined
  /// while sound is taken, and counts from the latest overrun's end where there was one.
  public internal(set) var firstSampleNanoseconds: UInt64?
  /// The monotonic time, in nanoseconds, at which the stream was started.
  public internal(set) var startedNanoseconds: UInt64 = 0
  /// Milliseconds from the start of the stream until it was closed; 0 while it is open.
  public internal(set) var openMilliseconds: Double = 0
  /// Milliseconds that closing took.
  public internal(set) var closingMilliseconds: Double = 0
  /// Whether every buffer of this room was locked in memory (rule L5).
  public internal(set) var isMemoryLocked: Bool = true

  internal init(source: String, grantedRate: Int, channels: Int, bits: Int) {
    self.source = source
    self.grantedRate = grantedRate
    self.channels = channels
    self.bits = bits
  }
}

/// What one call for sound brought.
public enum CaptureReading: Sendable, Hashable {
  /// This many samples were appended to the block, at 16 kHz; 0 when none came in time.
  case samples(Int)
  /// Sound was lost and the stream runs again: what comes next does not join on to what came before.
  case gap
  /// The watched descriptor has something to say; no sound was taken.
  case interrupted
}
