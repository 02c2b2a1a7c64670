public import EarshotAudio
public import EarshotConsent

/// One source while it is open, and nothing else can open one (walls W1 and W2).
///
/// It is made by spending a grant, delivers mono sound at 16 kHz, and is closed by `close()` or, on
/// every other path, by being dropped. It never moves to another source (rule L6). One thread uses it;
/// no call waits longer than the limit that it names.
@safe public struct Microphone: ~Copyable {
  /// What is known of this use so far.
  public private(set) var facts: CaptureFacts

  /// Opens the granted source and agrees on a format; no sound flows before `start()`.
  ///
  /// Blocks for at most `limits.openMilliseconds`, even when the sound server never answers.
  public init(
    spending grant: consuming Grant, limits: CaptureLimits = CaptureLimits()
  ) throws(CaptureError) {
    facts = CaptureFacts(source: grant.source, grantedRate: 0, channels: 0, bits: 0)
    preconditionFailure("opening is not written yet")
  }

  /// Lets the sound flow. Everything that needs new files or threads has happened before.
  public mutating func start() throws(CaptureError) {
    preconditionFailure("starting is not written yet")
  }

  /// Waits for sound and appends it to `block`, up to the block's free capacity.
  ///
  /// Returns as soon as there is any sound, when `descriptor` becomes readable or is closed, or after
  /// `milliseconds`. Throws `noData` where the device has been silent on the wire for too long.
  public mutating func read(
    into block: inout SampleBlock, waitingAtMost milliseconds: Int, watching descriptor: Int32
  ) throws(CaptureError) -> CaptureReading {
    preconditionFailure("reading is not written yet")
  }

  /// Closes the source and says what is known of its use. Sound that was not read is dropped.
  public consuming func close() -> CaptureFacts { facts }
}
