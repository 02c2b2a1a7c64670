internal import EarshotCaptions
internal import EarshotCatalog
internal import EarshotClient
internal import Foundation

/// Captions while they are on: tells the follower the time, and shows what it says may be shown.
///
/// On a terminal in front it has the screen and takes keys; else it prints a line for each cue when
/// its time comes, or with `--json` an event.
struct CaptionsShow {
  let plan: CaptionsPlan
  let console: Console
  let catalogs: CaptionedCatalogs
  var choice: CaptionsChoice?
  var program: CaptionProgram
  var follower: CaptionFollower
  var screen: CaptionsScreen?
  var listening: CaptionsListening?
  private var toldState: CaptionFollower.State?
  /// When the place was last told by itself, in seconds of the monotonic clock.
  private var toldPosition = -Double.infinity
  private var heldSpeed: Double?
  private var lastPosition: Double
  var end: Int32?

  /// Reads the files and sets the clock; what cannot be read is an error before anything is shown.
  init(_ plan: CaptionsPlan, console: Console) throws(CommandError) {
    self.plan = plan
    self.console = console
    let isHeard: Bool
    switch plan.source {
    case .hand(let time, let speed):
      isHeard = false
      lastPosition = time
      follower = CaptionFollower(
        byHand: CaptionClock(position: time, speed: speed, at: ClockReading.now().seconds),
        item: plan.item)
    case .heard(let interval):
      isHeard = true
      lastPosition = 0
      follower = CaptionFollower(
        consent: .onceEach, settings: CaptionClock.Settings(checkInterval: interval),
        wanted: plan.item)
    }
    catalogs = try CaptionedCatalogs(plan.catalogs, isNeeded: isHeard || plan.item != nil)
    choice = try Self.choice(plan, catalogs, isHeard: isHeard, language: console.language)
    program = choice?.program ?? CaptionProgram(tracks: [])
    follower.sound = choice?.sound
    if isHeard {
      listening = try CaptionsListening(plan, catalogs: catalogs.paths, console: console)
    }
  }

  /// Shows captions to their end and returns the exit status.
  mutating func run() throws(CommandError) -> Int32 {
    if let choice, choice.isEmptyFile {
      console.note(
        Report.text(CaptionsText.explain(.unknownFormat, name: choice.fileName)))
    }
    if let text = CaptionsText.beyond(program.end, at: lastPosition), listening == nil {
      console.note(text)
    }
    listening?.begin()
    if listening?.isAllowedWhileOn() == true { follower.consent = .whileOn }
    if !plan.wantsJSON, isatty(console.output) == 1 { screen = CaptionsScreen() }
    while end == nil {
      if Interruption.isRequested || console.isClosed {
        end = Interruption.isRequested ? Interruption.exitStatus : 0
        break
      }
      let reading = ClockReading.now()
      follower.tick(reading)
      listen(reading)
      show(reading)
      finishIfOver(reading)
      guard end == nil else { break }
      wait()
      takeKeys()
      try takeArrivals()
    }
    return finish()
  }

  // MARK: What is shown

  /// The captions that are known before anything is heard.
  private static func choice(
    _ plan: CaptionsPlan, _ catalogs: CaptionedCatalogs, isHeard: Bool, language: Language
  ) throws(CommandError) -> CaptionsChoice? {
    if let file = plan.file {
      var item = plan.item
      if item == nil, isHeard || !catalogs.paths.isEmpty {
        item = try catalogs.onlyItem()
        // Shown at the place of any item that is heard, the file would be wrong for all but one.
        if item == nil { throw .explained(CaptionsText.whichItem, .error) }
      }
      return try CaptionsChoice(
        file: file, item: item, catalogs: catalogs, options: plan.options,
        language: plan.language)
    }
    guard let item = plan.item else { return nil }
    let choice = try CaptionsChoice(
      item: item, catalogs: catalogs, options: plan.options, language: plan.language,
      person: language.rawValue)
    guard let choice else { throw .explained(CaptionsText.noCaptions(item), .error) }
    return choice
  }

