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
  private let answers: AnswerMaker
  private var expectation: ExpectedSearch?
  private var laterExpectation: ExpectedSearch?
  private var listening: Listening?
  private var schedule = LookSchedule.sampleCounts
  private var nextLook = 0
  private var looks: [MatchExplanation.Look] = []
  private var answer: MatchAnswer?
  private var absence = Absence()
  /// The tracks that are certain by now, and the probability that they are right.
  private var found: (tracks: [LocatedTrack], confidence: Double)?

  /// Seconds after which silence is told.
  static let silenceSeconds = 1.0
  /// A peak sample below this is silence: the two lowest steps of 16 bits.
  static let silentAmplitude: Float = 2.5 / 32768
  /// A peak sample below this, -60 dB, is too faint to carry evidence.
  static let faintAmplitude: Float = 0.001
  /// Sound shorter than this, in seconds, that has no certain answer is too short to deny one.
  static let denialSeconds = 2.0
  /// Seconds for which an expected place alone is tested.
  static let expectationSeconds = 2.0
  /// Seconds heard at which an expected place that is not certain is tested afresh, by what comes from
  /// there on alone: a scene that begins in silence, or in what noise hides, would weigh on the rest.
  static let laterStarts = [1.0, 2, 3, 4.2, 5]

  /// Seconds from which an expected place is told where it is to be exact: of half as much sound one
  /// place in twenty is off by a tenth of a second, however certain it is.
  static let exactSeconds = 0.8

  /// Seconds before one place of a sound is told that the catalog knows to come more than once: what noise
  /// hides parts equal places too, and then the wrong one may be left.
  static let repeatedSeconds = 5.0

  /// Makes a matcher at the beginning of a stream.
  public init(_ space: SearchSpace, options: MatchOptions = MatchOptions()) {
    self.space = space
    self.options = options
    answers = AnswerMaker(space: space, options: options)
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
      if answer == nil, options.endsAtAbsence, found == nil,
        absence.isSure(heardSeconds: seconds(heard), at: analyzer)
      {
        answer = MatchAnswer(
          kind: .noMatch, heardSeconds: seconds(heard), candidates: [],
          explanation: explanation(of: nil))
      }
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
    if nextLook == 0 {
      schedule =
        space.isGated ? LookSchedule.gatedSampleCounts : LookSchedule.sparseSampleCounts
    }
    if let answer = try look(at: analyzer) { return followed(answer, at: analyzer) }
    let heard = analyzer.sampleCount
    if let fault = signalFault(at: analyzer, heard: heard) {
      return MatchAnswer(kind: .noSignal(fault), heardSeconds: seconds(heard), candidates: [])
    }
    if let last = try weigh(analyzer, heard: heard, isLast: true) { return last }
    // Certain, though not of the one place that was asked for.
    if let pending = known(heard: heard) { return followed(pending, at: analyzer) }
    let kind: MatchAnswer.Kind = seconds(heard) < Self.denialSeconds ? .tooShort : .noMatch
    return MatchAnswer(
      kind: kind, heardSeconds: seconds(heard), candidates: [], explanation: explanation(of: nil))
  }

  /// The answer with its places refined by the sound that came after the deciding look.
  private mutating func followed(_ answer: MatchAnswer, at analyzer: borrowing QueryAnalyzer)
    -> MatchAnswer
  {
    guard var refined = found, listening != nil, answer.startSeconds == 0 else { return answer }
    for index in refined.tracks.indices {
      let known = refined.tracks[index].track
      guard let track = listening?.followed(known, at: analyzer) else { continue }
      refined.tracks[index].move(to: track)
      // Which place is the best one may show only now.
      let places = refined.tracks[index].places
      if let ordered = listening?.ordered(track, places: places) {
        refined.tracks[index] = ordered
      }
    }
    // Not by way of found?.tracks: Swift 6.3 loses the old array then, without optimisation.
    found = refined
    return known(heard: analyzer.sampleCount) ?? answer
  }

  /// What a tracker needs of the one track that was found; nil where there is none, or several.
  var followable: (track: RankedTrack, tempo: Double, space: SearchSpace)? {
    guard let track = found?.tracks.first?.track, found?.tracks.count == 1 else { return nil }
    return (track, listening?.hypothesisTempo(of: track) ?? track.alignment.tempo, space)
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
    let frames = min(
      AnalyzerSettings.frameCount(ofSampleCount: sampleCount), analyzer.frameCount)
    guard frames > 0 else { return nil }
    if let expected = options.expected {
      if try weigh(expected, analyzer, frameCount: frames, heard: sampleCount) {
        // Who expected it knows the speed already, so that the place alone is to be settled.
        let isEnough = expected.confirmsOnly || seconds(sampleCount) >= Self.exactSeconds
        guard isEnough || isLast else { return nil }
        return known(heard: sampleCount)
      }
      if let later = try weighLater(
        expected, analyzer, frameCount: frames, heard: sampleCount, isLast: isLast)
      {
        return later
      }
      let isAlone = expectation != nil && seconds(sampleCount) <= Self.expectationSeconds
      if isAlone && !isLast { return nil }
    }
    if listening == nil {
      listening = try Listening(
        space, speeds: options.speeds, tables: .trained, frameCapacity: analyzer.frameCapacity)
    }
    try listening?.advance(to: frames, heard: sampleCount, at: analyzer, isLast: isLast)
    guard var ranking = try listening?.ranking(heard: sampleCount) else { return nil }
    let decision = Decision(heardSampleCount: sampleCount)
    if isLast, decision.verdict(ranking).certainTrackCount == 0,
      let all = try listening?.outlineRanking(heard: sampleCount)
    {
      ranking = all
    }
    guard let best = ranking.first else { return nil }
    let verdict = decision.verdict(ranking)
    note(best, bestOther: ranking.dropFirst().first, verdict.certainty, heard: sampleCount)
    absence.note(certainty: verdict.certainty, heardSeconds: seconds(sampleCount))
    if let shared = try shared(ranking, by: decision) {
      // The catalog knows that others hold this sound: only what tells them apart decides.
      let isSettled = shared.isLasting && seconds(sampleCount) >= AnswerMaker.speedSeconds
      guard shared.rivals.isEmpty || isSettled || isLast else { return nil }
      found = (
        located([best] + shared.rivals), decision.confidence(of: best, certainty: shared.certainty)
      )
      return shared.rivals.isEmpty
        ? decided(heard: sampleCount, isLast: isLast) : known(heard: sampleCount)
    }
    if verdict.certainTrackCount == 1 || verdict.bestStandsOut {
      found = (located([best]), decision.confidence(of: best, certainty: verdict.certainty))
      return decided(heard: sampleCount, isLast: isLast)
    }
    // Several tracks hold this sound. They may part later, so that is told at the end only.
    guard isLast, verdict.certainTrackCount > 1 else { return nil }
    found = (
      located(Array(ranking.prefix(verdict.certainTrackCount))),
      decision.confidence(of: best, certainty: verdict.certainty)
    )
    return known(heard: sampleCount)
  }

  private mutating func shared(_ ranking: [RankedTrack], by decision: Decision)
    throws(MatchError) -> SharedSound?
  {
    let frameLimit = options.limitSeconds.map { Int($0 * AnalyzerSettings.framesPerSecond) }
    return try listening?.judge(
      ranking, by: decision, in: space, frameLimit: frameLimit)
  }

  /// Tests the expected place alone; true when it is certain.
  private mutating func weigh(
    _ expected: ExpectedPlace, _ analyzer: borrowing QueryAnalyzer, frameCount: Int,
    heard sampleCount: Int
  ) throws(MatchError) -> Bool {
    if expectation == nil, listening == nil {
      expectation = try ExpectedSearch(
        expected, in: space, tables: .trained, frameCapacity: analyzer.frameCapacity)
    }
    guard
      let look = expectation?.look(at: analyzer, frameCount: frameCount, heard: sampleCount)
    else { return false }
    note(look.track, bestOther: nil, look.certainty, heard: sampleCount)
    guard look.certainty > Decision.expectedCertainty else { return false }
    found = confirmed(look, heard: sampleCount)
    return true
  }

  /// The expected place as what was found.
  private func confirmed(_ look: (track: RankedTrack, certainty: Double), heard sampleCount: Int)
    -> (tracks: [LocatedTrack], confidence: Double)
  {
    let decision = Decision(heardSampleCount: sampleCount, isExpected: true)
    return (
      [LocatedTrack(look.track, places: [look.track.alignment])],
      decision.confidence(of: look.track, certainty: look.certainty)
    )
  }

  /// Tests the expected place by the latest sound alone, and begins anew with that when it is time; the
  /// answer where it is certain.
  private mutating func weighLater(
    _ expected: ExpectedPlace, _ analyzer: borrowing QueryAnalyzer, frameCount: Int,
    heard sampleCount: Int, isLast: Bool
  ) throws(MatchError) -> MatchAnswer? {
    let (start, firstFrame) = (
      laterExpectation?.firstSample ?? .max, laterExpectation?.firstFrame ?? 0
    )
    if sampleCount > start,
      let look = laterExpectation?.look(at: analyzer, frameCount: frameCount, heard: sampleCount),
      look.certainty > Decision.expectedCertainty,
      expected.confirmsOnly || isLast || seconds(sampleCount - start) >= Self.exactSeconds
    {
      found = confirmed(look, heard: sampleCount - start)
      var answer = known(heard: sampleCount - start)
      answer?.startSeconds = Double(firstFrame) / AnalyzerSettings.framesPerSecond
      return answer
    }
    guard Self.laterStarts.contains(seconds(sampleCount)), !isLast else { return nil }
    laterExpectation = try ExpectedSearch(
      expected, in: space, tables: .trained, frameCapacity: analyzer.frameCapacity,
      firstFrame: frameCount, firstSample: sampleCount)
    return nil
  }

  /// What is certain, as soon as it is all that was asked for.
  private mutating func decided(heard sampleCount: Int, isLast: Bool) -> MatchAnswer? {
    guard options.goal == .place, !isLast else {
      // A check of an expected place ends too soon to tell it from another one of the same sound.
      if options.goal == .place, options.expected != nil, let track = found?.tracks.first?.track,
        seconds(sampleCount) < Self.repeatedSeconds, isRepeated(track, heard: sampleCount)
      {
        found = nil
        return nil
      }
      return known(heard: sampleCount)
    }
    guard let located = found?.tracks.first, located.places.count == 1 else { return nil }
    let least =
      isRepeated(located.track, heard: sampleCount)
      ? Self.repeatedSeconds : AnswerMaker.speedSeconds
    return seconds(sampleCount) >= least ? known(heard: sampleCount) : nil
  }

  /// Whether the catalog has recorded that the track holds what was heard somewhere else too.
  private func isRepeated(_ track: RankedTrack, heard sampleCount: Int) -> Bool {
    let start = Double(track.alignment.frameBase) + track.alignment.offset
    let end =
      start + track.alignment.tempo
      * Double(AnalyzerSettings.frameCount(ofSampleCount: sampleCount))
    let frames = max(0, Int(start))..<max(0, Int(start), Int(end))
    return space.passages.twins(ofSignature: track.signatureIndex, frames: frames)
      .contains { $0.signatureIndex == track.signatureIndex }
  }

  private mutating func located(_ tracks: [RankedTrack]) -> [LocatedTrack] {
    var located: [LocatedTrack] = []
    for track in tracks {
      located.append(
        listening?.located(track) ?? LocatedTrack(track, places: [track.alignment]))
    }
    return located
  }

  /// The answer that the tracks found so far make.
  private mutating func known(heard sampleCount: Int) -> MatchAnswer? {
    guard let found else { return nil }
    return answers.answer(
      found.tracks, confidence: found.confidence, heardSeconds: seconds(sampleCount),
      explanation: explanation(of: found.tracks.first?.track))
  }

  private mutating func note(
    _ best: RankedTrack, bestOther: RankedTrack?, _ certainty: Double, heard sampleCount: Int
  ) {
    guard options.explains else { return }
    looks.append(
      MatchExplanation.Look(
        heardSeconds: seconds(sampleCount), best: best.score.evidence,
        bestOther: bestOther?.score.evidence ?? 0, certainty: certainty))
  }

  /// The looks so far and the peaks that `track` promises, where the options ask for them.
  private func explanation(of track: RankedTrack?) -> MatchExplanation? {
    guard options.explains else { return nil }
    let peaks = track.flatMap { listening?.explainedPeaks(of: $0.alignment) }
    return MatchExplanation(peaks: peaks ?? [], looks: looks)
  }
}
