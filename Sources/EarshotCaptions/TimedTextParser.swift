/// Reads TTML, which includes IMSC 1.1 Text and EBU-TT-D, as far as its text can be shown.
///
/// Times count inside each other, in parallel or in sequence; styles come from references, regions
/// and the elements around the text. Animation and pictures are left out.
struct TimedTextParser: Sendable {
  private var reader: XMLReader
  private var collector = CueCollector()
  private var time = TimedTextTime()
  private var scale = TimedTextScale()
  private var styles = TimedTextStyles()
  private var frames: [Frame] = []
  private var paragraph: TimedTextParagraph?
  private var language: String?

  init(_ text: CaptionText) { reader = XMLReader(text) }

  /// Reads the whole text. Throws `unknownFormat` when the outermost element is another one's.
  consuming func parse() throws(CaptionError) -> CaptionTrack {
    var hasRoot = false
    while !collector.isFull, let event = reader.next() {
      switch event {
      case .start(let element):
        if !hasRoot {
          guard element.name.local == "tt", element.name.space == .timedText else {
            throw .unknownFormat
          }
          hasRoot = true
        }
        start(element)
      case .end: end()
      case .text(let text): add(text)
      }
    }
    guard hasRoot else { throw .unknownFormat }
    for fault in reader.faults { collector.report(fault.kind, line: fault.line, fault.severity) }
    return collector.track(format: .timedText, language: language)
  }

  /// The elements that mean something here.
  private enum Role: Sendable, Hashable {
    case root
    /// `head`, `styling`, `layout`: only what is inside them counts.
    case group
    case style
    case region
    /// `body` and `div`.
    case division
    case paragraph
    case span
    case lineBreak
    /// Left out with all that is inside.
    case ignored
  }

  /// An open element.
  private struct Frame: Sendable {
    var role: Role
    var interval: Range<Int64>
    /// The latest end of what is inside so far; in a sequence the next child begins there.
    var cursor: Int64
    var hasEnd = false
    var isSequence = false
    var style = TimedTextStyle()
    /// The style with the region's under it, and how text in it is set.
    var shown = TimedTextStyle()
    var setting = CueSpan(text: "")
    var region: String?
    var language: String?
    var preservesBlanks = false
    /// The region that is being described.
    var described: String?
  }

  private func role(of element: XMLElement, inside parent: Role?) -> Role {
    guard element.name.space == .timedText, parent != .ignored else { return .ignored }
    switch (element.name.local, parent) {
    case ("tt", nil): return .root
    case ("head", .root), ("styling", .group), ("layout", .group): return .group
    case ("style", .group), ("style", .region), ("initial", .group): return .style
    case ("region", .group): return .region
    case ("body", .root), ("div", .division): return .division
    case ("p", .division): return .paragraph
    case ("span", .paragraph), ("span", .span): return .span
    case ("br", .paragraph), ("br", .span): return .lineBreak
    default: return .ignored
    }
  }

  /// A frame with what it has from the one around it. Frames are looked at where they stand: to copy
  /// one for each piece of text would cost more than reading it.
  private func makeFrame(_ element: XMLElement) -> Frame {
    let whole = Int64(0)..<CueTime.greatest.microseconds
    guard let top = frames.indices.last else {
      var frame = Frame(role: role(of: element, inside: nil), interval: whole, cursor: 0)
      frame.language = element[.xml, "lang"]
      frame.region = element[.none, "region"]
      frame.preservesBlanks = element[.xml, "space"] == "preserve"
      return frame
    }
    var frame = Frame(
      role: role(of: element, inside: frames[top].role), interval: frames[top].interval,
      cursor: frames[top].interval.lowerBound)
    frame.language = element[.xml, "lang"] ?? frames[top].language
    frame.region = element[.none, "region"] ?? frames[top].region
    frame.preservesBlanks =
      element[.xml, "space"].map { $0 == "preserve" } ?? frames[top].preservesBlanks
    frame.style = frames[top].style
    return frame
  }

