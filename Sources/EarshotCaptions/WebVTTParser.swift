/// Reads WebVTT by the parsing algorithm that the W3C publishes.
///
/// The algorithm drops bad input without a word; here it says what was dropped, and where.
/// It differs in two places, each with a fault: a comma may stand for the dot in a time, and empty
/// lines may stand before the signature.
struct WebVTTParser: Sendable {
  private var reader: LineReader
  private var collector = CueCollector()
  private var regions: [String: WebVTTRegion] = [:]
  private var hasSeenCue = false
  private var language: String?
  private let appliesTimestampMap: Bool
  private var shift: Int64 = 0
  private var lastSettings: (written: [UInt8], placement: CuePlacement)?

  init(_ text: CaptionText, appliesTimestampMap: Bool) {
    reader = LineReader(text)
    self.appliesTimestampMap = appliesTimestampMap
  }

  /// Whether a text begins as WebVTT does, empty lines before it aside.
  static func recognizes(_ text: CaptionText) -> Bool {
    var reader = LineReader(text)
    reader.skipEmptyLines()
    guard let line = reader.next() else { return false }
    return reader.isWord("WEBVTT", at: line)
  }

  /// Reads the whole text, which `recognizes` has said yes to.
  consuming func parse() -> CaptionTrack {
    reader.skipEmptyLines()
    if reader.position > 0 { collector.report(.lateSignature, line: 1, .warning) }
    _ = reader.next()
    if !reader.isAtEnd, reader.bytes[reader.position] != 0x0A { readBlock(isHeader: true) }
    reader.skipEmptyLines()
    while !reader.isAtEnd, !collector.isFull {
      readBlock(isHeader: false)
      reader.skipEmptyLines()
    }
    return collector.track(format: .webVTT, language: language)
  }

  /// What the lines of a block turned out to be.
  private enum Block {
    case loose
    case style
    case region
    case cue(Cue)
    case badCue
  }

  /// Reads the lines up to an empty one, or to an arrow that begins the next block.
  private mutating func readBlock(isHeader: Bool) {
    var block = Block.loose
    var lineCount = 0
    var hasSeenArrow = false
    var content: Range<Int>?
    var contentLine = 0
    while true {
      let bookmark = reader
      guard let line = reader.next(), !line.isEmpty else { break }
      lineCount += 1
      if let arrow = reader.arrow(in: line) {
        guard !isHeader, lineCount == 1 || (lineCount == 2 && !hasSeenArrow) else {
          reader = bookmark
          break
        }
        hasSeenArrow = true
        _ = arrow
        if let cue = readTimes(line, identifier: content) {
          block = .cue(cue)
          content = nil
          hasSeenCue = true
        } else {
          block = .badCue
        }
        continue
      }
      if !isHeader, lineCount == 2, !hasSeenCue, let first = content {
        if isTitle("STYLE", first) { (block, content) = (.style, nil) }
        if isTitle("REGION", first) { (block, content) = (.region, nil) }
      }
      if content == nil { contentLine = reader.line }
      content = (content?.lowerBound ?? line.lowerBound)..<line.upperBound
    }
    finish(block, content: content, line: contentLine, isHeader: isHeader)
  }

  private mutating func finish(
    _ block: Block, content: Range<Int>?, line: Int, isHeader: Bool
  ) {
    switch block {
    case .cue(var cue):
      if let content {
        var text = WebVTTCueText(reader.bytes, in: content)
        cue.spans = text.parse()
        if text.wasUnclosed { collector.report(.malformedMarkup, line: line, .warning) }
        if text.hadControlCharacters {
          collector.report(.controlCharacters, line: line, .warning)
        }
        if text.isCut { collector.report(.beyondLimit, line: line, .error) }
      }
      collector.add(cue)
    case .region:
      if let content { addRegion(content) }
    case .style, .badCue:
      break
    case .loose:
      guard let content else { break }
      if isHeader {
        readHeader(content, firstLine: line)
      } else if !isNote(content), !isTitle("STYLE", content), !isTitle("REGION", content) {
        collector.report(.strayText, line: line, .warning)
      }
    }
  }

