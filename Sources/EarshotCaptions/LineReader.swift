/// Reads a text line by line without keeping a list of the lines.
///
/// A copy is a bookmark: going back to it costs nothing.
struct LineReader: Sendable {
  let bytes: [UInt8]
  /// Where the next line begins.
  private(set) var position: Int
  /// The number of the line read last, counted from 1.
  private(set) var line = 0

  init(_ text: CaptionText) {
    bytes = text.bytes
    position = 0
  }

  /// Whether every line was read.
  var isAtEnd: Bool { position >= bytes.count }

  /// The next line's bytes without its end; nil after the last.
  mutating func next() -> Range<Int>? {
    guard position < bytes.count else { return nil }
    let start = position
    var end = start
    while end < bytes.count, bytes[end] != 0x0A { end += 1 }
    position = end + 1
    line += 1
    return start..<end
  }

  /// Passes over empty lines.
  mutating func skipEmptyLines() {
    while position < bytes.count, bytes[position] == 0x0A {
      position += 1
      line += 1
    }
  }

  /// The text of a range of bytes.
  func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The first place of `-->` in a range.
  func arrow(in range: Range<Int>) -> Int? {
    var index = range.lowerBound
    while index + 2 < range.upperBound {
      if bytes[index + 2] == UInt8(ascii: ">"), bytes[index + 1] == UInt8(ascii: "-"),
        bytes[index] == UInt8(ascii: "-")
      {
        return index
      }
      index += 1
    }
    return nil
  }

  /// Whether a range begins with a word that is followed by nothing or by a blank.
  func isWord(_ word: StaticString, at range: Range<Int>) -> Bool {
    let end = range.lowerBound + word.utf8CodeUnitCount
    guard end <= range.upperBound, bytes[range.lowerBound..<end].elementsEqual(word.bytes) else {
      return false
    }
    return end == range.upperBound || bytes[end] == 0x20 || bytes[end] == 0x09
      || bytes[end] == 0x0A
  }
}

extension StaticString {
  /// The bytes of the string.
  fileprivate var bytes: [UInt8] { withUTF8Buffer { unsafe Array($0) } }
}

extension UInt8 {
  /// A blank, tab, line feed, form feed or return: what WebVTT and XML part words by.
  var isBlank: Bool { self == 0x20 || (self >= 0x09 && self <= 0x0D && self != 0x0B) }
  /// A digit from 0 to 9.
  var isDigit: Bool { self >= 0x30 && self <= 0x39 }
  /// A letter from a to z, of either case.
  var isLetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }
}
