/// The numbers that the one analyzer is built from.
///
/// Building a catalog and listening use the same numbers (wall W4). Every one of them goes into
/// `digest`, which each signature and catalog carries: sound analysed with other numbers is refused
/// when it is opened, never compared.
public enum AnalyzerSettings {
  /// Samples a second that the analyzer takes, mono.
  public static let sampleRate = 16_000
  /// Samples in one analysis window, which is 128 ms.
  public static let windowSampleCount = 2048
  /// Samples from one frame to the next, which is 16 ms.
  public static let hopSampleCount = 256
  /// Frames a second: 62.5.
  public static let framesPerSecond = Double(sampleRate) / Double(hopSampleCount)

  /// Bins of the logarithmic frequency axis in one octave; neighbours are 1 % apart.
  public static let binsPerOctave = 72
  /// Bins of the logarithmic frequency axis: 160 Hz to 5.6 kHz.
  public static let binCount = 369
  /// Centre of the lowest bin, in hertz.
  public static let lowestFrequency = 160.0

  /// Bins to each side that the whitening averages over: a third of an octave.
  static let whiteningBinReach = 24
  /// Frames before the present one that the whitening averages over.
  static let whiteningFramesBefore = 16
  /// Frames after the present one that the whitening of a reference averages over.
  static let whiteningFramesAfterReference = 16
  /// Frames after the present one that the whitening of a query averages over, at most.
  static let whiteningFramesAfterQuery = 8
  /// Samples from one edge to the next: 0.2 s. At an edge a query's waiting frames get their levels
  /// from what is there, so that a look at an edge has all the sound until then.
  public static let edgeSampleCount = 3200

  /// Bins to each side over which a peak is the largest value.
  static let peakBinReach = 5
  /// Frames to each side over which a peak is the largest value.
  static let peakFrameReach = 3
  /// The least height of a peak over its surroundings, in decibels.
  static let peakDecibelsMin = 2
  /// Frames from which one block of peaks is chosen.
  static let peakBlockFrameCount = 32
  /// The most peaks chosen from one block; 90 a second.
  static let peaksPerBlock = 46
  /// Frames within which a peak at the same bin, or next to it, makes a later one 'repeated'.
  static let repetitionFrameCount = 31

  /// Bins that share one histogram of what the query has shown so far: half an octave.
  static let rankBandBinCount = 36
  /// Levels that a query's cell can have: 0 is usual, 15 is rarer than one in 181.
  public static let levelCount = 16

  /// Parts of a decibel in which whitened energy is counted.
  public static let unitsPerDecibel = 64
  /// The version of the arithmetic itself; raised when any of it changes its results.
  static let arithmeticVersion = 1

  /// A hash of every number above (FNV-1a, 64 bits).
  public static let digest: UInt64 = {
    let numbers = [
      arithmeticVersion, sampleRate, windowSampleCount, hopSampleCount, binsPerOctave, binCount,
      Int(lowestFrequency * 1000), whiteningBinReach, whiteningFramesBefore,
      whiteningFramesAfterReference, whiteningFramesAfterQuery, edgeSampleCount, peakBinReach,
      peakFrameReach,
      peakDecibelsMin, peakBlockFrameCount, peaksPerBlock, repetitionFrameCount, rankBandBinCount,
      levelCount, unitsPerDecibel,
    ]
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for number in numbers {
      for byte in 0..<8 {
        hash ^= UInt64(truncatingIfNeeded: number >> (8 * byte)) & 0xff
        hash &*= 0x100_0000_01b3
      }
    }
    return hash
  }()

  /// The frames that so many samples give: only whole windows count.
  public static func frameCount(ofSampleCount sampleCount: Int) -> Int {
    sampleCount < windowSampleCount ? 0 : (sampleCount - windowSampleCount) / hopSampleCount + 1
  }
}