  private mutating func show(_ reading: ClockReading) {
    let position = follower.position(at: reading.seconds)
    if let position { lastPosition = position }
    tellState(reading)
    let place = position.map { CueTime(seconds: $0) }
    for event in program.move(to: place) { tell(event, reading) }
    if plan.wantsJSON, let clock = follower.clock, position != nil,
      reading.seconds - toldPosition >= 1
    {
      toldPosition = reading.seconds
      console.print(
        CaptionsRecord.event(
          "position", at: position, reading,
          CaptionsRecord.members(of: clock.reading(at: reading.seconds), item: follower.item)
        ).text)
    }
    draw(reading)
  }

  func tell(_ event: CaptionProgram.Event, _ reading: ClockReading) {
    if plan.wantsJSON {
      console.print(
        CaptionsRecord.event(
          event.isEnter ? "enter" : "leave", at: follower.position(at: reading.seconds), reading,
          CaptionsRecord.members(of: event)
        ).text)
    } else if screen == nil, event.isEnter, case .cue(let cue, let kind) = event.content,
      kind == .captions || kind == .descriptions && plan.showsDescriptions
    {
      let text = cue.text.split(separator: "\n").joined(separator: " / ")
      let shown = kind == .captions ? Shown.text(text) : "(\(Shown.text(text)))"
      console.print("[\(cue.start)] \(shown)")
    }
  }

  /// Tells a change of what is known, once each.
  private mutating func tellState(_ reading: ClockReading) {
    guard follower.state != toldState else { return }
    toldState = follower.state
    let name: String
    var members: [JSONText.Member] = []
    switch follower.state {
    case .searching: name = "searching"
    case .following:
      name = "following"
      if let clock = follower.clock?.reading(at: reading.seconds) {
        members = CaptionsRecord.members(of: clock, item: follower.item)
      }
    case .inDoubt: name = "in-doubt"
    case .lost(let loss):
      name = "lost"
      members = [.init("reason", .string(loss.rawValue))]
    }
    if plan.wantsJSON {
      let position = follower.position(at: reading.seconds)
      console.print(CaptionsRecord.event(name, at: position, reading, members).text)
    } else if screen == nil {
      for line in message(reading) { console.note(line) }
    }
  }

  /// What stands on the screen while no place is known.
  private func message(_ reading: ClockReading) -> [String] {
    switch follower.state {
    case .following: []
    case .searching, .inDoubt: ["Finding the place …"]
    case .lost(let loss):
      ["Lost the place", CaptionsText.describe(loss), nextStep(loss, reading)]
        .filter { !$0.isEmpty }
    }
  }

  private func nextStep(_ loss: CaptionFollower.Loss, _ reading: ClockReading) -> String {
    guard let listening else { return screen == nil ? "" : "Space goes on from here." }
    if listening.isRunning { return screen == nil ? "" : "Finding the place again …" }
    if let next = follower.nextListening(), next > reading.seconds {
      let seconds = max(1, Int((next - reading.seconds).rounded(.up)))
      return "Listening again in \(seconds) s. f finds the place again now."
    }
    return screen == nil ? "" : "f finds the place again."
  }

  /// The cues to draw: captions and, where they are wished, descriptions above them in brackets.
  private var shownCues: [Cue] {
    guard plan.showsDescriptions else { return program.shown(.captions) }
    let descriptions = program.shown(.descriptions).map { cue in
      var described = cue
      described.spans = [CueSpan(text: "(\(cue.text))", style: .italic)]
      described.placement.fromTop = 0
      return described
    }
    return descriptions + program.shown(.captions)
  }

  private mutating func draw(_ reading: ClockReading) {
    guard let screen, !screen.isPaused else { return }
    let picture = CaptionsPicture(
      size: screen.size, cues: shownCues,
      message: message(reading), status: status(reading, columns: screen.size.columns),
      isLarge: plan.isLarge)
    screen.show(picture.rows)
  }

