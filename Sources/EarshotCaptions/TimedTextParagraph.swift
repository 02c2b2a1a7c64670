/// The text of one TTML paragraph while it is read, with the times of the spans inside it.
struct TimedTextParagraph: Sendable {
  private struct Piece: Sendable {
    var text: String
    var setting: CueSpan
    var interval: Range<Int64>
    var preservesBlanks: Bool
  }

  /// The line on which the paragraph begins.
  let line: Int
  private let identifier: String?
  private let interval: Range<Int64>
  private var pieces: [Piece] = []
  private var byteCount = 0
  /// Whether control characters were left out.
  private(set) var hadControlCharacters = false
  /// Whether the text was cut at the limit.
  private(set) var isCut = false

  /// Spans with times of their own that are worked out against each other; where there are more,
  /// each becomes a cue by itself, so that the work stays in proportion to the text.
  private static let timesMax = 64

  init(_ element: XMLElement, _ interval: Range<Int64>) {
    line = element.line
    identifier = element[.xml, "id"]
    self.interval = interval
  }

  /// Adds a text that is shown for a while.
  mutating func add(
    _ text: String, _ setting: CueSpan, during interval: Range<Int64>, preservesBlanks: Bool
  ) {
    byteCount += text.utf8.count + 1
    guard byteCount <= CaptionLimits.cueBytes else {
      isCut = true
      return
    }
    pieces.append(
      Piece(
        text: text, setting: setting, interval: interval, preservesBlanks: preservesBlanks))
  }

  /// The cues of the paragraph: one, or one for each stretch in which the same text is shown.
  mutating func cues(placement: CuePlacement, language: String?) -> [Cue] {
    func cue(_ interval: Range<Int64>, _ pieces: [Piece]) -> Cue {
      Cue(
        start: CueTime(microseconds: interval.lowerBound),
        end: CueTime(microseconds: interval.upperBound), spans: spans(pieces),
        identifier: identifier, language: language, placement: placement, line: line)
    }
    if pieces.allSatisfy({ $0.interval == interval }) { return [cue(interval, pieces)] }
    let times = Set(pieces.flatMap { [$0.interval.lowerBound, $0.interval.upperBound] })
      .union([interval.lowerBound, interval.upperBound]).sorted()
    if times.count <= 2 { return [cue(interval, pieces)] }
    let isBlank = { (piece: Piece) in piece.text.allSatisfy(\.isWhitespace) }
    guard times.count <= Self.timesMax else {
      return pieces.filter { !isBlank($0) && !$0.interval.isEmpty }.map { cue($0.interval, [$0]) }
    }
    var cues: [Cue] = []
    for (start, end) in zip(times, times.dropFirst()) {
      let shown = pieces.filter { $0.interval.lowerBound <= start && end <= $0.interval.upperBound }
      guard !shown.allSatisfy(isBlank) else { continue }
      cues.append(cue(start..<end, shown))
    }
    return cues
  }

  /// The pieces as spans, with blanks drawn together where the document does not keep them.
  private mutating func spans(_ pieces: [Piece]) -> [CueSpan] {
    var builder = CueTextBuilder()
    // A blank is written only before the next letter of its line, so that none ends or begins one.
    var isAtLineStart = true
    var hasBlank = false
    for piece in pieces {
      builder.set(piece.setting)
      if piece.preservesBlanks {
        builder.append(piece.text.utf8)
        isAtLineStart = piece.text.hasSuffix("\n")
        hasBlank = false
        continue
      }
      for byte in piece.text.utf8 {
        if byte.isBlank {
          hasBlank = !isAtLineStart
        } else {
          if hasBlank { builder.append(0x20) }
          builder.append(byte)
          (hasBlank, isAtLineStart) = (false, false)
        }
      }
    }
    if builder.hadControlCharacters { hadControlCharacters = true }
    return builder.finish()
  }
}
