import CFuzzHash

/// Makes the checksums of a catalog's bytes fit whatever they say, as a stranger would.
///
/// Without it nearly every changed byte would be found by a checksum, and nothing behind it tried.
enum Seal {
  static func close(_ bytes: inout [UInt8]) {
    guard bytes.count >= 4096 else { return }
    put(UInt64(bytes.count), in: &bytes, at: 16)
    let lineCount = min(Int(number(bytes, 12, 4)), 100)
    put(UInt64(lineCount), in: &bytes, at: 12, size: 4)
    var identity: [UInt8] = []
    for line in 0..<lineCount {
      let place = 64 + 40 * line
      let (flags, offset, count) = (
        number(bytes, place + 4, 4), number(bytes, place + 8, 8), number(bytes, place + 16, 8)
      )
      let checks = number(bytes, place + 32, 8)
      guard let section = range(offset, count, in: bytes) else { continue }
      if number(bytes, place, 4) == 0x4E47_4953 {
        sealSignatures(section, lineCount: lineCount, in: &bytes)
      }
      if flags & 2 != 0 {
        let blockCount = (section.count + 65535) / 65536
        guard let list = range(checks, UInt64(8 * blockCount), in: bytes) else { continue }
        for block in 0..<blockCount {
          let start = section.lowerBound + block << 16
          let end = min(start + 65536, section.upperBound)
          put(hash(bytes[start..<end]), in: &bytes, at: list.lowerBound + 8 * block)
        }
        put(hash(bytes[list]), in: &bytes, at: place + 24)
      } else {
        put(hash(bytes[section]), in: &bytes, at: place + 24)
      }
      identity += bytes[(place + 24)..<(place + 32)]
    }
    put(hash(identity[...]), in: &bytes, at: 40)
    put(hash(bytes[64..<(64 + 40 * lineCount)]), in: &bytes, at: 48)
    put(hash(bytes[0..<56]), in: &bytes, at: 56)
  }

  /// Makes the checksums inside the index fit: of its groups, directories, seek tables, records and trailer.
  static func closeIndex(_ bytes: inout [UInt8]) {
    guard bytes.count >= 4096 else { return }
    let lineCount = min(Int(number(bytes, 12, 4)), 100)
    let lines = (0..<lineCount).map { 64 + 40 * $0 }
    guard let line = lines.first(where: { number(bytes, $0, 4) == 0x5844_4E49 }),
      let section = range(number(bytes, line + 8, 8), number(bytes, line + 16, 8), in: bytes),
      section.count >= 64
    else { return }
    let trailer = section.upperBound - 64
    func part(_ place: Int) -> Range<Int>? {
      let (start, count) = (number(bytes, place, 8), number(bytes, place + 8, 8))
      guard start <= UInt64(section.count), count <= UInt64(section.count) - start else {
        return nil
      }
      return (section.lowerBound + Int(start))..<(section.lowerBound + Int(start + count))
    }
    let records = number(bytes, trailer + 16, 8)
    guard records <= UInt64(section.count - 64) else { return }
    let first = section.lowerBound + Int(records)
    for record in stride(from: first, to: trailer - 95, by: 96).prefix(8) {
      if let groups = part(record + 16), let directory = part(record + 32) {
        for group in 0..<min(4096, max(0, directory.count / 4 - 1)) {
          let start =
            groups.lowerBound + 8 * Int(number(bytes, directory.lowerBound + 4 * group, 4))
          let end =
            groups.lowerBound + 8 * Int(number(bytes, directory.lowerBound + 4 * group + 4, 4))
          guard start + 8 <= end, end <= groups.upperBound else { continue }
          put(hash(bytes[(start + 8)..<end]), in: &bytes, at: start)
        }
        put(hash(bytes[directory]), in: &bytes, at: record + 64)
      }
      if let seeks = part(record + 48) { put(hash(bytes[seeks]), in: &bytes, at: record + 72) }
    }
    if first <= trailer { put(hash(bytes[first..<trailer]), in: &bytes, at: trailer + 24) }
    put(hash(bytes[trailer..<(trailer + 32)]), in: &bytes, at: trailer + 32)
  }

  /// Makes the checksums inside the outline fit: of its counts and its trailer.
  static func closeOutline(_ bytes: inout [UInt8]) {
    guard bytes.count >= 4096 else { return }
    let lineCount = min(Int(number(bytes, 12, 4)), 100)
    let lines = (0..<lineCount).map { 64 + 40 * $0 }
    guard let line = lines.first(where: { number(bytes, $0, 4) == 0x4C54_554F }),
      let section = range(number(bytes, line + 8, 8), number(bytes, line + 16, 8), in: bytes),
      section.count >= 64
    else { return }
    let trailer = section.upperBound - 64
    let (words, cells) = (number(bytes, trailer + 16, 8), number(bytes, trailer + 24, 8))
    if words <= UInt64(section.count) {
      let start = UInt64(section.lowerBound) + (2 * words + 7) & ~7
      if let counts = range(start, cells, in: bytes), counts.upperBound <= trailer {
        put(hash(bytes[counts]), in: &bytes, at: trailer + 32)
      }
    }
    put(hash(bytes[trailer..<(trailer + 40)]), in: &bytes, at: trailer + 40)
  }

  /// Makes the content hashes of signatures fit their peaks.
  private static func sealSignatures(
    _ section: Range<Int>, lineCount: Int, in bytes: inout [UInt8]
  ) {
    let lines = (0..<lineCount).map { 64 + 40 * $0 }
    guard let line = lines.first(where: { number(bytes, $0, 4) == 0x4B41_4550 }),
      let peaks = range(number(bytes, line + 8, 8), number(bytes, line + 16, 8), in: bytes)
    else { return }
    for record in stride(from: section.lowerBound, to: section.upperBound - 31, by: 32) {
      let start = UInt64(peaks.lowerBound) &+ number(bytes, record, 8)
      let words = number(bytes, record + 8, 4)
      guard let own = range(start, 2 * words, in: bytes) else { continue }
      let samples = number(bytes, record + 16, 8)
      let value = bytes[own].withUnsafeBytes {
        XXH3_64bits_withSeed($0.baseAddress, $0.count, samples)
      }
      put(value, in: &bytes, at: record + 24)
    }
  }

  private static func range(_ offset: UInt64, _ count: UInt64, in bytes: [UInt8]) -> Range<Int>? {
    guard offset <= bytes.count, count <= UInt64(bytes.count) - offset else { return nil }
    return Int(offset)..<Int(offset + count)
  }

  private static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) }
  }

  private static func number(_ bytes: [UInt8], _ place: Int, _ size: Int) -> UInt64 {
    (0..<size).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
  }

  private static func put(_ value: UInt64, in bytes: inout [UInt8], at place: Int, size: Int = 8) {
    for byte in 0..<size {
      bytes[place + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte))
    }
  }
}
