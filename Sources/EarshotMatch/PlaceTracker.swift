public import EarshotSignature

/// Where a track that was found is playing now.
public struct TrackedPlace: Sendable, Hashable {
  /// Seconds of sound since the stream's first sample.
  public var heardSeconds: Double
  /// The place in the reference that is heard now, in seconds.
  public var position: Double
  /// The playback rate against the reference, over all that was followed.
  public var speed: Double
  /// Whether the track was still heard in the last two seconds. False when it has ended or was
  /// stopped, when it goes on at another place, or when something covers it.
  public var isHeard: Bool
  /// Seconds of the stream up to which the track was heard, to half a second.
  public var lastHeardSeconds: Double
}

/// Follows a match while sound still comes: place and speed get finer, and its end is noticed.
///
/// Made by `Matcher.tracker`. It searches nothing: it fits the place to the sound of the last half
/// minute, and the speed to the places so far, so it costs a few milliseconds a second of sound
/// however long that is. Not for several threads at once.
public struct PlaceTracker: ~Copyable {
  private let detail: DetailedScore
  /// What a fit starts from: at first the speed at which the track was found, which a second of sound may
  /// have told wrongly, and then what was measured since.
  private var hypothesisTempo: Double
  private var stretch: TrackedStretch
  private var nextStretch: TrackedStretch?
  /// Where the query lies, as seen from the present stretch's first sample.
  private var alignment: Alignment
  private var fittedFrameCount: Int
  private var sampleCount: Int
  /// The middle of the first stretch that was fitted: what the speed is measured from.
  private var anchor: (seconds: Double, position: Double)?
  private var place: TrackedPlace
  /// How far the place's speed may be off.
  private var speedError = Double.infinity

  /// Seconds of one stretch before the next begins, and for which both go on, so that a place never rests
  /// on few seconds.
  private static let stretchSeconds = (alone: 16.0, both: 12.0)
  /// Seconds whose evidence says whether the track is still heard.
  private static let recentSeconds = 2.0
  /// Nats a second that the bounded table has to find in them: a right place drifts upward in every
  /// condition, another track downward.
  private static let heardNatsPerSecond = 1.0
  /// How far the speed may be off, times the seconds of the stretch that was fitted, and times the seconds
  /// between two middles: places are off by some 4 ms.
  private static let speedErrors = (ofStretch: 0.014, ofMiddles: 0.006)
  /// Frames that are fitted anew at a time.
  private static let fitFrameCount = 60

  init(
    _ track: RankedTrack, tempo: Double, in space: SearchSpace,
    taking analyzer: consuming QueryAnalyzer
  ) throws(MatchError) {
    let layout = try space.layout(with: track.signatureIndex, others: 0)
    var alignment = track.alignment
    // Where an index is asked, this layout is not the one that the track was found in.
    alignment.reference =
      layout.references.firstIndex {
        $0.signatureIndex == track.signatureIndex && $0.frameBase == alignment.frameBase
      } ?? alignment.reference
    detail = DetailedScore(
      layout: layout, mixture: EvidenceTables.trained.mixtures[EvidenceTables.stageCount - 1])
    hypothesisTempo = tempo
    self.alignment = alignment
    sampleCount = analyzer.sampleCount
    stretch = TrackedStretch(analyzer, start: 0)
    fittedFrameCount = 0
    let seconds = Double(sampleCount) / Double(AnalyzerSettings.sampleRate)
    place = TrackedPlace(
      heardSeconds: seconds, position: alignment.seconds + alignment.tempo * seconds,
      speed: alignment.tempo, isHeard: true, lastHeardSeconds: seconds)
  }

  /// Where the track plays, with all sound so far.
  public var current: TrackedPlace { place }

  /// Takes sound that follows what came before, in pieces of any size, and returns where the track
  /// is at its end. Blocks for the time of the analysis.
  public mutating func append(_ samples: Span<Float>) -> TrackedPlace {
    stretch.append(samples)
    nextStretch?.append(samples)
    sampleCount += samples.count
    change()
    stretch.take()
    judge()
    return place
  }

  /// Goes over to the next stretch when it has settled, and begins another when it is time.
  private mutating func change() {
    let seconds = stretch.seconds
    if seconds >= Self.stretchSeconds.alone, nextStretch == nil {
      nextStretch = TrackedStretch(
        QueryAnalyzer(), start: sampleCount)
    }
    guard let settled = nextStretch?.seconds, settled >= Self.stretchSeconds.both,
      let next = nextStretch.take()
    else { return }
    let frames =
      Double(next.start - stretch.start) / Double(AnalyzerSettings.hopSampleCount)
    alignment.offset += alignment.tempo * frames
    stretch = next
    fittedFrameCount = 0
  }

  /// Whether the track is heard, and if so, where.
  private mutating func judge() {
    let frames = AnalyzerSettings.framesPerSecond
    let count = stretch.cells.frameCount
    let heard = Double(sampleCount) / Double(AnalyzerSettings.sampleRate)
    let recent = max(0, count - Int(Self.recentSeconds * frames))..<count
    let nats = detail.boundedEvidence(of: alignment, cells: stretch.cells, frames: recent)
    let now = Double(stretch.start) / Double(AnalyzerSettings.sampleRate)
    let middle = now + Double(count) / frames / 2
    let wasHeard = place.isHeard
    place.isHeard = nats > Self.heardNatsPerSecond * Double(recent.count) / frames
    place.heardSeconds = heard
    if place.isHeard {
      place.lastHeardSeconds = heard
      // What came after the track's end would only pull the place away.
      if count - fittedFrameCount >= Self.fitFrameCount {
        fittedFrameCount = count
        alignment = PlaceFit(detail: detail).fit(
          alignment, tempo: hypothesisTempo, cells: stretch.cells, frameCount: count)
        measureSpeed(middle: middle, seconds: Double(count) / frames)
        hypothesisTempo = place.speed
        if stretch.start == 0 { anchor = (middle, position(at: middle)) }
      }
    }
    if wasHeard, !place.isHeard { place.lastHeardSeconds = endSeconds(before: heard) }
    // From the middle of what was fitted, where the place is known best.
    place.position = position(at: middle) + place.speed * (heard - middle)
  }

