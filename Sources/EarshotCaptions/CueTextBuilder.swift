/// Puts a cue's spans together from pieces of text and the setting that is in force.
struct CueTextBuilder: Sendable {
  private var spans: [CueSpan] = []
  private var pending: [UInt8] = []
  private var byteCount = 0
  /// The setting of the text to come; its own text is empty.
  private var setting = CueSpan(text: "")
  /// Whether control characters were left out.
  private(set) var hadControlCharacters = false
  /// Whether the text was cut at the limit.
  private(set) var isCut = false

  /// Changes the setting of the text to come.
  mutating func set(_ next: CueSpan) {
    guard !next.isSetLike(setting) else { return }
    flush()
    setting = next
    setting.text = ""
  }

  /// Adds bytes of valid UTF-8.
  ///
  /// Control characters are left out: on a terminal they would be commands, not text.
  mutating func append(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { append(byte) }
  }

  /// Adds a stretch of bytes of valid UTF-8, by the same rule.
  mutating func append(_ bytes: ArraySlice<UInt8>) {
    // Most text has nothing to leave out and can be taken whole.
    let isPlain = bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F || $0 == 0x0A || $0 >= 0xC3 }
    guard isPlain, byteCount + bytes.count <= CaptionLimits.cueBytes else {
      for byte in bytes { append(byte) }
      return
    }
    pending.append(contentsOf: bytes)
    byteCount += bytes.count
  }

  /// Adds one byte, by the same rule.
  mutating func append(_ byte: UInt8) {
    guard byteCount < CaptionLimits.cueBytes else {
      isCut = true
      return
    }
    // The first byte of the control characters U+0080 to U+009F is 0xC2.
    if byte >= 0x80, byte < 0xA0, pending.last == 0xC2 {
      pending.removeLast()
      hadControlCharacters = true
      return
    }
    switch byte {
    case 0x09: pending.append(0x20)
    case 0x0A, 0x20..<0x7F, 0x80...: pending.append(byte)
    default: hadControlCharacters = true
    }
    byteCount += 1
  }

  /// Adds one character.
  mutating func append(_ scalar: Unicode.Scalar) {
    append(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  /// The spans, without line feeds at either end.
  consuming func finish() -> [CueSpan] {
    flush()
    while let first = spans.first, first.text.utf8.first == 0x0A {
      let rest = first.text.utf8.drop { $0 == 0x0A }
      if rest.isEmpty {
        spans.removeFirst()
      } else {
        spans[0].text = String(Substring(rest))
      }
    }
    while let last = spans.last, last.text.utf8.last == 0x0A {
      let count = last.text.utf8.reversed().prefix { $0 == 0x0A }.count
      let rest = last.text.utf8.dropLast(count)
      if rest.isEmpty {
        spans.removeLast()
      } else {
        spans[spans.count - 1].text = String(Substring(rest))
      }
    }
    return spans
  }

  private mutating func flush() {
    guard !pending.isEmpty else { return }
    // A cut can fall inside a character, so that the replacement character may stand at the end.
    var span = setting
    span.text = String(decoding: pending, as: UTF8.self)
    pending.removeAll(keepingCapacity: true)
    if let last = spans.last, last.isSetLike(span) {
      spans[spans.count - 1].text += span.text
    } else {
      spans.append(span)
    }
  }
}
