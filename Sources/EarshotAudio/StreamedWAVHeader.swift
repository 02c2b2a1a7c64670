/// The header of a WAV stream of unknown length that ends with the start of its samples.
struct StreamedWAVHeader {
  let rate: Double
  let channels: Int
  let speakers: [Speaker]
  /// The bytes before the first sample.
  let byteCount: Int

  /// What the header says of the samples and of all of the file, in bytes.
  let dataByteCount: Int
  let riffByteCount: Int

  /// Reads the header, or nil while it is not there whole.
  init?(_ bytes: [UInt8]) {
    func number(_ offset: Int, _ size: Int) -> Int {
      (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    guard bytes.count >= 12, bytes.starts(with: "RIFF".utf8) else { return nil }
    var place = 12
    var found: (rate: Double, channels: Int, mask: Int)?
    while place + 8 <= bytes.count {
      let name = bytes[place..<(place + 4)]
      let size = number(place + 4, 4)
      if name.elementsEqual("data".utf8) {
        guard let found, found.channels > 0 else { return nil }
        (rate, channels) = (found.rate, found.channels)
        speakers = Self.speakers(mask: found.mask, count: found.channels)
        byteCount = place + 8
        dataByteCount = size
        riffByteCount = number(4, 4)
        return
      }
      guard place + 8 + size <= bytes.count else { return nil }
      if name.elementsEqual("fmt ".utf8), size >= 16 {
        let isExtensible = number(place + 8, 2) == 0xFFFE && size >= 40
        found = (
          Double(number(place + 12, 4)), number(place + 10, 2),
          isExtensible ? number(place + 28, 4) : 0
        )
      }
      place += 8 + size + size % 2
    }
    return nil
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
