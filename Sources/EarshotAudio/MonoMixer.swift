import Glibc

/// Folds interleaved channels to one, sanitising as it goes.
///
/// The mix follows the sound: a side that stays 30 dB under the other is left out, so that a dead
/// channel doesn't halve the level, and a pair with opposite signs is subtracted instead of added,
/// so that it doesn't cancel. Both are judged on blocks of 10 ms counted from the stream's start,
/// so the result doesn't depend on the pieces in which the sound arrives. Changes of gain are
/// ramps over a block. All buffers are made once and overwritten at the end (rule L5).
@safe struct MonoMixer: ~Copyable {
  let channels: Int
  private let mix: ChannelMix
  /// Whether the channels are the two sides as they are.
  private let isPlainStereo: Bool
  private let blockFrames: Int
  private let left: UnsafeMutablePointer<Float>
  private let right: UnsafeMutablePointer<Float>
  private var filled = 0
  private var balance = SideBalance()
  private(set) var notFiniteCount = 0

  /// Louder samples are cut to this, far above full scale, so that sums stay finite.
  private static let magnitudeMax: Float = 64

  init(rate: Double, channels: Int, speakers: [Speaker]) {
    precondition(speakers.count == channels, "a speaker for each channel")
    self.channels = channels
    mix = ChannelMix(speakers: speakers)
    isPlainStereo = channels == 2 && mix.left == [1, 0] && mix.right == [0, 1]
    blockFrames = max(16, Int(rate / 100))
    unsafe left = .allocate(capacity: blockFrames)
    unsafe right = .allocate(capacity: blockFrames)
    unsafe left.initialize(repeating: 0, count: blockFrames)
    unsafe right.initialize(repeating: 0, count: blockFrames)
  }

  deinit {
    unsafe explicit_bzero(left, blockFrames * MemoryLayout<Float>.stride)
    unsafe explicit_bzero(right, blockFrames * MemoryLayout<Float>.stride)
    unsafe left.deallocate()
    unsafe right.deallocate()
  }

  /// Whether one side has been dead, and which; whether the pair has been inverted.
  var warnings: [SoundWarning] {
    var found: [SoundWarning] = []
    if let side = balance.deadSide { found.append(.deadSide(side)) }
    if balance.isInverted { found.append(.invertedPair) }
    if notFiniteCount > 0 { found.append(.notFinite(sampleCount: notFiniteCount)) }
    return found
  }

  /// The most mono samples that `frames` more frames can give.
  func outputCountMax(frames: Int) -> Int { frames + blockFrames }

  /// Folds whole frames into `output`, which has room for `outputCountMax`; returns the count.
  mutating func fold(_ input: UnsafeBufferPointer<Float>, into output: UnsafeMutablePointer<Float>)
    -> Int
  {
    let frames = input.count / channels
    guard frames > 0, let base = input.baseAddress else { return 0 }
    if channels == 1 {
      unsafe output.update(from: base, count: frames)
      unsafe sanitise(output, count: frames)
      return frames
    }
    var written = 0
    var taken = 0
    while taken < frames {
      let count = min(frames - taken, blockFrames - filled)
      unsafe split(base + taken * channels, frames: count)
      taken += count
      filled += count
      if filled == blockFrames { unsafe written += emit(output + written) }
    }
    return written
  }

  /// Folds what is held of the last block, at the end of the stream.
  mutating func finish(into output: UnsafeMutablePointer<Float>) -> Int {
    filled > 0 ? unsafe emit(output) : 0
  }

  /// Adds `frames` frames to the two sides.
  private mutating func split(_ input: UnsafePointer<Float>, frames: Int) {
    let left = unsafe left + filled
    let right = unsafe right + filled
    if isPlainStereo {
      for frame in 0..<frames {
        unsafe left[frame] = input[2 * frame]
        unsafe right[frame] = input[2 * frame + 1]
      }
    } else {
      unsafe left.update(repeating: 0, count: frames)
      unsafe right.update(repeating: 0, count: frames)
      for channel in 0..<channels {
        let (a, b) = (mix.left[channel], mix.right[channel])
        guard a != 0 || b != 0 else { continue }
        for frame in 0..<frames {
          let sample = unsafe input[frame * channels + channel]
          unsafe left[frame] += a * sample
          unsafe right[frame] += b * sample
        }
      }
    }
    unsafe sanitise(left, count: frames)
    unsafe sanitise(right, count: frames)
  }

  /// Writes the block's mix and starts the next block.
  private mutating func emit(_ output: UnsafeMutablePointer<Float>) -> Int {
    let count = filled
    var (energyLeft, energyRight, product) = (Float(0), Float(0), Float(0))
    for frame in 0..<count {
      let (a, b) = unsafe (left[frame], right[frame])
      energyLeft += a * a
      energyRight += b * b
      product += a * b
    }
    let from = balance.gains
    balance.hear(left: energyLeft, right: energyRight, product: product)
    let to = balance.gains
    if from == to {
      for frame in 0..<count {
        unsafe output[frame] = to.x * left[frame] + to.y * right[frame]
      }
    } else {
      let step = (to - from) / Float(count)
      for frame in 0..<count {
        let gain = from + step * Float(frame + 1)
        unsafe output[frame] = gain.x * left[frame] + gain.y * right[frame]
      }
    }
    filled = 0
    return count
  }

  /// Makes what is not a number zero, and cuts what is absurdly loud.
  private mutating func sanitise(_ samples: UnsafeMutablePointer<Float>, count: Int) {
    // A comparison with what is not a number is false, so clean blocks cost one pass.
    var areInBounds = SIMDMask<SIMD16<Int32>>(repeating: true)
    let (low, high) = (
      SIMD16<Float>(repeating: -Self.magnitudeMax), SIMD16<Float>(repeating: Self.magnitudeMax)
    )
    let bytes = UnsafeRawPointer(samples)
    var index = 0
    while index + 16 <= count {
      let some = unsafe bytes.loadUnaligned(
        fromByteOffset: index * MemoryLayout<Float>.stride, as: SIMD16<Float>.self)
      areInBounds .&= (some .>= low) .& (some .<= high)
      index += 16
    }
    var isClean = all(areInBounds)
    while index < count {
      let sample = unsafe samples[index]
      isClean = isClean && sample >= -Self.magnitudeMax && sample <= Self.magnitudeMax
      index += 1
    }
    if isClean { return }
    for index in 0..<count {
      let sample = unsafe samples[index]
      if sample.isFinite {
        unsafe samples[index] = max(-Self.magnitudeMax, min(Self.magnitudeMax, sample))
      } else {
        unsafe samples[index] = 0
        notFiniteCount += 1
      }
    }
  }
}