  private mutating func start(_ element: XMLElement) {
    var frame = makeFrame(element)
    switch frame.role {
    case .root:
      time = TimedTextTime(element)
      scale = TimedTextScale(element)
      language = frame.language.flatMap { $0.isEmpty || $0.utf8.count > 35 ? nil : $0 }
      if time.isWallClock { collector.report(.irregularTime, line: element.line, .warning) }
    case .style: describeStyle(element)
    case .region:
      frame.described = element[.xml, "id"]
      if let name = frame.described { styles.addRegion(name, element, scale: scale) }
    case .division, .paragraph, .span:
      frame.style.overlay(styles.style(of: element, scale: scale))
      if !place(element, in: &frame) { frame.role = .ignored }
      frame.shown = styles.regionStyle(frame.region, under: frame.style)
      frame.setting = setting(of: frame)
      reportPicture(element)
      if frame.role == .paragraph { paragraph = TimedTextParagraph(element, frame.interval) }
    case .lineBreak:
      paragraph?.add(
        "\n", frames.isEmpty ? CueSpan(text: "") : frames[frames.count - 1].setting,
        during: frame.interval, preservesBlanks: true)
    case .group, .ignored:
      if element.name.local == "image" { collector.report(.picture, line: element.line, .error) }
    }
    frames.append(frame)
  }

  private mutating func reportPicture(_ element: XMLElement) {
    let isPicture = element.attributes.contains {
      $0.name.space == .other && $0.name.local == "backgroundImage"
    }
    if isPicture { collector.report(.picture, line: element.line, .error) }
  }

  private mutating func describeStyle(_ element: XMLElement) {
    if let region = frames.last?.described {
      styles.extendRegion(region, element, scale: scale)
    } else if let name = element[.xml, "id"] {
      styles.addStyle(name, element, scale: scale)
    }
  }

  /// Works out when an element is active; false, with a fault, when its times cannot be read.
  private mutating func place(_ element: XMLElement, in frame: inout Frame) -> Bool {
    guard !element.isMalformed else { return false }
    let outer = frame.interval
    let isInSequence = frames.isEmpty ? false : frames[frames.count - 1].isSequence
    let origin =
      isInSequence ? max(frames[frames.count - 1].cursor, outer.lowerBound) : outer.lowerBound
    var begin = origin
    var end = outer.upperBound
    var hasEnd = false
    for key in ["begin", "end", "dur"] {
      guard let text = element[.none, key] else { continue }
      guard let value = time.microseconds(text) else {
        collector.report(.unreadableTime, line: element.line, .error)
        return false
      }
      switch key {
      case "begin": begin = origin + value
      case "end": end = min(end, origin + value)
      default: end = min(end, begin + value)
      }
      hasEnd = hasEnd || key != "begin"
    }
    // In a sequence what says no end lasts no time.
    if isInSequence, !hasEnd, frame.role != .division { end = begin }
    frame.interval = begin..<max(begin, end)
    frame.cursor = begin
    frame.hasEnd = hasEnd
    frame.isSequence = element[.none, "timeContainer"] == "seq"
    return true
  }

  private mutating func end() {
    guard let frame = frames.popLast() else { return }
    if [.division, .paragraph, .span].contains(frame.role), !frames.isEmpty {
      // What says no end of its own lasts as long as what is inside it.
      let end = frame.hasEnd ? frame.interval.upperBound : frame.cursor
      frames[frames.count - 1].cursor = max(frames[frames.count - 1].cursor, end)
    }
    if frame.role == .paragraph, var finished = paragraph {
      paragraph = nil
      let language = frame.language == self.language ? nil : frame.language
      for cue in finished.cues(placement: frame.shown.placement, language: language) {
        collector.add(cue)
      }
      if finished.hadControlCharacters {
        collector.report(.controlCharacters, line: finished.line, .warning)
      }
      if finished.isCut { collector.report(.beyondLimit, line: finished.line, .error) }
    }
  }

  private mutating func add(_ text: String) {
    guard let top = frames.indices.last,
      frames[top].role == .paragraph || frames[top].role == .span, !frames[top].shown.isHidden
    else { return }
    paragraph?.add(
      text, frames[top].setting, during: frames[top].interval,
      preservesBlanks: frames[top].preservesBlanks)
  }

  private func setting(of frame: Frame) -> CueSpan {
    let isParagraph = frame.role == .paragraph
    let around = isParagraph ? frame.language : frames.last { $0.role == .paragraph }?.language
    return frame.shown.setting(language: frame.language == around ? nil : frame.language)
  }
}
