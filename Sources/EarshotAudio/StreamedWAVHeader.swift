/// The header of a WAV or RF64 stream of unknown length that ends with the start of its samples.
struct StreamedWAVHeader {
  let rate: Double
  let channels: Int
  let speakers: [Speaker]
  /// How the samples are written, where that is plain.
  let format: RawFormat?
  /// The bytes before the first sample.
  let byteCount: Int

  /// What the header says of the samples and of all of the file, in bytes; of RF64, what its 64-bit
  /// sizes say where the 32-bit ones point to them.
  let dataByteCount: Int
  let riffByteCount: Int

  /// A 32-bit size that says 'unknown', or in RF64 'look elsewhere'.
  private static let unknownSize = 0xFFFF_FFFF

  /// Whether the header says that there are no samples, and nothing else behind it either: its writer
  /// ended before it knew the sizes, or writes into a pipe.
  var saysNothing: Bool {
    dataByteCount == 0 && (8 + riffByteCount <= byteCount || riffByteCount == Self.unknownSize)
  }

  /// Reads the header, or nil while it is not there whole.
  init?(_ bytes: [UInt8]) {
    func number(_ offset: Int, _ size: Int) -> Int {
      (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    guard bytes.count >= 12 else { return nil }
    let is64 = bytes.starts(with: "RF64".utf8)
    guard is64 || bytes.starts(with: "RIFF".utf8) else { return nil }
    var place = 12
    var long: (riff: Int, data: Int)?
    var found: (rate: Double, channels: Int, mask: Int, format: RawFormat?)?
    while place + 8 <= bytes.count {
      let name = bytes[place..<(place + 4)]
      let size = number(place + 4, 4)
      if name.elementsEqual("data".utf8) {
        guard let found, found.channels > 0 else { return nil }
        (rate, channels) = (found.rate, found.channels)
        speakers = Self.speakers(mask: found.mask, count: found.channels)
        format = found.format
        byteCount = place + 8
        dataByteCount = size == Self.unknownSize ? long?.data ?? size : size
        let riff = number(4, 4)
        riffByteCount = riff == Self.unknownSize ? long?.riff ?? riff : riff
        return
      }
      guard place + 8 + size <= bytes.count else { return nil }
      if is64, name.elementsEqual("ds64".utf8), size >= 16 {
        // Seven bytes are more than any file has, and always fit.
        long = (number(place + 8, 7), number(place + 16, 7))
      } else if name.elementsEqual("fmt ".utf8), size >= 16 {
        let isExtensible = number(place + 8, 2) == 0xFFFE && size >= 40
        let channels = number(place + 10, 2)
        let bits = number(place + 22, 2)
        let isPacked = number(place + 20, 2) * 8 == channels * bits
        found = (
          Double(number(place + 12, 4)), channels, isExtensible ? number(place + 28, 4) : 0,
          isPacked
            ? Self.format(code: number(place + (isExtensible ? 32 : 8), 2), bits: bits) : nil
        )
      }
      place += 8 + size + size % 2
    }
    return nil
  }

  private static func format(code: Int, bits: Int) -> RawFormat? {
    switch (code, bits) {
    case (1, 8): .u8
    case (1, 16): .s16
    case (1, 24): .s24
    case (1, 32): .s32
    case (3, 32): .f32
    case (3, 64): .f64
    case (6, 8): .alaw
    case (7, 8): .ulaw
    default: nil
    }
  }

  /// The speakers of a WAV channel mask, in the order of its bits.
  private static func speakers(mask: Int, count: Int) -> [Speaker] {
    let places: [Speaker] = [
      .left, .right, .centre, .lowFrequency, .backLeft, .backRight, .left, .right, .backCentre,
      .sideLeft, .sideRight,
    ]
    guard count > 2, mask.nonzeroBitCount == count else { return ChannelMix.usualSpeakers(count) }
    return (0..<32).filter { mask >> $0 & 1 == 1 }.map {
      $0 < places.count ? places[$0] : .unknown
    }
  }
}
