@testable import EarshotCaptions

/// A player that is heard through a microphone with the matcher's errors, for tests of the clock.
struct Playing {
  /// Pieces of playing: from a time on, at a place and speed; speed 0 is a pause.
  var pieces: [(time: Double, position: Double, speed: Double)]
  private var random: SplitMix

  init(speed: Double, position: Double = 100, seed: UInt64) {
    pieces = [(0, position, speed)]
    random = SplitMix(seed)
  }

  /// The place that is played at a time.
  func position(at time: Double) -> Double {
    guard let piece = pieces.last(where: { $0.time <= time }) else { return 0 }
    return piece.position + (time - piece.time) * piece.speed
  }

  /// Goes on elsewhere.
  mutating func seek(to position: Double, at time: Double, speed: Double) {
    pieces.append((time, position, speed))
  }

  /// Changes the speed without a jump.
  mutating func change(speed: Double, at time: Double) {
    pieces.append((time, position(at: time), speed))
  }

  /// What a listening from a time on says, with errors as the matcher makes them.
  mutating func heard(from time: Double, for seconds: Double, tellsSpeed: Bool) -> PlaceSighting {
    let speed = (pieces.last { $0.time <= time } ?? (0, 0, 1)).speed
    // A fault in the speed turns the fit about its middle.
    let speedFault = random.normal() * PlaceSighting.speedErrorOfOneSecond / max(seconds, 0.5)
    let fault = random.normal() * PlaceSighting.offsetErrorUsual
    let told = tellsSpeed ? speed + speedFault : nil
    let fitted = told ?? speed
    return PlaceSighting(
      firstSample: time,
      offset: position(at: time + seconds / 2) + fault - fitted * seconds / 2, speed: told,
      heard: seconds)
  }
}

/// A small generator with a seed that can be printed.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from the normal distribution, near enough: the sum of twelve even ones.
  mutating func normal() -> Double {
    (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &self) }
  }
}

extension ClockReading {
  /// A reading at a number of seconds, after so many seconds of suspension.
  init(seconds: Double, suspended: Double = 0) {
    self.init(
      monotonicNanoseconds: UInt64(seconds * 1e9),
      bootNanoseconds: UInt64((seconds + suspended) * 1e9))
  }
}
