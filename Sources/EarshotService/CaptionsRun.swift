internal import EarshotCaptions
internal import EarshotCatalog
internal import EarshotClient
internal import EarshotConsent
internal import Foundation

/// Captions from their first place to their end, on a thread of their own.
///
/// It tells the follower the time, tells its own client what appears and goes away, and listens
/// again when the follower asks for it and the person has allowed that (rule B7).
struct CaptionsRun {
  let session: CaptionsSession
  let beginning: CaptionsBeginning
  let wish: CaptionsWish
  var follower: CaptionFollower
  var program: CaptionProgram
  private var item: CaptionedItem
  private var catalogPath: String
  private var toldState: CaptionFollower.State?
  private var lastPosition = -Double.infinity
  private var shownCues: [Int: String] = [:]
  /// The listening that runs by itself, and the question that is asked.
  var listening: ListeningControl?
  var asking: ListeningControl?
  /// Where the place is known by listening, not by the person's word.
  var isHeard: Bool
  private var isOver = false

  /// Seconds between two events that only tell the place.
  private static let positionSeconds = 1.0

  init(
    session: CaptionsSession, beginning: CaptionsBeginning, wish: CaptionsWish,
    item: CaptionedItem, path: String
  ) {
    self.session = session
    self.beginning = beginning
    self.wish = wish
    self.item = item
    catalogPath = path
    program = CaptionProgram(tracks: [])
    let now = ClockReading.now().seconds
    switch beginning.place {
    case .hand(let position, let speed):
      isHeard = false
      follower = CaptionFollower(
        byHand: CaptionClock(position: position, speed: speed, at: now), item: item.item.id)
    case .heard(let answer):
      isHeard = true
      follower = CaptionFollower(
        consent: .onceEach, settings: CaptionClock.Settings(checkInterval: wish.checkInterval))
      follower.listeningBegan(at: now)
      follower.listeningEnded(answer, at: now)
    }
    follower.sound = item.sound
  }

  /// Runs to the end.
  mutating func run() {
    let daemon = session.daemon
    load(item, path: catalogPath)
    if isHeard { settleConsent() }
    while !isOver {
      let reading = ClockReading.now()
      follower.tick(reading)
      show(reading)
      listen(reading)
      for arrival in session.arrivals(waitingAtMost: wait(after: ClockReading.now().seconds)) {
        take(arrival)
      }
      if session.queue.isEnded { isOver = true }
    }
    listening?.cancel(.requesterGone)
    asking?.cancel(.requesterGone)
    tell(.ended)
    session.queue.end()
    daemon.captions.end(session: session.consentSession, daemon)
    daemon.captions.remove(session)
  }

  // MARK: The item

  /// Finds an item in catalogs.
  static func item(
    _ identifier: String, _ catalogs: [String]
  ) throws(CatalogError) -> (item: CaptionedItem, path: String)? {
    for path in catalogs {
      let bytes = Array(path.utf8)
      if let item = try CaptionedItem(identifier, in: try Catalog(path: bytes), path: bytes) {
        return (item, path)
      }
    }
    return nil
  }

  /// Takes up an item: its tracks in the wished language, and its parts.
  private mutating func load(_ item: CaptionedItem, path: String) {
    tellAway(program.move(to: nil))
    self.item = item
    catalogPath = path
    follower.sound = item.sound
    let languages = item.languages(.captions)
    let language = CaptionedItem.language(
      of: languages, wishes: [wish.language, item.item.language])
    var tracks: [(kind: CaptionTrackKind, track: CaptionTrack)] = []
    var faults: [String] = []
    for kind in CaptionTrackKind.allCases {
      let found = kind == .captions ? languages : item.languages(kind)
      let tag = CaptionedItem.language(of: found, wishes: [wish.language, language])
      guard let tag else { continue }
      do throws(CaptionError) {
        guard let track = try item.track(kind, language: tag) else { continue }
        tracks.append((kind, track))
        let lost = track.faults.count { $0.severity == .error }
        if lost > 0 { faults.append("\(kind.rawValue): \(lost) cues can't be read") }
      } catch {
        faults.append("\(kind.rawValue): \(Self.word(error))")
      }
    }
    program = CaptionProgram(tracks: tracks, parts: item.parts)
    tell(
      .ready(
        CaptionsReady(
          listening: session.id, item: item.item.id, title: item.item.title,
          catalog: CatalogShelf.name(of: path),
          language: tracks.contains { $0.kind == .captions } ? language : nil,
          languages: languages, tracks: tracks.map(\.kind.rawValue), duration: item.duration,
          signLanguageVideo: item.item.signLanguageVideo, faults: faults)))
  }

  private static func word(_ error: CaptionError) -> String {
    switch error {
    case .unreadable(let code): "the file can't be read (error \(code))"
    case .notAFile: "it is no file"
    case .tooLarge: "the file is too large"
    case .unknownEncoding(let line), .notInEncoding(let line):
      "line \(line) is not UTF-8; convert the file"
    case .noSuchEncoding, .unknownFormat: "it is no caption file"
    case .outside: "it does not lie beside the catalog"
    }
  }

  // MARK: What is told

