/// One value of a message of the PulseAudio native protocol, as far as questions need it.
enum PulseValue: Sendable, Hashable {
  case number(UInt32)
  case long(UInt64)
  case text(String?)
  case flag(Bool)
  /// Format code, channels, rate in hertz.
  case sampleSpecification(format: UInt8, channels: UInt8, rate: UInt32)
  case properties([String: String])
  /// A value that no question needs.
  case other
}

/// Writes the values of a message.
struct PulseTagWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ number: UInt32) {
    bytes.append(UInt8(ascii: "L"))
    putBigEndian(number)
  }

  mutating func put(_ text: String?) {
    guard let text else {
      bytes.append(UInt8(ascii: "N"))
      return
    }
    bytes.append(UInt8(ascii: "t"))
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  mutating func put(arbitrary content: [UInt8]) {
    bytes.append(UInt8(ascii: "x"))
    putBigEndian(UInt32(content.count))
    bytes.append(contentsOf: content)
  }

  /// Properties with text values, each written with its closing zero.
  mutating func put(properties: [(String, String)]) {
    bytes.append(UInt8(ascii: "P"))
    for (key, value) in properties {
      put(key)
      let content = Array(value.utf8) + [0]
      put(UInt32(content.count))
      put(arbitrary: content)
    }
    put(nil)
  }

  private mutating func putBigEndian(_ number: UInt32) {
    for shift in [24, 16, 8, 0] as [UInt32] {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}

/// Reads the values of a message. Every length is checked: the bytes come from outside.
struct PulseTagReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }

  /// The next value, or `nil` at the end and where the bytes are not of this protocol.
  mutating func next() -> PulseValue? {
    guard let tag = byte() else { return nil }
    switch tag {
    case UInt8(ascii: "L"), UInt8(ascii: "V"):
      return integer(byteCount: 4).map { .number(UInt32($0)) }
    case UInt8(ascii: "B"): return integer(byteCount: 1).map { .number(UInt32($0)) }
    case UInt8(ascii: "R"), UInt8(ascii: "r"), UInt8(ascii: "U"), UInt8(ascii: "T"):
      return integer(byteCount: 8).map { .long($0) }
    case UInt8(ascii: "t"): return text().map { .text($0) }
    case UInt8(ascii: "N"): return .text(nil)
    case UInt8(ascii: "1"): return .flag(true)
    case UInt8(ascii: "0"): return .flag(false)
    case UInt8(ascii: "a"):
      guard let format = byte(), let channels = byte(), let rate = integer(byteCount: 4) else {
        return nil
      }
      return .sampleSpecification(format: format, channels: channels, rate: UInt32(rate))
    case UInt8(ascii: "m"): return skip(countedBy: 1)
    case UInt8(ascii: "v"): return skip(countedBy: 4)
    case UInt8(ascii: "x"):
      guard let count = integer(byteCount: 4) else { return nil }
      return take(Int(count)).map { _ in .other }
    case UInt8(ascii: "P"): return properties()
    default: return nil
    }
  }

  /// The next value where it is a number.
  mutating func number() -> UInt32? {
    guard case .number(let number) = next() else { return nil }
    return number
  }

  /// The next value where it is text; a missing text reads as an empty one.
  mutating func string() -> String? {
    guard case .text(let text) = next() else { return nil }
    return text ?? ""
  }

  /// Passes over `count` values, and says whether they were there.
  mutating func skip(_ count: Int) -> Bool {
    for _ in 0..<count where next() == nil { return false }
    return true
  }

  private mutating func properties() -> PulseValue? {
    var found: [String: String] = [:]
    while true {
      guard case .text(let key) = next() else { return nil }
      guard let key else { return .properties(found) }
      guard number() != nil, byte() == UInt8(ascii: "x"), let count = integer(byteCount: 4),
        let value = take(Int(count))
      else { return nil }
      found[key] = String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  private mutating func byte() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= bytes.count - position else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func integer(byteCount: Int) -> UInt64? {
    take(byteCount)?.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func text() -> String? {
    guard let end = bytes[position...].firstIndex(of: 0) else { return nil }
    defer { position = end + 1 }
    return String(decoding: bytes[position..<end], as: UTF8.self)
  }

  private mutating func skip(countedBy width: Int) -> PulseValue? {
    guard let count = byte() else { return nil }
    return take(Int(count) * width).map { _ in .other }
  }
}
