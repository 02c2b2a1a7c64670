/// Reads XML piece by piece, and goes on where it is not well-formed.
///
/// No entity is ever declared or fetched: a document type declaration is passed over unread, and
/// only the five names of XML, the names of HTML and numbers are resolved, so that nothing can
/// expand. Depth and attributes are bounded by `CaptionLimits`. Each byte is looked at a fixed
/// number of times.
struct XMLReader: Sendable {
  /// A piece of the document.
  enum Event: Sendable, Hashable {
    case start(XMLElement)
    /// The innermost open element ends.
    case end
    case text(String)
  }

  private let bytes: [UInt8]
  private var position = 0
  private var countedTo = 0
  private var lineCount = 1
  private var open: [String] = []
  private var pendingEndCount = 0
  private var depthBeyondLimit = 0
  private var names = XMLNames()
  private var isFinished = false
  /// What was wrong so far; the owner takes it away.
  var faults: [CaptionFault] = []

  init(_ text: CaptionText) { bytes = text.bytes }

  /// The line of the piece read last.
  var line: Int { lineCount }

  /// The next piece; nil at the end. Every start is followed by its end.
  mutating func next() -> Event? {
    while true {
      if pendingEndCount > 0 { return closeInnermost() }
      guard position < bytes.count, !isFinished else {
        guard !open.isEmpty else { return nil }
        if !isFinished { report(.cutShort, .error) }
        isFinished = true
        pendingEndCount = open.count
        continue
      }
      countLines()
      let event = bytes[position] == UInt8(ascii: "<") ? readMarkup() : readText()
      guard let event else { continue }
      if depthBeyondLimit > 0, case .text = event { continue }
      return event
    }
  }

  private mutating func closeInnermost() -> Event {
    pendingEndCount -= 1
    names.leave()
    open.removeLast()
    return .end
  }

  private mutating func report(_ kind: CaptionFault.Kind, _ severity: CaptionFault.Severity) {
    countLines()
    guard faults.count <= CaptionLimits.faults else { return }
    faults.append(CaptionFault(line: lineCount, kind: kind, severity: severity))
  }

  private mutating func countLines() {
    while countedTo < min(position, bytes.count) {
      if bytes[countedTo] == 0x0A { lineCount += 1 }
      countedTo += 1
    }
  }

  // MARK: Text

  private mutating func readText() -> Event? {
    let start = position
    position += 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
    return .text(resolved(start..<position))
  }