  /// Takes the speed that is known best: of the stretch, of its middle against the first one's, or what was
  /// known before.
  private mutating func measureSpeed(middle: Double, seconds: Double) {
    let ofStretch = Self.speedErrors.ofStretch / seconds
    if ofStretch <= speedError { (place.speed, speedError) = (alignment.tempo, ofStretch) }
    guard let anchor, middle > anchor.seconds else { return }
    let ofMiddles = Self.speedErrors.ofMiddles / (middle - anchor.seconds)
    guard ofMiddles <= speedError else { return }
    place.speed = (position(at: middle) - anchor.position) / (middle - anchor.seconds)
    speedError = ofMiddles
  }

  /// When the track was heard last: where the evidence, less what has to be found, is highest when it
  /// is added up from five seconds before.
  private func endSeconds(before heard: Double) -> Double {
    let count = stretch.cells.frameCount
    let (end, _) = detail.highPoint(
      of: alignment, cells: stretch.cells, frames: max(0, count - 320)..<count,
      lessNatsPerSecond: Self.heardNatsPerSecond)
    return heard - Double(count - end) / AnalyzerSettings.framesPerSecond
  }

  /// The place in the reference at a moment of the stream, by the present fit.
  private func position(at seconds: Double) -> Double {
    let start = Double(stretch.start) / Double(AnalyzerSettings.sampleRate)
    return alignment.seconds + alignment.tempo * (seconds - start)
  }
}

/// A stretch of the stream: its levels and cells, counted from its own first sample.
struct TrackedStretch: ~Copyable {
  private var analyzer: QueryAnalyzer
  private(set) var cells: QueryCells
  /// Samples of the stream before it.
  let start: Int

  init(_ analyzer: consuming QueryAnalyzer, start: Int) {
    cells = QueryCells(frameCapacity: analyzer.frameCapacity)
    self.analyzer = analyzer
    self.start = start
    take()
  }

  var seconds: Double { Double(analyzer.sampleCount) / Double(AnalyzerSettings.sampleRate) }

  mutating func append(_ samples: Span<Float>) { analyzer.append(samples) }

  /// Makes cells of all levels so far.
  mutating func take() { Self.take(&cells, analyzer) }

  private static func take(_ cells: inout QueryCells, _ analyzer: borrowing QueryAnalyzer) {
    cells.take(from: analyzer.levelsOfFrames, upTo: analyzer.frameCount)
  }
}

extension DetailedScore {
  /// The frame at which a track that was heard until then is heard no more; the end, where it still is.
  ///
  /// A right place drifts upward in every condition, in buried sound hardly. So it is lost only where what comes
  /// after its highest point speaks against it.
  func heardEnd(of alignment: Alignment, cells: borrowing QueryCells, frames: Range<Int>) -> Int {
    let (end, fall) = highPoint(of: alignment, cells: cells, frames: frames)
    return fall > Self.lostNats ? end : frames.upperBound
  }

  /// The frame at which the bounded evidence, added up by parts of 16 frames, is highest, and how far it has
  /// fallen since. From each part so many nats a second are taken.
  func highPoint(
    of alignment: Alignment, cells: borrowing QueryCells, frames: Range<Int>,
    lessNatsPerSecond less: Double = 0
  ) -> (end: Int, fall: Double) {
    let size = 16
    let needed = less * Double(size) / AnalyzerSettings.framesPerSecond
    var (sum, highest, end) = (0.0, 0.0, frames.lowerBound)
    for start in stride(from: frames.lowerBound, to: frames.upperBound, by: size) {
      let part = start..<min(frames.upperBound, start + size)
      sum += boundedEvidence(of: alignment, cells: cells, frames: part) - needed
      if sum > highest { (highest, end) = (sum, part.upperBound) }
    }
    return (end, highest - sum)
  }

  /// Nats against a place from which it is lost.
  private static var lostNats: Double { 10 }

  /// What the bounded table finds in some of the query's frames, in nats.
  func boundedEvidence(of alignment: Alignment, cells: borrowing QueryCells, frames: Range<Int>)
    -> Double
  {
    var sum = 0
    let base = unsafe cells.pointer
    forEachPeak(of: alignment, frameCount: frames.upperBound) { frame, bin, peakClass in
      guard frame >= frames.lowerBound else { return }
      let cell = unsafe base[frame * AnalyzerSettings.binCount + bin]
      let index = EvidenceTables.index(cell: cell, peakClass: peakClass, bin: bin)
      sum += Int(mixture[index][EvidenceTables.kindCount])
    }
    return Double(sum) / Double(EvidenceTables.partsPerNat)
  }
}

extension Matcher {
  /// Follows the one track that the answer names, from here on; nil where it names none, or several.
  ///
  /// Takes the analyzer over, with all that it has heard.
  ///
  /// - Throws: `MatchError.catalog` when a catalog's peaks turn out to be unreadable.
  public func tracker(taking analyzer: consuming QueryAnalyzer) throws(MatchError)
    -> PlaceTracker?
  {
    guard let followable else { return nil }
    return try PlaceTracker(
      followable.track, tempo: followable.tempo, in: followable.space, taking: analyzer)
  }
}
