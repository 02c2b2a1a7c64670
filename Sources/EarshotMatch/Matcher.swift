public import EarshotSignature

/// Matches one stream of sound against a search space, while it comes in.
///
/// The matcher looks at fixed moments of the sound, however the sound is cut into pieces, so the
/// same sound always gives the same answer at the same moment. It never sees a sample: it reads the
/// analyzer's levels. Not for several threads at once; any number of matchers can share one search
/// space.
public struct Matcher: ~Copyable {
  private let space: SearchSpace
  private let options: MatchOptions
  private var listening: Listening?
  private var schedule = LookSchedule.sampleCounts
  private var nextLook = 0
  private var looks: [MatchExplanation.Look] = []
  private var answer: MatchAnswer?
  private var certainTracks: [RankedTrack] = []
  private var certainty = 0.0

  /// Seconds after which silence is told.
  static let silenceSeconds = 1.0
  /// A peak sample below this is silence: the two lowest steps of 16 bits.
  static let silentAmplitude: Float = 2.5 / 32768
  /// A peak sample below this, -60 dB, is too faint to carry evidence.
  static let faintAmplitude: Float = 0.001
  /// Sound shorter than this, in seconds, that has no certain answer is too short to deny one.
  static let denialSeconds = 2.0

  /// Makes a matcher at the beginning of a stream.
  public init(_ space: SearchSpace, options: MatchOptions = MatchOptions()) {
    self.space = space
    self.options = options
  }

  /// Weighs the sound that has come in since the last call.
  ///
  /// Call it after every piece. The answer comes at the first certain moment and stays; nil means
  /// not certain yet. Blocks for the time of the search.
  ///
  /// - Throws: `MatchError.catalog` when a catalog's peaks turn out to be unreadable.
  public mutating func look(at analyzer: borrowing QueryAnalyzer) throws(MatchError) -> MatchAnswer?
  {
    while answer == nil, nextLook < schedule.count, schedule[nextLook] <= analyzer.sampleCount {
      let heard = schedule[nextLook]
      nextLook += 1
      if let fault = signalFault(at: analyzer, heard: heard) {
        if options.endsAtSilence, seconds(heard) >= Self.silenceSeconds {
          answer = MatchAnswer(
            kind: .noSignal(fault), heardSeconds: seconds(heard), candidates: [])
        }
        continue
      }
      answer = try weigh(analyzer, heard: heard, isLast: false)
    }
    return answer
  }

  /// Weighs the rest and answers: at the end of the sound, or at the limit.
  ///
  /// At the end of a file call `QueryAnalyzer.finish` first, so that its last frames count.
  ///
  /// - Throws: `MatchError.catalog` when a catalog's peaks turn out to be unreadable.
  public mutating func finish(at analyzer: borrowing QueryAnalyzer) throws(MatchError)
    -> MatchAnswer
  {
    // Whoever has not looked before does not ask for the earliest moment: fewer looks will do.
    schedule = nextLook == 0 ? LookSchedule.sparseSampleCounts : schedule
    if let answer = try look(at: analyzer) { return followed(answer, at: analyzer) }
    let heard = analyzer.sampleCount
    if let fault = signalFault(at: analyzer, heard: heard) {
      return MatchAnswer(kind: .noSignal(fault), heardSeconds: seconds(heard), candidates: [])
    }
    if let last = try weigh(analyzer, heard: heard, isLast: true) { return last }
    let kind: MatchAnswer.Kind = seconds(heard) < Self.denialSeconds ? .tooShort : .noMatch
    return MatchAnswer(
      kind: kind, heardSeconds: seconds(heard), candidates: [], explanation: explanation(of: nil))
  }

  /// The answer with its places refined by the sound that came after the deciding look.
  private mutating func followed(_ answer: MatchAnswer, at analyzer: borrowing QueryAnalyzer)
    -> MatchAnswer
  {
    guard !certainTracks.isEmpty else { return answer }
    for index in certainTracks.indices {
      guard let track = listening?.followed(certainTracks[index], at: analyzer) else { continue }
      certainTracks[index] = track
    }
    return self.answer(
      certainTracks, certainty: certainty, heard: analyzer.sampleCount) ?? answer
  }