  /// The line at the bottom: the microphone while it is open, else place, rate, shift and keys.
  private func status(_ reading: ClockReading, columns: Int) -> String {
    if let line = listening?.meter { return " " + line }
    var line = CaptionsStatusLine(
      title: (choice?.item).map { Shown.text($0.title) },
      chapter: program.shown(.chapters).last?.text.split(separator: "\n").first.map(String.init),
      keys: listening == nil ? "← → shift  Space hold  q end" : "← → shift  f find  q end")
    if let position = follower.position(at: reading.seconds), let clock = follower.clock {
      let known = clock.reading(at: reading.seconds)
      line.place = String(CueTime(seconds: position).description.prefix { $0 != "." })
      line.rate =
        known.speed == 0
        ? "held" : "×" + (known.rate?.rawValue ?? JSONText.plain(known.speed, digits: 3))
      if known.uncertainty > 0 {
        line.uncertainty = "±\(Int((known.uncertainty * 1000).rounded(.up))) ms"
      }
      if clock.shift != 0 { line.shift = "shift \(JSONText.plain(clock.shift, digits: 1)) s" }
    }
    return line.text(columns: columns)
  }

  // MARK: Time and keys

  /// Sleeps until the next cue comes or goes, a key is pressed, or something arrives.
  private mutating func wait() {
    let now = ClockReading.now().seconds
    var next = follower.nextChange(after: now)
    if let position = follower.position(at: now), let clock = follower.clock {
      let place = CueTime(seconds: position)
      if let change = program.change(after: place),
        let time = clock.time(of: change.seconds, from: now)
      {
        next = min(next, time)
      }
    }
    var waits = [
      pollfd(fd: Interruption.cancellation.descriptor, events: Int16(POLLIN), revents: 0)
    ]
    if let screen, !screen.isPaused {
      waits.append(pollfd(fd: screen.descriptor, events: Int16(POLLIN), revents: 0))
    }
    for descriptor in listening?.descriptors ?? [] {
      waits.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    }
    let milliseconds = ((next - now) * 1000).rounded(.up)
    _ = unsafe poll(&waits, nfds_t(waits.count), Int32(min(max(milliseconds, 0), 1000)))
  }

  private mutating func takeKeys() {
    guard let screen, !screen.isPaused else { return }
    guard let keys = screen.keys() else {
      end = 0
      return
    }
    let now = ClockReading.now().seconds
    for key in keys {
      switch key {
      case .leave, .character("q"): end = 0
      case .forward: follower.shift(by: -0.1)
      case .back: follower.shift(by: 0.1)
      case .character(">"): follower.shift(by: -1)
      case .character("<"): follower.shift(by: 1)
      case .character("f") where listening != nil: follower.findAgain(at: now)
      case .character(" ") where listening == nil: hold(at: now)
      default: break
      }
    }
  }

  /// Holds captions that run by hand, or lets them go on from where they are.
  private mutating func hold(at now: Double) {
    let speed: Double
    if let held = heldSpeed {
      speed = held
      heldSpeed = nil
    } else if follower.state == .following {
      heldSpeed = follower.clock?.reading(at: now).speed
      speed = 0
    } else {
      speed = follower.clock?.reading(at: now).speed ?? 1
    }
    follower = CaptionFollower(
      byHand: CaptionClock(position: lastPosition, speed: speed, at: now), item: follower.item)
    follower.sound = choice?.sound
  }

  /// Captions by hand are over a moment after the last of them.
  private mutating func finishIfOver(_ reading: ClockReading) {
    guard listening == nil, choice != nil else { return }
    if lastPosition > program.end.seconds + 1 || follower.state == .lost(.ended) { end = 0 }
  }

  private mutating func finish() -> Int32 {
    let reading = ClockReading.now()
    for event in program.move(to: nil) { tell(event, reading) }
    screen?.end()
    listening?.end()
    if plan.wantsJSON { console.print(CaptionsRecord.event("ended", at: nil, reading).text) }
    return end ?? 0
  }
}
