/// Finds how the sound of an MP4 file is coded, without parsing the file, for a message.
enum MP4Coding {
  private static let names: [(String, String)] = [
    ("mp4a", "AAC"), ("alac", "ALAC"), ("ac-3", "AC-3"), ("ec-3", "E-AC-3"), ("Opus", "Opus"),
    ("fLaC", "FLAC"),
  ]
  private static let searchByteCount = 128 << 10

  /// Looks where the description stands: near the front, or near the end.
  static func name(in file: borrowing OwnedDescriptor) throws(AudioError) -> String? {
    let size = try file.kindAndSize().byteCount
    let front = try file.bytes(at: 0, count: searchByteCount)
    let back = try file.bytes(
      at: max(0, size - searchByteCount), count: min(size, searchByteCount))
    for bytes in [front, back] {
      guard let stsd = find("stsd", in: bytes, from: 0) else { continue }
      for (code, name) in names where find(code, in: bytes, from: stsd) != nil { return name }
    }
    return nil
  }

  private static func find(_ word: String, in bytes: [UInt8], from start: Int) -> Int? {
    let word = Array(word.utf8)
    guard bytes.count >= start + word.count else { return nil }
    return (start...(bytes.count - word.count)).first { place in
      bytes[place] == word[0] && bytes[place..<(place + word.count)].elementsEqual(word)
    }
  }
}
