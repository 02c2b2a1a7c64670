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
  /// One of a closed list of words.
  case choice([String])

  /// Whether `value` is of this kind.
  func accepts(_ value: [UInt8]) -> Bool {
    switch self {
    case .file, .folder: !value.isEmpty
    case .text: !value.isEmpty && String(validating: value, as: UTF8.self) != nil
    case .number(let bounds, _): Self.number(value).map(bounds.contains) ?? false
    case .count(let bounds): Self.count(value).map(bounds.contains) ?? false
    case .choice(let words): words.contains { $0.utf8.elementsEqual(value) }
    }
  }

  /// Reads a plain decimal number; words such as `inf` and `nan` and hexadecimal are none.
  static func number(_ value: [UInt8]) -> Double? {
    guard value.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D }) else {
      return nil
    }
    return Double(String(decoding: value, as: UTF8.self))
  }

  /// Reads a whole decimal number.
  static func count(_ value: [UInt8]) -> Int? {
    guard value.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2D }) else { return nil }
    return Int(String(decoding: value, as: UTF8.self))
  }
}
