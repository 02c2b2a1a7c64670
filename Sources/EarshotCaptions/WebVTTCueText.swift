/// Reads the text of a WebVTT cue, by the W3C's cue text parsing rules, into spans.
struct WebVTTCueText: Sendable {
  private let bytes: [UInt8]
  private var position: Int
  private let end: Int
  private var builder = CueTextBuilder()
  private var open: [Element] = []
  /// Whether a tag was not closed before the text ended, so that what follows its `<` was lost.
  private(set) var wasUnclosed = false

  /// Whether control characters were left out.
  var hadControlCharacters: Bool { builder.hadControlCharacters }
  /// Whether the text was cut at the limit.
  var isCut: Bool { builder.isCut }

  private struct Element {
    var name: String
    /// The setting inside it.
    var setting: CueSpan
  }

  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  /// The spans of the whole text.
  mutating func parse() -> [CueSpan] {
    while position < end {
      switch bytes[position] {
      case UInt8(ascii: "<"): readTag()
      case UInt8(ascii: "&"): readReference()
      default:
        let start = position
        while position < end, bytes[position] != UInt8(ascii: "<"),
          bytes[position] != UInt8(ascii: "&")
        {
          position += 1
        }
        builder.append(bytes[start..<position])
      }
    }
    return builder.finish()
  }

  private mutating func readReference() {
    switch CharacterReference.read(bytes, at: position, before: end) {
    case .character(let scalar, let next):
      builder.append(scalar)
      position = next
    case .unknown, .plain:
      builder.append(UInt8(ascii: "&"))
      position += 1
    }
  }

  /// A tag up to its `>`. Tags beside the fixed set, and times inside the text, set nothing.
  private mutating func readTag() {
    let start = position + 1
    var close = start
    while close < end, bytes[close] != UInt8(ascii: ">") { close += 1 }
    if close == end { wasUnclosed = true }
    position = min(close + 1, end)
    let tag = bytes[start..<close]
    if tag.first == UInt8(ascii: "/") {
      closeElement(String(decoding: tag.dropFirst(), as: UTF8.self))
    } else {
      openElement(tag)
    }
    builder.set(open.last?.setting ?? CueSpan(text: ""))
  }

  private mutating func openElement(_ tag: ArraySlice<UInt8>) {
    let head = tag.prefix { !$0.isBlank }
    let pieces = head.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: true)
    guard let first = pieces.first, head.first != UInt8(ascii: ".") else { return }
    let name = String(decoding: first, as: UTF8.self)
    var setting = open.last?.setting ?? CueSpan(text: "")
    switch name {
    case "c", "ruby": break
    case "i": setting.style.insert(.italic)
    case "b": setting.style.insert(.bold)
    case "u": setting.style.insert(.underlined)
    case "rt":
      guard open.last?.name == "ruby" else { return }
      setting.style.insert(.reading)
    case "v": setting.voice = annotation(tag.dropFirst(head.count))
    case "lang": setting.language = annotation(tag.dropFirst(head.count))
    default: return
    }
    for piece in pieces.dropFirst() {
      if let color = CueColor(rawValue: String(decoding: piece, as: UTF8.self)) {
        setting.color = color
      }
    }
    open.append(Element(name: name, setting: setting))
  }

  private mutating func closeElement(_ name: String) {
    guard let last = open.last else { return }
    if last.name == name {
      open.removeLast()
    } else if name == "ruby", last.name == "rt" {
      // Closing the ruby closes the reading that is still open in it.
      open.removeLast(2)
    }
  }

  /// What stands behind a tag's name, blanks drawn together and references resolved.
  private func annotation(_ text: ArraySlice<UInt8>) -> String? {
    var builder = CueTextBuilder()
    var index = text.startIndex
    var isAfterBlank = true
    while index < text.endIndex {
      let byte = text[index]
      if byte.isBlank {
        if !isAfterBlank { builder.append(0x20) }
        isAfterBlank = true
        index += 1
        continue
      }
      isAfterBlank = false
      if byte == UInt8(ascii: "&"),
        case .character(let scalar, let next) = CharacterReference.read(
          bytes, at: index, before: text.endIndex)
      {
        builder.append(scalar)
        index = next
      } else {
        builder.append(byte)
        index += 1
      }
    }
    var words = builder.finish().first?.text ?? ""
    if words.hasSuffix(" ") { words.removeLast() }
    return words.isEmpty ? nil : words
  }
}
