/// Reads the time expressions of TTML, by the parameters that the document sets.
struct TimedTextTime: Sendable, Hashable {
  /// Frames in a second, as written.
  private var frameRate = 30.0
  private var frameRateMultiplier = 1.0
  private var subFrameRate = 1.0
  private var tickRate: Double?
  private var isSMPTE = false
  private var dropsFrames = false
  /// Whether times are those of a clock on the wall, which says nothing of the reference.
  private(set) var isWallClock = false

  init() {}

  /// Takes the parameters from the document's outermost element.
  init(_ root: XMLElement) {
    let writtenRate = Self.positive(root[.parameter, "frameRate"])
    frameRate = writtenRate ?? 30
    if let text = root[.parameter, "frameRateMultiplier"] {
      let parts = text.split { $0 == " " || $0 == ":" }.compactMap { Self.positive(String($0)) }
      if parts.count == 2 { frameRateMultiplier = parts[0] / parts[1] }
    }
    subFrameRate = Self.positive(root[.parameter, "subFrameRate"]) ?? 1
    tickRate = Self.positive(root[.parameter, "tickRate"])
    if tickRate == nil, writtenRate != nil {
      // Without a tick rate a tick is a sub-frame, where frames are defined.
      tickRate = frameRate * frameRateMultiplier * subFrameRate
    }
    isSMPTE = root[.parameter, "timeBase"] == "smpte"
    isWallClock = root[.parameter, "timeBase"] == "clock"
    dropsFrames = root[.parameter, "dropMode"] == "dropNTSC"
  }

  /// A number that is finite, above zero and below a billion.
  private static func positive(_ text: String?) -> Double? {
    guard let text, text.utf8.count <= 20, let value = Double(text), value > 0, value < 1e9 else {
      return nil
    }
    return value
  }

  /// The time that an expression stands for, in microseconds; nil when it cannot be read.
  func microseconds(_ expression: String) -> Int64? {
    if let usual = Self.usual(expression.utf8) { return usual }
    let bytes = Array(expression.utf8.drop(while: \.isBlank))
    guard bytes.count <= 40, let last = bytes.last else { return nil }
    let seconds: Double?
    if bytes.contains(UInt8(ascii: ":")) {
      seconds = clockTime(bytes)
    } else if bytes.suffix(2).elementsEqual("ms".utf8) {
      seconds = Self.number(bytes.dropLast(2)).map { $0 / 1000 }
    } else {
      let value = Self.number(bytes.dropLast())
      seconds =
        switch last {
        case UInt8(ascii: "h"): value.map { $0 * 3600 }
        case UInt8(ascii: "m"): value.map { $0 * 60 }
        case UInt8(ascii: "s"): value
        case UInt8(ascii: "f"): value.map { $0 / (frameRate * frameRateMultiplier) }
        case UInt8(ascii: "t"): value.map { $0 / (tickRate ?? 1) }
        default: nil
        }
    }
    guard let seconds, seconds.isFinite else { return nil }
    return Int64(min(seconds, 1e9) * 1e6 + 0.5)
  }

  /// `00:00:00` with up to six digits of a fraction, as nearly every file writes every time.
  private static func usual(_ text: String.UTF8View) -> Int64? {
    var values: (Int64, Int64, Int64) = (0, 0, 0)
    var fraction: Int64 = 0
    var unit: Int64 = 1_000_000
    for (place, byte) in text.enumerated() {
      switch (place, byte) {
      case (2, UInt8(ascii: ":")), (5, UInt8(ascii: ":")), (8, UInt8(ascii: ".")): break
      case (0...1, _) where byte.isDigit: values.0 = values.0 * 10 + Int64(byte - 0x30)
      case (3...4, _) where byte.isDigit: values.1 = values.1 * 10 + Int64(byte - 0x30)
      case (6...7, _) where byte.isDigit: values.2 = values.2 * 10 + Int64(byte - 0x30)
      case (9...14, _) where byte.isDigit:
        unit /= 10
        fraction += Int64(byte - 0x30) * unit
      default: return nil
      }
    }
    guard text.count == 8 || text.count >= 10, values.1 < 60, values.2 < 61 else { return nil }
    return ((values.0 * 60 + values.1) * 60 + values.2) * 1_000_000 + fraction
  }

  /// Hours, minutes and seconds, with a fraction or frames behind them.
  private func clockTime(_ bytes: [UInt8]) -> Double? {
    let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (3...4).contains(parts.count), let hours = Self.whole(parts[0]),
      let minutes = Self.whole(parts[1]), minutes < 60
    else { return nil }
    guard parts.count == 4 else {
      guard let seconds = Self.number(parts[2]), seconds < 61 else { return nil }
      return (hours * 60 + minutes) * 60 + seconds
    }
    let pieces = parts[3].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let seconds = Self.whole(parts[2]), seconds < 61, pieces.count <= 2,
      let frames = Self.whole(pieces[0]), frames < frameRate.rounded(.up)
    else { return nil }
    var frame = frames
    if pieces.count == 2 {
      guard let subFrames = Self.whole(pieces[1]) else { return nil }
      frame += subFrames / subFrameRate
    }
    let whole = (hours * 60 + minutes) * 60 + seconds
    guard isSMPTE else { return whole + frame / (frameRate * frameRateMultiplier) }
    // Time code counts frames at the round rate; drop-frame code leaves out two numbers a minute,
    // except in every tenth.
    let allMinutes = hours * 60 + minutes
    let dropped = dropsFrames ? 2 * (allMinutes - (allMinutes / 10).rounded(.down)) : 0
    return (whole * frameRate + frame - dropped) / (frameRate * frameRateMultiplier)
  }

  /// One to nine digits and nothing else.
  private static func whole(_ digits: ArraySlice<UInt8>) -> Double? {
    guard (1...9).contains(digits.count), digits.allSatisfy(\.isDigit) else { return nil }
    return Double(digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
  }

  /// Digits, with a fraction behind them where wanted.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Double? {
    let parts = bytes.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, !first.isEmpty,
      parts.allSatisfy({ $0.allSatisfy(\.isDigit) })
    else { return nil }
    var value = first.reduce(0.0) { $0 * 10 + Double($1 - 0x30) }
    guard parts.count == 2 else { return value }
    var scale = 1.0
    for digit in parts[1].prefix(12) {
      scale /= 10
      value += Double(digit - 0x30) * scale
    }
    return value
  }
}
