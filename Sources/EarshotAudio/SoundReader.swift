import Glibc

/// Reads the sound of a file, a pipe or standard input as mono at 16 kHz, in order, as a stream.
///
/// What a file is, is told by its content and never by its name. WAV and its kin, FLAC, Ogg Vorbis,
/// Opus and MP3 are decoded in the process; everything else through `ffmpeg` when it is installed.
/// The delay that encoders put in front is taken out, so that times are those of the sound that was
/// encoded. A file that ends early or is damaged gives what could be decoded, and `facts` says so.
/// Memory doesn't depend on the length. Reading blocks; use one reader from one thread at a time.
@safe public struct SoundReader: ~Copyable {
  /// What is known of the sound so far.
  public private(set) var facts: SoundFacts

  /// The longest sound that is read: 48 hours.
  public static let limitSeconds: Double = 48 * 3600

  private var decoder: Decoder
  private var converter: SampleRateConverter
  private let frames: UnsafeMutableBufferPointer<Float>
  private let waiting: SampleWaiting
  private var leadingFrames: Int
  private var decodedFrames = 0
  /// How much was decoded when another decoder had to go on behind damage.
  private var framesBeforeDamage: Int?
  private var state = State.reading

  private enum State { case reading, draining, done }
  private static let stepFrames = 2048
  private static let peekSeconds = 10.0

  /// Opens the file whose name is the bytes of `path`, in the kernel's own spelling.
  ///
  /// Throws the ways in which a file can't be read; trying again helps only for `unreadable`.
  public init(path: [UInt8]) throws(AudioError) {
    try self.init(opened: OwnedDescriptor(path: path))
  }

  /// Reads a container from an open file, pipe or socket, such as standard input.
  ///
  /// The descriptor is duplicated: the caller's stays open and is still the caller's to close.
  public init(descriptor: Int32) throws(AudioError) {
    try self.init(opened: OwnedDescriptor(duplicating: descriptor))
  }

  /// Reads bare samples of the given form from an open file, pipe or socket.
  public init(rawDescriptor: Int32, rate: Double, channels: Int, format: RawFormat)
    throws(AudioError)
  {
    let decoder = try SndfileDecoder(
      OwnedDescriptor(duplicating: rawDescriptor), rate: rate, channels: channels, format: format)
    try self.init(Decoder.sndfile(decoder))
  }

  private init(opened file: consuming OwnedDescriptor) throws(AudioError) {
    try self.init(Decoder(file, peekSeconds: Self.peekSeconds))
  }

  private init(_ decoder: consuming Decoder) throws(AudioError) {
    let form = decoder.form
    self.decoder = decoder
    leadingFrames = form.leadingFrames
    converter = try SampleRateConverter(
      rate: form.rate, channels: form.channels, speakers: form.speakers)
    facts = SoundFacts(rate: form.rate, channels: form.channels, kind: form.kind)
    facts.expectedSeconds = form.expectedFrames.map {
      Double(max(0, $0 - form.leadingFrames)) / form.rate
    }
    facts.tags = form.tags
    if form.rate < 8000 { facts.warnings.append(.lowRate) }
    if form.streamCount > 1 { facts.warnings.append(.severalStreams(count: form.streamCount)) }
    unsafe frames = .allocate(capacity: Self.stepFrames * form.channels)
    unsafe frames.initialize(repeating: 0)
    waiting = SampleWaiting(capacity: converter.outputCountMax(frames: Self.stepFrames))
  }

  deinit {
    if let base = unsafe frames.baseAddress {
      unsafe explicit_bzero(base, frames.count * MemoryLayout<Float>.stride)
    }
    unsafe frames.deallocate()
  }

  /// Appends samples to `block` until it is full or the sound ends; returns how many, 0 at the end.
  ///
  /// The block must have room for at least one sample. Blocks until there is sound.
  public mutating func read(into block: inout SampleBlock) throws(AudioError) -> Int {
    precondition(block.count < block.capacity, "the block is full")
    let before = block.count
    while block.count < block.capacity {
      if waiting.move(to: &block) > 0 { continue }
      switch state {
      case .reading: try decode()
      case .draining:
        if waiting.takeRest(of: &converter) == 0 { state = .done }
      case .done: return block.count - before
      }
    }
    return block.count - before
  }

  /// Decodes and converts one step, or notes the end.
  private mutating func decode() throws(AudioError) {
    let count = try unsafe decoder.read(into: frames)
    guard count > 0 else {
      if goOnBehindDamage() { return }
      state = .draining
      try close()
      return
    }
    let skipped = min(leadingFrames, count)
    leadingFrames -= skipped
    decodedFrames += count - skipped
    facts.decodedSeconds = Double(decodedFrames) / facts.rate
    guard facts.decodedSeconds <= Self.limitSeconds else {
      throw .tooLong(limitSeconds: Self.limitSeconds)
    }
    let channels = facts.channels
    let piece = unsafe UnsafeBufferPointer(
      rebasing: frames[(skipped * channels)..<(count * channels)])
    unsafe waiting.take(Span(_unsafeElements: piece), through: &converter)
  }

  /// Lets another decoder go on where this one has stopped in the middle of a file; false at the end.
  private mutating func goOnBehindDamage() -> Bool {
    guard framesBeforeDamage == nil, decoder.isDamaged || isShort,
      let other = decoder.successor()
    else { return false }
    framesBeforeDamage = decodedFrames
    decoder = other
    // What was decoded already is decoded again and dropped, which a damaged file may cost.
    leadingFrames = decoder.form.leadingFrames + decodedFrames
    return true
  }

  /// Whether more is missing of what the header promised than headers round and encoders pad: a
  /// hundredth.
  private var isShort: Bool {
    facts.expectedSeconds.map { facts.decodedSeconds < $0 * 0.99 - 0.05 } ?? false
  }

  /// Notes what was odd, once all is decoded.
  private mutating func close() throws(AudioError) {
    facts.warnings += converter.warnings
    let seconds = facts.decodedSeconds
    guard decodedFrames > 0 else { throw decoder.whenEmpty }
    let hasGoneOn = framesBeforeDamage.map { $0 < decodedFrames } ?? false
    if let framesBeforeDamage, hasGoneOn {
      facts.warnings.append(.damagedWithin(atSeconds: Double(framesBeforeDamage) / facts.rate))
    }
    if let expected = facts.expectedSeconds, isShort {
      facts.warnings.append(.cutShort(decodedSeconds: seconds, expectedSeconds: expected))
    } else if !hasGoneOn, decoder.isDamaged || framesBeforeDamage != nil {
      facts.warnings.append(.damaged(afterSeconds: seconds))
    } else if decoder.isFollowed {
      facts.warnings.append(.followed(afterSeconds: seconds))
    }
  }
}
