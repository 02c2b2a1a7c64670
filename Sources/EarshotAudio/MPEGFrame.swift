/// The header of one frame of MPEG audio (MP3 and its older layers).
struct MPEGFrame: Sendable, Hashable {
  let offset: Int
  let byteCount: Int
  let isVersion1: Bool
  let isMono: Bool
  let layer: Int

  private static let rates: [Int] = [44100, 48000, 32000]
  private static let bitRates1: [[Int]] = [
    [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  ]
  private static let bitRates2: [[Int]] = [
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]

  /// Reads the header at `offset`, or nil when there is none.
  init?(_ bytes: [UInt8], at offset: Int) {
    guard offset >= 0, offset + 4 <= bytes.count, bytes[offset] == 0xFF,
      bytes[offset + 1] & 0xE0 == 0xE0
    else { return nil }
    let version = Int(bytes[offset + 1] >> 3) & 3
    let layerCode = Int(bytes[offset + 1] >> 1) & 3
    let rateCode = Int(bytes[offset + 2] >> 2) & 3
    let bitRateCode = Int(bytes[offset + 2] >> 4)
    guard version != 1, layerCode != 0, rateCode != 3, bitRateCode != 0, bitRateCode != 15
    else { return nil }
    layer = 4 - layerCode
    isVersion1 = version == 3
    isMono = bytes[offset + 3] >> 6 == 3
    let rate = Self.rates[rateCode] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
    let kilobits = (isVersion1 ? Self.bitRates1 : Self.bitRates2)[layer - 1][bitRateCode]
    let padding = Int(bytes[offset + 2] >> 1) & 1
    byteCount =
      switch layer {
      case 1: (12000 * kilobits / rate + padding) * 4
      case 3 where !isVersion1: 72000 * kilobits / rate + padding
      default: 144_000 * kilobits / rate + padding
      }
    self.offset = offset
  }

  /// The first header that another header follows where it should.
  static func first(in bytes: [UInt8]) -> MPEGFrame? {
    for offset in 0..<max(0, bytes.count - 4) {
      guard bytes[offset] == 0xFF, let frame = MPEGFrame(bytes, at: offset) else { continue }
      let next = offset + frame.byteCount
      // A short file may end with its only frame; elsewhere a second header must follow.
      if next + 4 > bytes.count ? offset == 0 : MPEGFrame(bytes, at: next) != nil { return frame }
    }
    return nil
  }

  /// Whether this frame carries the encoder's delay, which the decoder then takes out itself.
  func tellsDelay(in bytes: [UInt8]) -> Bool {
    let tag = offset + 4 + (isVersion1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17))
    guard tag + 8 <= bytes.count else { return false }
    let name = bytes[tag..<(tag + 4)]
    guard name.elementsEqual("Xing".utf8) || name.elementsEqual("Info".utf8) else { return false }
    let flags = bytes[tag + 7]
    var delay = tag + 8 + 21
    if flags & 1 != 0 { delay += 4 }
    if flags & 2 != 0 { delay += 4 }
    if flags & 4 != 0 { delay += 100 }
    if flags & 8 != 0 { delay += 4 }
    guard delay + 3 <= bytes.count else { return false }
    return bytes[delay] != 0 || bytes[delay + 1] & 0xF0 != 0
  }

  /// The length of an ID3 tag at the front of `head`, with its own header; 0 when there is none.
  static func tagByteCount(_ head: [UInt8]) -> Int {
    guard head.count >= 10, head.starts(with: "ID3".utf8) else { return 0 }
    let size = head[6..<10].reduce(0) { $0 << 7 | Int($1 & 0x7F) }
    return 10 + size + (head[5] & 0x10 != 0 ? 10 : 0)
  }
}
