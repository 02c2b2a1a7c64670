internal import Foundation

/// A JSON value whose keys keep their order, written on one line.
enum JSONText: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  case null
  case bool(Bool)
  case integer(Int)
  /// A number with at most so many digits after the point.
  case number(Double, digits: Int)
  case string(String)
  case array([JSONText])
  case object([Member])

  /// One key with its value.
  struct Member: Sendable, Hashable {
    let key: String
    let value: JSONText

    init(_ key: String, _ value: JSONText) {
      self.key = key
      self.value = value
    }
  }

  init(stringLiteral value: String) { self = .string(value) }
  init(integerLiteral value: Int) { self = .integer(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(nilLiteral: ()) { self = .null }

  /// A number, or null for what JSON cannot hold.
  static func number(_ value: Double?, _ digits: Int) -> JSONText {
    value.map { .number($0, digits: digits) } ?? .null
  }

  /// A string, or null.
  static func text(_ value: String?) -> JSONText { value.map { .string($0) } ?? .null }

  /// Anything that can be encoded, with its keys in alphabetical order.
  static func encoded(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else {
      preconditionFailure("a message of this program is not JSON")
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// The value as JSON without a line end.
  var text: String {
    var result = ""
    write(to: &result)
    return result
  }

  private func write(to result: inout String) {
    switch self {
    case .null: result += "null"
    case .bool(let value): result += value ? "true" : "false"
    case .integer(let value): result += String(value)
    case .number(let value, let digits): result += JSONText.plain(value, digits: digits)
    case .string(let value): JSONText.quote(value, to: &result)
    case .array(let values):
      result += "["
      for (index, value) in values.enumerated() {
        if index > 0 { result += "," }
        value.write(to: &result)
      }
      result += "]"
    case .object(let members):
      result += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { result += "," }
        JSONText.quote(member.key, to: &result)
        result += ":"
        member.value.write(to: &result)
      }
      result += "}"
    }
  }

  /// A number rounded to `digits` places, without zeros at its end.
  static func plain(_ value: Double, digits: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "null" }
    let scale = (0..<digits).reduce(1.0) { product, _ in product * 10 }
    let rounded = (value * scale).rounded() / scale
    if rounded == rounded.rounded() { return String(Int(rounded)) }
    var text = String(format: "%.\(digits)f", locale: nil, rounded)
    while text.hasSuffix("0") { text.removeLast() }
    return text
  }

  private static func quote(_ text: String, to result: inout String) {
    result += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    result += "\""
  }
}
