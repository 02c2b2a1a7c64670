/// What takes the peaks of a whitened spectrogram as they are found.
protocol PeakSink: ~Copyable {
  /// Takes a peak; frames never go back.
  mutating func add(frame: Int, bin: Int, height: Int16)
  /// Says that all peaks up to and with `frame` have been added.
  mutating func complete(throughFrame frame: Int)
}

/// A peak of the query, by which large catalogs are looked up.
public struct QueryPeak: Sendable, Hashable, BitwiseCopyable {
  /// The frame.
  public var frame: Int32
  /// The bin.
  public var bin: Int16
  /// The height over its surroundings, in parts of a decibel.
  public var height: Int16
}

/// All peaks of a query so far. Nothing is chosen: whoever looks up takes the highest of a stretch.
struct QueryPeaks: ~Copyable, PeakSink {
  /// Peaks so far.
  private(set) var count = 0
  /// Frames that have no more peaks to come.
  private(set) var frameCount = 0
  private let peaks: WipedBuffer<QueryPeak>

  /// Room for peaks in a frame, on average; music has fewer than three.
  private static let peaksPerFrame = 6

  init(frameCapacity: Int) {
    peaks = WipedBuffer(count: max(1, frameCapacity * Self.peaksPerFrame))
  }

  /// The peaks, by frame and bin.
  var span: Span<QueryPeak> {
    @_lifetime(borrow self)
    get { peaks.span.extracting(first: count) }
  }

  mutating func add(frame: Int, bin: Int, height: Int16) {
    guard count < peaks.count else { return }
    unsafe peaks.pointer[count] = QueryPeak(
      frame: Int32(truncatingIfNeeded: frame), bin: Int16(truncatingIfNeeded: bin), height: height)
    count += 1
  }

  mutating func complete(throughFrame frame: Int) { frameCount = frame + 1 }
}

extension QueryAnalyzer {
  /// The peaks of the frames up to `peakFrameCount`, by frame and bin.
  public var peaksOfFrames: Span<QueryPeak> {
    @_lifetime(borrow self)
    get { peaks.span }
  }

  /// Frames whose peaks are all there: at most three fewer than those that have levels.
  public var peakFrameCount: Int { peaks.frameCount }
}
