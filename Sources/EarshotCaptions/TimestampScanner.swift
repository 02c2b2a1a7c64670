/// Reads the times of WebVTT and SRT.
struct TimestampScanner: Sendable {
  private let bytes: [UInt8]
  private(set) var position: Int
  private let end: Int
  /// Whether a time read so far broke its format's rules, though it is clear what is meant.
  private(set) var isIrregular = false

  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  private var byte: UInt8? { position < end ? bytes[position] : nil }

  mutating func skipBlanks() {
    while let byte, byte.isBlank { position += 1 }
  }

  /// Passes over the arrow between two times; false when it is not there.
  mutating func skipArrow() -> Bool {
    guard position + 3 <= end, bytes[position..<position + 3].elementsEqual("-->".utf8) else {
      return false
    }
    position += 3
    return true
  }

  /// A time by the WebVTT algorithm, a comma for the dot allowed.
  mutating func webVTTTime() -> CueTime? {
    guard let first = number() else { return nil }
    let hasHours = first.digitCount != 2 || first.value > 59
    guard skip(":"), let second = number(), second.digitCount == 2 else { return nil }
    var parts = (hours: Int64(0), minutes: first.value, seconds: second.value)
    if hasHours || byte == UInt8(ascii: ":") {
      guard skip(":"), let third = number(), third.digitCount == 2 else { return nil }
      parts = (first.value, second.value, third.value)
      // Readers take one digit; writers are asked for two.
      if first.digitCount == 1 { isIrregular = true }
    }
    if byte == UInt8(ascii: ",") {
      isIrregular = true
      position += 1
    } else if !skip(".") {
      return nil
    }
    guard let fraction = number(), fraction.digitCount == 3, parts.minutes <= 59,
      parts.seconds <= 59
    else { return nil }
    return Self.time(parts.hours, parts.minutes, parts.seconds, microseconds: fraction.value * 1000)
  }

  /// A time in any of the forms found in SRT files: with or without hours, any number of digits,
  /// comma, dot or colon before the thousandths or none at all, blanks between, a minus sign.
  mutating func subRipTime() -> CueTime? {
    let isNegative = byte == UInt8(ascii: "-")
    if isNegative { position += 1 }
    guard let first = number() else { return nil }
    var parts = [first]
    while parts.count < 3, skipSeparator(":") {
      guard let part = number() else { return nil }
      parts.append(part)
    }
    guard parts.count >= 2 else { return nil }
    var microseconds: Int64 = 0
    if skipSeparator(",") || skipSeparator(".") || skipSeparator(":") {
      let start = position
      guard let fraction = number() else { return nil }
      microseconds = Self.microseconds(bytes[start..<position])
      if fraction.digitCount != 3 { isIrregular = true }
      let isUsual = bytes[start - 1] == UInt8(ascii: ",")
      if !isUsual { isIrregular = true }
    } else {
      isIrregular = true
    }
    // A letter or digit that follows at once is a slip of the pen, and what it stands for is unclear.
    if let byte, byte.isLetter || byte.isDigit || byte == UInt8(ascii: ":") { return nil }
    if parts.count == 2 || parts.contains(where: { $0.digitCount != 2 }) { isIrregular = true }
    if parts.count == 2 { parts.insert((0, 2), at: 0) }
    guard parts[1].value <= 59 || parts[0].value == 0, parts[2].value <= 59 else { return nil }
    guard !isNegative else {
      isIrregular = true
      return .zero
    }
    return Self.time(
      parts[0].value, parts[1].value, parts[2].value, microseconds: microseconds)
  }

  /// A run of digits; a number too large for any time stays too large.
  private mutating func number() -> (value: Int64, digitCount: Int)? {
    var value: Int64 = 0
    let start = position
    while let byte, byte.isDigit {
      value = min(value * 10 + Int64(byte - 0x30), 1_000_000_000_000)
      position += 1
    }
    return position > start ? (value, position - start) : nil
  }

  private mutating func skip(_ mark: Unicode.Scalar) -> Bool {
    guard byte == UInt8(ascii: mark) else { return false }
    position += 1
    return true
  }

  /// A mark with blanks around it; without the mark nothing is passed over.
  private mutating func skipSeparator(_ mark: Unicode.Scalar) -> Bool {
    let before = position
    skipBlanks()
    let hasBlanks = position > before
    guard skip(mark) else {
      position = before
      return false
    }
    let after = position
    skipBlanks()
    if hasBlanks || position > after { isIrregular = true }
    return true
  }

  /// The digits of a decimal fraction of a second.
  private static func microseconds(_ digits: ArraySlice<UInt8>) -> Int64 {
    var value: Int64 = 0
    for index in 0..<6 {
      let digit = index < digits.count ? digits[digits.startIndex + index] - 0x30 : 0
      value = value * 10 + Int64(digit)
    }
    return value
  }

  private static func time(
    _ hours: Int64, _ minutes: Int64, _ seconds: Int64, microseconds: Int64
  ) -> CueTime {
    let whole = min(hours, 10_000) * 3600 + min(minutes, 1_000_000) * 60 + seconds
    return CueTime(microseconds: whole * 1_000_000 + microseconds)
  }
}
