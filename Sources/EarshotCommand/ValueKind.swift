/// What the value of an option, or an operand, stands for.
///
/// The kind decides what the parser accepts and what the shells complete. Bounds are inclusive.
enum ValueKind: Sendable, Hashable {
  /// The name of a file: any bytes. `ending` is what completions offer, without its dot.
  case file(ending: String?)
  /// The name of a folder: any bytes.
  case folder
  /// Text in UTF-8.
  case text
  /// A decimal number without exponent, in `unit`.
  case number(ClosedRange<Double>, unit: String)
  /// A whole number.
  case count(ClosedRange<Int>)
  /// A time in seconds, or in hours, minutes and seconds with colons: `1:02:03.5`.
  case time
  /// One of a closed list of words; other spellings are taken too, and shown nowhere.
  case choice([String], alsoKnownAs: [String] = [])

  /// Whether `value` is of this kind.
  func accepts(_ value: [UInt8]) -> Bool {
    switch self {
    case .file, .folder: !value.isEmpty
    case .text: !value.isEmpty && String(validating: value, as: UTF8.self) != nil
    case .number(let bounds, _): Self.number(value).map(bounds.contains) ?? false
    case .count(let bounds): Self.count(value).map(bounds.contains) ?? false
    case .time: Self.time(value) != nil
    case .choice(let words, let others): (words + others).contains { $0.utf8.elementsEqual(value) }
    }
  }

  /// Reads a plain decimal number; words such as `inf` and `nan` and hexadecimal are none.
  static func number(_ value: [UInt8]) -> Double? {
    guard value.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D }) else {
      return nil
    }
    return Double(String(decoding: value, as: UTF8.self))
  }

  /// Reads a time in seconds; parts are parted by colons, and only the last may have a fraction.
  static func time(_ value: [UInt8]) -> Double? {
    let parts = value.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), value.first != UInt8(ascii: "-") else { return nil }
    var seconds = 0.0
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      guard let number = number(Array(part)), number.sign == .plus, number < 1e6,
        isLast || !part.contains(UInt8(ascii: ".")), index == 0 || number < 60
      else { return nil }
      seconds = seconds * 60 + number
    }
    return seconds
  }

  /// Reads a whole decimal number.
  static func count(_ value: [UInt8]) -> Int? {
    guard value.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2D }) else { return nil }
    return Int(String(decoding: value, as: UTF8.self))
  }
}