  func tell(_ event: CaptionsEvent) {
    var mayBeDropped = false
    switch event {
    case .level, .position: mayBeDropped = true
    default: break
    }
    session.queue.push(event, mayBeDropped: mayBeDropped)
  }

  private mutating func show(_ reading: ClockReading) {
    let position = follower.position(at: reading.seconds)
    tellState(reading)
    let clock = clock(reading)
    for event in program.move(to: position.map { CueTime(seconds: $0) }) {
      tell(event.isEnter ? enter(event, clock) : leave(event, clock))
    }
    if let clock, reading.seconds - lastPosition >= Self.positionSeconds {
      lastPosition = reading.seconds
      tell(.position(clock))
    }
  }

  private func tellAway(_ events: [CaptionProgram.Event]) {
    for event in events { tell(leave(event, nil)) }
  }

  private func enter(_ event: CaptionProgram.Event, _ clock: CaptionsClock?) -> CaptionsEvent {
    switch event.content {
    case .cue(let cue, let kind): .cue(CaptionsCue(cue, kind, clock))
    case .part(let item): .part(CaptionsPart(item, event, clock))
    }
  }

  private func leave(_ event: CaptionProgram.Event, _ clock: CaptionsClock?) -> CaptionsEvent {
    switch event.content {
    case .cue(let cue, let kind): .cueEnd(CaptionsCue(cue, kind, clock))
    case .part(let item): .partEnd(CaptionsPart(item, event, clock))
    }
  }

  private func clock(_ reading: ClockReading) -> CaptionsClock? {
    guard follower.state == .following, let known = follower.clock?.reading(at: reading.seconds)
    else { return nil }
    return CaptionsClock(
      position: known.position, speed: known.speed, uncertainty: known.uncertainty,
      rate: known.rate?.rawValue, monotonic: reading.monotonicNanoseconds)
  }

  /// Tells a change of what is known, and every place that was found or checked.
  private mutating func tellState(_ reading: ClockReading, isNews: Bool = false) {
    guard follower.state != toldState || isNews else { return }
    toldState = follower.state
    let next = follower.nextListening().map { max(0, $0 - reading.seconds) }
    switch follower.state {
    case .searching: break
    case .following:
      if let clock = clock(reading) {
        tell(.following(CaptionsFollowing(clock: clock, nextListening: next)))
      }
    case .inDoubt: tell(.doubt)
    case .lost(let loss): tell(.lost(CaptionsLost(reason: loss.rawValue, nextListening: next)))
    }
  }

  /// Seconds until something happens by itself.
  private func wait(after now: Double) -> Double {
    var next = follower.nextChange(after: now)
    if let position = follower.position(at: now), let clock = follower.clock,
      let change = program.change(after: CueTime(seconds: position)),
      let time = clock.time(of: change.seconds, from: now)
    {
      next = min(next, time)
    }
    return next - now
  }

  // MARK: What arrives

  private mutating func take(_ arrival: CaptionsSession.Arrival) {
    let reading = ClockReading.now()
    switch arrival {
    case .gone: isOver = true
    case .changed(let change): take(change, reading)
    case .asked(let prompt): tell(.prompt(id: prompt))
    case .answered:
      asking = nil
      if isAllowed { follower.consent = .whileOn }
      tellState(reading, isNews: true)
    case .listened(let event, let byPress): take(event, byPress: byPress, reading)
    }
  }

  private mutating func take(_ event: ListenEvent, byPress: Bool, _ reading: ClockReading) {
    switch event {
    case .prompt(let id): tell(.prompt(id: id))
    case .saved: break
    case .listening(let use, let source, let limit):
      follower.listeningBegan(at: reading.seconds)
      tell(.listening(use: use, source: source, limit: limit))
    case .level(let seconds, let peak, let left):
      tell(.level(seconds: seconds, peakDecibels: peak, secondsLeft: left))
    case .closed(let milliseconds, let reason):
      tell(.closed(milliseconds: milliseconds, reason: reason))
    case .result(let result):
      if !byPress { listening = nil }
      take(result, reading)
    }
  }

  private mutating func take(_ result: ListenResult, _ reading: ClockReading) {
    isHeard = true
    follower.listeningEnded(Self.answer(result), at: reading.seconds)
    if case .lost(.denied) = follower.state { follower.consent = .onceEach }
    if follower.state == .following, let found = follower.item, found != item.item.id,
      let other = try? Self.item(found, beginning.catalogs)
    {
      load(other.item, path: other.path)
    }
    follower.sound = item.sound
    tellState(reading, isNews: true)
  }

  private mutating func take(_ change: CaptionsChange, _ reading: ClockReading) {
    if let shift = change.shift { follower.shift(by: shift) }
    guard change.position != nil || change.speed != nil else { return }
    let known = follower.clock?.reading(at: reading.seconds)
    follower = CaptionFollower(
      byHand: CaptionClock(
        position: change.position ?? known?.position ?? 0,
        speed: change.speed ?? known?.speed ?? 1, at: reading.seconds), item: item.item.id)
    follower.sound = item.sound
    isHeard = false
    tellState(reading, isNews: true)
  }
}