  private func seconds(_ sampleCount: Int) -> Double {
    Double(sampleCount) / Double(AnalyzerSettings.sampleRate)
  }

  private func signalFault(at analyzer: borrowing QueryAnalyzer, heard sampleCount: Int)
    -> MatchAnswer.SignalFault?
  {
    let peak = analyzer.peakAmplitude(inFirst: sampleCount)
    if peak < Self.silentAmplitude { return .silent }
    return peak < Self.faintAmplitude ? .faint : nil
  }

  /// One look: nil while nothing is certain.
  private mutating func weigh(
    _ analyzer: borrowing QueryAnalyzer, heard sampleCount: Int, isLast: Bool
  ) throws(MatchError) -> MatchAnswer? {
    if listening == nil {
      listening = try Listening(
        space, speeds: options.speeds, tables: .trained, frameCapacity: analyzer.frameCapacity)
    }
    let frames = min(
      AnalyzerSettings.frameCount(ofSampleCount: sampleCount), analyzer.frameCount)
    guard frames > 0 else { return nil }
    listening?.advance(to: frames, heard: sampleCount, at: analyzer, isLast: isLast)
    guard let ranking = listening?.ranking(heard: sampleCount), let best = ranking.first else {
      return nil
    }
    let decision = Decision(heardSeconds: seconds(sampleCount))
    let verdict = decision.verdict(ranking)
    if options.explains {
      looks.append(
        MatchExplanation.Look(
          heardSeconds: seconds(sampleCount), best: best.score.evidence,
          bestOther: ranking.dropFirst().first?.score.evidence ?? 0, certainty: verdict.certainty))
    }
    if verdict.certainTrackCount == 1 || verdict.bestStandsOut {
      return answer([best], certainty: verdict.certainty, heard: sampleCount)
    }
    // Several tracks hold this sound. They may part later, so that is told at the end only.
    guard isLast, verdict.certainTrackCount > 1 else { return nil }
    return answer(
      Array(ranking.prefix(verdict.certainTrackCount)), certainty: verdict.certainty,
      heard: sampleCount)
  }

  private mutating func answer(
    _ tracks: [RankedTrack], certainty: Double, heard sampleCount: Int
  ) -> MatchAnswer? {
    certainTracks = tracks
    self.certainty = certainty
    let heard = seconds(sampleCount)
    var candidates: [MatchCandidate] = []
    for track in tracks {
      let place = space.places[track.signatureIndex]
      let offset = track.alignment.offset / AnalyzerSettings.framesPerSecond
      let speed = heard >= Self.speedSeconds ? track.alignment.tempo : nil
      let items = space.itemIndices(
        ofSignature: track.signatureIndex, at: offset + heard / 2, speed: speed)
      candidates += items.map { itemIndex in
        MatchCandidate(
          catalogIndex: place.catalogIndex, itemIndex: itemIndex,
          signatureIndex: place.signatureIndex, offset: offset, speed: speed,
          confidence: Self.confidence(certainty), coverage: track.score.coverage,
          places: [offset], evidence: track.score.evidence)
      }
    }
    guard !candidates.isEmpty else { return nil }
    let kind: MatchAnswer.Kind = candidates.count == 1 ? .match : .ambiguous
    return MatchAnswer(
      kind: kind, heardSeconds: heard,
      candidates: Array(candidates.prefix(options.candidateCountMax)),
      explanation: explanation(of: tracks.first))
  }

  /// The looks so far and the peaks that `track` promises, where the options ask for them.
  private func explanation(of track: RankedTrack?) -> MatchExplanation? {
    guard options.explains else { return nil }
    let peaks = track.flatMap { listening?.explainedPeaks(of: $0.alignment) }
    return MatchExplanation(peaks: peaks ?? [], looks: looks)
  }

  /// Seconds from which the speed is known to 1 %.
  static let speedSeconds = 2.0

  private static func confidence(_ certainty: Double) -> Double {
    1 - 1e-4 * min(1, max(0, Decision.acceptedCertainty / certainty))
  }
}
