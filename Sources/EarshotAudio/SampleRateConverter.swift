import Glibc

/// Turns interleaved sound of any rate and channel count into mono at 16 kHz, as it arrives.
///
/// The same sound in any pieces gives the same samples, bit for bit. After `init` nothing is
/// allocated by this type and nothing blocks, so a capture loop may call it. Sound is held back
/// by the filter for about 20 ms at 44.1 and 48 kHz, by up to 10 ms more when channels are mixed,
/// and by nothing at 16 kHz mono; `finish` gives what is left. Buffers are wiped at the end (L5).
@safe public struct SampleRateConverter: ~Copyable {
  /// The rate that comes out, in hertz.
  public static let rate: Double = 16000
  /// The rates that are taken, in hertz.
  public static let rates: ClosedRange<Double> = 4000...384_000
  /// The channel counts that are taken.
  public static let channelCounts: ClosedRange<Int> = 1...256

  private var mixer: MonoMixer
  private var resampler: Resampler
  private let mono: UnsafeMutablePointer<Float>
  private let monoCapacity: Int
  /// Frames are folded in steps of this many, so that the buffer is small whatever is handed in.
  private static let stepFrames = 2048

  /// Makes a converter for sound of `rate` hertz with `channels` interleaved channels.
  ///
  /// Throws `unsupportedFormat` for what is out of range.
  public init(rate: Double, channels: Int) throws(AudioError) {
    try self.init(rate: rate, channels: channels, speakers: ChannelMix.usualSpeakers(channels))
  }

  init(rate: Double, channels: Int, speakers: [Speaker]) throws(AudioError) {
    guard Self.rates.contains(rate), Self.channelCounts.contains(channels) else {
      let shown = rate.isFinite && abs(rate) < 1e15 ? Int(rate) : 0
      throw .unsupportedFormat(rate: shown, channels: channels)
    }
    resampler = try Resampler(rate: rate)
    mixer = MonoMixer(rate: rate, channels: channels, speakers: speakers)
    monoCapacity = mixer.outputCountMax(frames: Self.stepFrames)
    unsafe mono = .allocate(capacity: monoCapacity)
    unsafe mono.initialize(repeating: 0, count: monoCapacity)
  }

  deinit {
    unsafe explicit_bzero(mono, monoCapacity * MemoryLayout<Float>.stride)
    unsafe mono.deallocate()
  }

  /// What was odd about the sound so far.
  public var warnings: [SoundWarning] { mixer.warnings }

  /// The room a block needs so that `convert` of `frames` frames leaves nothing waiting.
  public func outputCountMax(frames: Int) -> Int {
    resampler.outputCountMax(mixer.outputCountMax(frames: frames))
  }

  /// Converts whole frames and appends the samples that are ready to `block`.
  ///
  /// The block must have room for `outputCountMax(frames:)` samples. A part of a frame at the end
  /// is not allowed.
  public mutating func convert(_ interleaved: Span<Float>, into block: inout SampleBlock) {
    precondition(interleaved.count.isMultiple(of: mixer.channels), "whole frames only")
    unsafe interleaved.withUnsafeBufferPointer { input in
      let step = Self.stepFrames * mixer.channels
      var start = 0
      while start < input.count {
        let end = min(start + step, input.count)
        let piece = unsafe UnsafeBufferPointer(rebasing: input[start..<end])
        let count = unsafe mixer.fold(piece, into: mono)
        unsafe resampler.append(UnsafeBufferPointer(start: mono, count: count), to: &block)
        start = end
      }
    }
  }

  /// Appends what is still held at the end of the stream, and returns how many samples that were.
  ///
  /// Call again until it returns 0 when the block had too little room. The converter takes no more
  /// sound after it.
  public mutating func finish(into block: inout SampleBlock) -> Int {
    let before = block.count
    let count = unsafe mixer.finish(into: mono)
    if count > 0 {
      unsafe resampler.append(UnsafeBufferPointer(start: mono, count: count), to: &block)
    }
    _ = resampler.finish(into: &block)
    return block.count - before
  }
}
