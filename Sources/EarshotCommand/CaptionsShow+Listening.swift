internal import EarshotCaptions
internal import EarshotClient

extension CaptionsShow {
  /// Begins a listening when the follower asks for one.
  mutating func listen(_ reading: ClockReading) {
    guard let listening, !listening.isRunning, let order = follower.order(at: reading.seconds)
    else { return }
    if follower.consent == .whileOn, !listening.isAllowedWhileOn() {
      // Taken back meanwhile: it is not asked for again by itself (rules B7, C8).
      follower.consent = .onceEach
      return
    }
    listening.listen(order, language: console.language)
  }

  /// Takes what the daemon told.
  mutating func takeArrivals() throws(CommandError) {
    guard let listening else { return }
    let screen = screen
    for news in listening.news(beforeAsking: { screen?.pause() }) {
      let reading = ClockReading.now()
      switch news {
      case .opened(let limit):
        // Not before: the time that a question takes is no time of listening.
        follower.listeningBegan(at: reading.seconds)
        tellMicrophone("listening", [.init("limit", .number(limit, digits: 1))], reading)
      case .closed: tellMicrophone("closed", [], reading)
      case .answer(let answer, let explanation): try take(answer, explanation, reading)
      }
    }
    if !listening.isAsking { screen?.resume() }
  }

  private mutating func take(
    _ answer: CaptionFollower.Answer, _ explanation: Explanation?, _ reading: ClockReading
  ) throws(CommandError) {
    let before = follower.item
    follower.listeningEnded(answer, at: reading.seconds)
    if plan.wantsJSON, follower.state != .inDoubt, case .place(let item, let sighting) = answer {
      console.print(
        CaptionsRecord.event(
          "placed", at: follower.position(at: reading.seconds), reading,
          CaptionsRecord.members(of: sighting, item: item, change: follower.change)
        ).text)
    }
    if follower.consent == .onceEach, listening?.isAllowedWhileOn() == true {
      follower.consent = .whileOn
    }
    if follower.state == .following, let item = follower.item, item != before || choice == nil {
      try follow(item)
    }
    guard screen == nil, follower.state != .following, follower.nextListening() == nil else {
      return
    }
    // Nobody can press a key, and nothing will be heard by itself any more.
    if let explanation { console.note(Report.text(explanation)) }
    end = Self.outcome(of: follower.state).exitStatus
  }

  /// Takes up the captions of an item that was recognised.
  private mutating func follow(_ item: String) throws(CommandError) {
    if plan.file == nil {
      let found = try CaptionsChoice(
        item: item, catalogs: catalogs, options: plan.options, language: plan.language,
        person: console.language.rawValue)
      guard let found else { throw .explained(CaptionsText.noCaptions(item), .error) }
      let reading = ClockReading.now()
      for event in program.move(to: nil) { tell(event, reading) }
      choice = found
      program = found.program
    }
    follower.sound = choice?.sound
  }

  private func tellMicrophone(
    _ event: String, _ members: [JSONText.Member], _ reading: ClockReading
  ) {
    if plan.wantsJSON {
      let position = follower.position(at: reading.seconds)
      console.print(CaptionsRecord.event(event, at: position, reading, members).text)
    } else if screen == nil {
      let phrase: Phrase =
        event == "closed" ? .microphoneClosed : .listening(meter: "", secondsLeft: 12)
      console.note(phrase.text(in: console.language))
    }
  }

  /// The outcome that stands for a place that was not found.
  private static func outcome(of state: CaptionFollower.State) -> Outcome {
    switch state {
    case .following, .searching, .inDoubt: .match
    case .lost(.silence): .noSignal
    case .lost(.otherSound), .lost(.otherItem), .lost(.untrusted), .lost(.notFoundYet): .noMatch
    case .lost(.ambiguous): .ambiguous
    case .lost(.denied): .denied
    case .lost(.ended): .match
    case .lost(.suspended), .lost(.failed): .error
    }
  }
}
