/// Listens: turns samples into the levels that a query is matched by, frame by frame.
///
/// The same sound in any pieces gives the same levels, bit for bit. A frame's levels are there
/// at most 8 frames after it, or at the next edge (`AnalyzerSettings.edgeSampleCount`), or at
/// `finish`, and never change. All memory is taken at the
/// beginning and overwritten when the analyzer goes (rule L5). Not for several threads at once.
public struct QueryAnalyzer: ~Copyable {
  /// Samples taken so far, at 16 kHz.
  public var sampleCount: Int { spectrogram.sampleCount }
  /// Frames whose levels are there.
  public private(set) var frameCount = 0
  /// The most frames the analyzer keeps. Sound past them is counted, not analysed.
  public let frameCapacity: Int
  /// Whether the end of the sound has been told.
  public private(set) var isFinished = false
  /// The loudest sample so far, as a share of full scale.
  public private(set) var peakAmplitude: Float = 0
  private var peakAmplitudeAtEdges: WipedBuffer<Float>

  private var spectrogram = LogSpectrogram()
  private var whitener = Whitener(framesAfter: AnalyzerSettings.whiteningFramesAfterQuery)
  private var ranks = RankLevels()
  private var ridges = Ridges()
  private let levels: WipedBuffer<UInt8>
  private var finder = PeakFinder()
  private(set) var peaks: QueryPeaks

  /// Seconds of sound that an analyzer keeps unless told otherwise.
  public static let defaultCapacitySeconds = 32.0
  /// The longest sound that an analyzer can keep, in seconds.
  public static let capacitySecondsMax = 32.0

  /// Makes an analyzer for at most `capacitySeconds` seconds of sound, 1 to 32.
  public init(capacitySeconds: Double = QueryAnalyzer.defaultCapacitySeconds) {
    let seconds = min(max(capacitySeconds, 1), Self.capacitySecondsMax)
    frameCapacity = Int(seconds * AnalyzerSettings.framesPerSecond)
    levels = WipedBuffer(count: frameCapacity * AnalyzerSettings.binCount)
    peaks = QueryPeaks(frameCapacity: frameCapacity)
    let edgeCount = Int(seconds) * AnalyzerSettings.sampleRate / AnalyzerSettings.edgeSampleCount
    peakAmplitudeAtEdges = WipedBuffer(count: edgeCount + 1)
  }

  /// Takes samples at 16 kHz, full scale at -1 and 1.
  public mutating func append(_ samples: Span<Float>) {
    precondition(!isFinished, "no sound comes after the end")
    let edge = AnalyzerSettings.edgeSampleCount
    var start = 0
    while start < samples.count {
      let piece = min(samples.count - start, edge - sampleCount % edge)
      let (taken, hasFrame) = spectrogram.take(samples, from: start, atMost: piece)
      for index in start..<start + taken { peakAmplitude = max(peakAmplitude, abs(samples[index])) }
      start += taken
      if hasFrame, whitener.take(spectrogram.frame) { emit() }
      if sampleCount % edge == 0 { passEdge() }
    }
  }

  /// Says that no more sound comes: the last frames get their levels without waiting.
  public mutating func finish() {
    guard !isFinished else { return }
    isFinished = true
    while whitener.drain() { emit() }
    finder.finish(into: &peaks)
  }

  /// The levels of all frames so far, 369 a frame: the level (0 to 15) in bits 0 to 3, in bits 4 and 5
  /// how far the nearest ridge is (`Ridges`), in bins: 0, 1, 2, or 3 for more.
  public var levelsOfFrames: Span<UInt8> {
    @_lifetime(borrow self)
    get { levels.span.extracting(first: frameCount * AnalyzerSettings.binCount) }
  }

  /// The loudest sample of the first `sampleCount` samples, counted in whole edges: what came after
  /// the last edge is left out unless all of the sound is asked for.
  public func peakAmplitude(inFirst sampleCount: Int) -> Float {
    let edges = sampleCount / AnalyzerSettings.edgeSampleCount
    if sampleCount >= self.sampleCount || edges >= peakAmplitudeAtEdges.count {
      return peakAmplitude
    }
    return peakAmplitudeAtEdges[edges]
  }

  private mutating func passEdge() {
    while whitener.drain() { emit() }
    let edges = sampleCount / AnalyzerSettings.edgeSampleCount
    if edges < peakAmplitudeAtEdges.count { peakAmplitudeAtEdges[edges] = peakAmplitude }
  }

  private mutating func emit() {
    guard frameCount < frameCapacity else { return }
    let row = unsafe levels.pointer + frameCount * AnalyzerSettings.binCount
    unsafe ranks.rank(whitener.whitened, into: row)
    unsafe ridges.add(whitener.whitened, to: row)
    frameCount += 1
    finder.take(whitener.whitened, into: &peaks)
  }
}