  /// The time line of a cue; nil, with a fault, when the times cannot be read.
  private mutating func readTimes(_ line: Range<Int>, identifier: Range<Int>?) -> Cue? {
    var scanner = TimestampScanner(reader.bytes, in: line)
    scanner.skipBlanks()
    let start = scanner.webVTTTime()
    scanner.skipBlanks()
    let hasArrow = scanner.skipArrow()
    scanner.skipBlanks()
    guard let start, hasArrow, let end = scanner.webVTTTime() else {
      collector.report(.unreadableTime, line: reader.line, .error)
      return nil
    }
    if scanner.isIrregular { collector.report(.irregularTime, line: reader.line, .warning) }
    let settings = readSettings(scanner.position..<line.upperBound)
    return Cue(
      start: start.advanced(microseconds: shift), end: end.advanced(microseconds: shift),
      spans: [], identifier: identifier.map(reader.string), placement: settings,
      line: reader.line)
  }

  /// The settings behind the times, as a placement. Most cues of a file have the same few, so that
  /// the last ones are kept.
  private mutating func readSettings(_ range: Range<Int>) -> CuePlacement {
    let written = reader.bytes[range]
    if written.isEmpty { return CuePlacement() }
    if let known = lastSettings, known.written.elementsEqual(written) { return known.placement }
    var settings = WebVTTSettings()
    var isRight = true
    for word in written.split(whereSeparator: \.isBlank) {
      if !settings.read(String(decoding: word, as: UTF8.self), regions: regions) {
        isRight = false
        collector.report(.unreadableSetting, line: reader.line, .warning)
      }
    }
    if isRight { lastSettings = (Array(written), settings.placement) }
    return settings.placement
  }

  /// The lines below the signature. They are no part of the standard, but two are in wide use.
  private mutating func readHeader(_ content: Range<Int>, firstLine: Int) {
    let lines = reader.string(
      content.lowerBound..<min(content.upperBound, content.lowerBound + 4096)
    )
    .split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("Language:") {
        let tag = line.dropFirst(9).filter { !$0.isWhitespace }
        if !tag.isEmpty, tag.utf8.count <= 35 { language = String(tag) }
      } else if line.hasPrefix("X-TIMESTAMP-MAP=") {
        readTimestampMap(line.dropFirst(16), line: firstLine + index)
      }
    }
  }

  /// A shift that segmented streams ask for. In a catalog cue times are the reference's own times,
  /// so that it is applied only when the person asks for it.
  private mutating func readTimestampMap(_ text: Substring, line: Int) {
    var ticks: Int64?
    var local: CueTime?
    for part in text.split(separator: ",") {
      if part.hasPrefix("MPEGTS:") { ticks = Int64(part.dropFirst(7)) }
      if part.hasPrefix("LOCAL:") {
        let bytes = Array(part.dropFirst(6).utf8)
        var scanner = TimestampScanner(bytes, in: 0..<bytes.count)
        local = scanner.webVTTTime()
      }
    }
    // The clock of an MPEG transport stream has 33 bits and counts 90,000 ticks a second.
    guard let ticks, let local, (0..<Int64(1) << 33).contains(ticks) else {
      collector.report(.unreadableSetting, line: line, .warning)
      return
    }
    let asked = ticks * 1_000_000 / 90_000 - local.microseconds
    if appliesTimestampMap {
      shift = asked
    } else {
      collector.report(.asksForShift(seconds: Double(asked) / 1e6), line: line, .warning)
    }
  }

  private mutating func addRegion(_ content: Range<Int>) {
    guard regions.count < CaptionLimits.styles else { return }
    let words = reader.bytes[content].split { $0.isBlank }
    var region = WebVTTRegion()
    for word in words { region.read(String(decoding: word, as: UTF8.self)) }
    if !region.identifier.isEmpty { regions[region.identifier] = region }
  }

  private func isTitle(_ word: StaticString, _ range: Range<Int>) -> Bool {
    guard reader.isWord(word, at: range) else { return false }
    let first = reader.bytes[range].prefix { $0 != 0x0A }
    return first.dropFirst(word.utf8CodeUnitCount).allSatisfy(\.isBlank)
  }

  private func isNote(_ range: Range<Int>) -> Bool { reader.isWord("NOTE", at: range) }
}
