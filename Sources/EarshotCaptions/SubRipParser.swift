/// Reads SRT in the forms that are found: it has no standard.
///
/// A cue is a line of times and all the lines down to the next one, so that empty lines in the text,
/// missing ones between cues and missing or wrong counters cost nothing.
struct SubRipParser: Sendable {
  private var reader: LineReader
  private var collector = CueCollector()

  init(_ text: CaptionText) { reader = LineReader(text) }

  /// Whether a line of times is in the text.
  static func recognizes(_ text: CaptionText) -> Bool {
    var reader = LineReader(text)
    while let line = reader.next() {
      if reader.arrow(in: line) != nil, times(reader.bytes, line) != nil { return true }
    }
    return false
  }

  /// Reads the whole text.
  consuming func parse() -> CaptionTrack {
    var pending: Pending?
    while !collector.isFull, let line = reader.next() {
      if reader.arrow(in: line) != nil {
        let found = Self.times(reader.bytes, line)
        if found != nil || looksLikeTimes(line) {
          let counter = takeCounter(&pending)
          close(pending)
          pending = Pending(line: reader.line, counter: counter, times: found)
          if found == nil { collector.report(.unreadableTime, line: reader.line, .error) }
          if found?.isIrregular == true {
            collector.report(.irregularTime, line: reader.line, .warning)
          }
          continue
        }
      }
      if pending == nil {
        pending = Pending(line: reader.line, counter: nil, times: nil, isPreamble: true)
      }
      pending?.add(line, number: reader.line, isEmpty: isEmpty(line))
    }
    // A file that was cut off often ends with the counter of a cue that never came.
    if let last = pending, last.counter != nil, last.hasEmptyLineBeforeLast,
      takeCounter(&pending) != nil
    {
      collector.report(.cutShort, line: reader.line, .warning)
    }
    close(pending)
    return collector.track(format: .subRip, language: nil)
  }

  /// The lines since the last line of times.
  private struct Pending {
    var line: Int
    var counter: Range<Int>?
    var times: Times?
    /// Whether no line of times came yet.
    var isPreamble: Bool
    /// The text from its first to its last line that says something.
    var text: Range<Int>?
    /// Where the text ended before its last line, for when that turns out to be a counter.
    var textBeforeLast: Range<Int>?
    var last: Range<Int>?
    var firstTextLine = 0
    var hasEmptyLineBeforeText = false
    var hasEmptyLineBeforeLast = false
    private var isAfterEmptyLine = false

    init(line: Int, counter: Range<Int>?, times: Times?, isPreamble: Bool = false) {
      self.isPreamble = isPreamble
      self.line = line
      self.counter = counter
      self.times = times
    }

    mutating func add(_ range: Range<Int>, number: Int, isEmpty: Bool) {
      guard !isEmpty else {
        isAfterEmptyLine = true
        return
      }
      if text == nil {
        firstTextLine = number
        hasEmptyLineBeforeText = isAfterEmptyLine
      }
      textBeforeLast = text
      last = range
      hasEmptyLineBeforeLast = isAfterEmptyLine
      text = (text?.lowerBound ?? range.lowerBound)..<range.upperBound
      isAfterEmptyLine = false
    }
  }

  /// What a line of times says.
  private struct Times {
    var start: CueTime
    var end: CueTime
    var isIrregular: Bool
  }

  private static func times(_ bytes: [UInt8], _ line: Range<Int>) -> Times? {
    var scanner = TimestampScanner(bytes, in: line)
    scanner.skipBlanks()
    guard let start = scanner.subRipTime() else { return nil }
    scanner.skipBlanks()
    guard scanner.skipArrow() else { return nil }
    scanner.skipBlanks()
    // Behind the times some writers put a box in pixels, which says nothing about a surface of lines.
    guard let end = scanner.subRipTime() else { return nil }
    return Times(start: start, end: end, isIrregular: scanner.isIrregular)
  }

  /// Whether a line with an arrow was meant as times: it has a digit and a colon on either side.
  private func looksLikeTimes(_ line: Range<Int>) -> Bool {
    let bytes = reader.bytes[line]
    let first = bytes.first { !$0.isBlank }
    let isNumeric = first.map { $0.isDigit || $0 == UInt8(ascii: "-") } ?? false
    return isNumeric && bytes.contains(UInt8(ascii: ":"))
  }

  private func isEmpty(_ line: Range<Int>) -> Bool { reader.bytes[line].allSatisfy(\.isBlank) }

  /// Takes a counter off the end of the lines above a line of times.
  ///
  /// A number directly below text can be the text's last line; it is taken for a counter only in a
  /// file that counts.
  private func takeCounter(_ pending: inout Pending?) -> Range<Int>? {
    guard let above = pending, let last = above.last,
      reader.bytes[last].allSatisfy({ $0.isDigit || $0.isBlank })
    else { return nil }
    let isAlone = above.hasEmptyLineBeforeLast || above.textBeforeLast == nil && above.times == nil
    guard isAlone || above.counter != nil else { return nil }
    pending?.text = above.textBeforeLast
    return last
  }

  private mutating func close(_ pending: Pending?) {
    guard let pending else { return }
    guard let times = pending.times else {
      // Below a bad line of times the text was reported with it.
      if pending.isPreamble, pending.text != nil {
        collector.report(.strayText, line: pending.firstTextLine, .warning)
      }
      return
    }
    var cue = Cue(
      start: times.start, end: times.end, spans: [],
      identifier: pending.counter.map(trimmed), line: pending.line)
    if let range = pending.text {
      if pending.hasEmptyLineBeforeText {
        collector.report(.parted, line: pending.firstTextLine, .warning)
      }
      var text = SubRipCueText(reader.bytes, in: range)
      cue.spans = text.parse()
      cue.placement = text.placement
      if text.hadControlCharacters {
        collector.report(.controlCharacters, line: pending.firstTextLine, .warning)
      }
      if text.isCut { collector.report(.beyondLimit, line: pending.firstTextLine, .error) }
    }
    collector.add(cue)
  }

  private func trimmed(_ range: Range<Int>) -> String {
    String(decoding: reader.bytes[range].filter(\.isDigit), as: UTF8.self)
  }
}