  /// A text with its references resolved. Unknown ones are left out with a fault.
  private mutating func resolved(_ range: Range<Int>) -> String {
    guard bytes[range].contains(UInt8(ascii: "&")) else {
      return String(decoding: bytes[range], as: UTF8.self)
    }
    var text: [UInt8] = []
    var index = range.lowerBound
    while index < range.upperBound {
      guard bytes[index] == UInt8(ascii: "&") else {
        text.append(bytes[index])
        index += 1
        continue
      }
      switch CharacterReference.read(bytes, at: index, before: range.upperBound) {
      case .character(let scalar, let end):
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        index = end
      case .unknown(let end):
        report(.unknownEntity, .warning)
        index = end
      case .plain:
        // A bare ampersand is the commonest slip in hand-written files, and what it means is clear.
        report(.malformedMarkup, .warning)
        text.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  // MARK: Markup

  private mutating func readMarkup() -> Event? {
    let next = position + 1 < bytes.count ? bytes[position + 1] : 0
    switch next {
    case UInt8(ascii: "/"): return readEndTag()
    case UInt8(ascii: "?"):
      skip(past: "?>")
      return nil
    case UInt8(ascii: "!"): return readDeclaration()
    case let byte where byte.isLetter || byte == UInt8(ascii: "_") || byte >= 0x80:
      return readStartTag()
    default:
      report(.malformedMarkup, .warning)
      return readText()
    }
  }

  private mutating func readDeclaration() -> Event? {
    if bytes[position...].starts(with: "<!--".utf8) {
      position += 4
      skip(past: "-->")
    } else if bytes[position...].starts(with: "<![CDATA[".utf8) {
      let start = position + 9
      position = start
      skip(past: "]]>")
      let end = isFinished ? bytes.count : position - 3
      return end > start ? .text(String(decoding: bytes[start..<end], as: UTF8.self)) : nil
    } else {
      skipDocumentType()
    }
    return nil
  }

  /// Passes over everything up to and with a mark; without it the rest of the file is lost.
  private mutating func skip(past mark: String) {
    let mark = Array(mark.utf8)
    while position + mark.count <= bytes.count {
      if bytes[position] == mark[0], bytes[position..<position + mark.count].elementsEqual(mark) {
        position += mark.count
        return
      }
      position += 1
    }
    position = bytes.count
    isFinished = true
    pendingEndCount = open.count
    report(.cutShort, .error)
  }

  private mutating func skipDocumentType() {
    var quote: UInt8?
    var depth = 0
    while position < bytes.count {
      let byte = bytes[position]
      if quote == nil, byte == UInt8(ascii: "<"), bytes[position...].starts(with: "<!--".utf8) {
        skip(past: "-->")
        continue
      }
      position += 1
      if let opened = quote {
        if byte == opened { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "<") {
        depth += 1
      } else if byte == UInt8(ascii: ">") {
        depth -= 1
        if depth == 0 { return }
      }
    }
    isFinished = true
    pendingEndCount = open.count
    report(.cutShort, .error)
  }

  private mutating func readName() -> Range<Int> {
    let start = position
    while position < bytes.count {
      let byte = bytes[position]
      let isNamed =
        byte.isLetter || byte.isDigit || byte >= 0x80 || byte == UInt8(ascii: ":")
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
      guard isNamed else { break }
      position += 1
    }
    return start..<position
  }

  private mutating func skipBlanks() {
    while position < bytes.count, bytes[position].isBlank { position += 1 }
  }

  private mutating func readEndTag() -> Event? {
    position += 2
    let name = String(decoding: bytes[readName()], as: UTF8.self)
    skipBlanks()
    if position < bytes.count, bytes[position] == UInt8(ascii: ">") {
      position += 1
    } else {
      report(.malformedMarkup, .warning)
    }
    if depthBeyondLimit > 0 {
      depthBeyondLimit -= 1
      return nil
    }
    guard let index = open.lastIndex(of: name) else {
      report(.malformedMarkup, .warning)
      return nil
    }
    if index != open.count - 1 { report(.malformedMarkup, .warning) }
    pendingEndCount = open.count - index
    return nil
  }

  private mutating func readStartTag() -> Event? {
    position += 1
    let name = String(decoding: bytes[readName()], as: UTF8.self)
    var element = XMLElement(line: lineCount)
    var written: [(name: String, value: String)] = []
    var isClosed = false
    while position < bytes.count {
      skipBlanks()
      guard position < bytes.count else { break }
      if bytes[position] == UInt8(ascii: ">") {
        position += 1
        break
      }
      if bytes[position] == UInt8(ascii: "/") {
        position += 1
        isClosed = position < bytes.count && bytes[position] == UInt8(ascii: ">")
        continue
      }
      guard let attribute = readAttribute() else {
        element.isMalformed = true
        report(.malformedMarkup, .error)
        // The next `<` or `>` is where markup can be trusted again.
        while position < bytes.count, bytes[position] != UInt8(ascii: "<"),
          bytes[position] != UInt8(ascii: ">")
        {
          position += 1
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: "<") { break }
        continue
      }
      if written.count < CaptionLimits.attributes {
        written.append(attribute)
      } else if written.count == CaptionLimits.attributes {
        report(.beyondLimit, .warning)
        written.append(("", ""))
      }
    }
    guard depthBeyondLimit == 0, open.count < CaptionLimits.depth else {
      if depthBeyondLimit == 0 { report(.beyondLimit, .error) }
      if !isClosed { depthBeyondLimit += 1 }
      return nil
    }
    open.append(name)
    names.enter(declaring: written)
    element.name = names.resolve(name, isAttribute: false)
    for (name, value) in written where !name.isEmpty {
      element.attributes.append((names.resolve(name, isAttribute: true), value))
    }
    if isClosed { pendingEndCount = 1 }
    return .start(element)
  }

  private mutating func readAttribute() -> (name: String, value: String)? {
    let name = readName()
    guard !name.isEmpty else { return nil }
    skipBlanks()
    guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else { return nil }
    position += 1
    skipBlanks()
    guard position < bytes.count,
      bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'")
    else { return nil }
    let quote = bytes[position]
    position += 1
    let start = position
    while position < bytes.count, bytes[position] != quote {
      // A value cannot hold this mark, so that a missing quote loses one element and not the file.
      if bytes[position] == UInt8(ascii: "<") { return nil }
      position += 1
    }
    guard position < bytes.count else { return nil }
    let value = resolved(start..<position)
    position += 1
    return (String(decoding: bytes[name], as: UTF8.self), value)
  }
}
