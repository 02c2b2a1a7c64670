/// The section of shared passages, as it is stored and as it is read.
struct RecordedPassages: Sendable, Hashable {
  /// Whether they have been looked for. Otherwise there are none, and that means nothing.
  var isSearched: Bool
  var passages: [SharedPassage]

  /// The most passages a file holds.
  static let countMax = 1 << 20
  /// The version of the section; another one is left alone, as if nobody had looked.
  static let version: UInt32 = 1
  private static let headerByteCount = 16
  private static let recordByteCount = 24

  init(isSearched: Bool, passages: [SharedPassage]) {
    self.isSearched = isSearched
    self.passages = passages
  }

  /// Reads the section at `offset` of the file and checks every number in it.
  ///
  /// Returns nil where it is of another version.
  init?(
    _ reader: ByteReader, offset: Int, byteCount: Int, signatureCount: Int,
    frameCount: (Int) -> Int
  ) throws(CatalogError) {
    guard byteCount >= Self.headerByteCount else { throw Self.malformed(offset) }
    guard try reader.uint32(offset) == Self.version else { return nil }
    let state = try reader.uint32(offset + 4)
    let count = Int(try reader.uint32(offset + 8))
    guard state <= 1, count <= (state == 1 ? Self.countMax : 0),
      try reader.uint32(offset + 12) == 0,
      byteCount == Self.headerByteCount + count * Self.recordByteCount
    else { throw Self.malformed(offset) }
    isSearched = state == 1
    passages = []
    passages.reserveCapacity(count)
    for index in 0..<count {
      let at = offset + Self.headerByteCount + index * Self.recordByteCount
      let passage = try Self.passage(reader, at: at)
      for place in [passage.first, passage.second] {
        guard place.signatureIndex < signatureCount,
          place.frame + passage.frameCount <= frameCount(place.signatureIndex)
        else { throw Self.malformed(at) }
      }
      // One order only, so that no two records say the same.
      guard passage.first < passage.second, passage.frameCount > 0,
        (1...1000).contains(passage.likeness),
        passages.last.map({ ($0.first, $0.second) < (passage.first, passage.second) }) ?? true
      else { throw Self.malformed(at) }
      passages.append(passage)
    }
  }

  private static func passage(_ reader: ByteReader, at place: Int) throws(CatalogError)
    -> SharedPassage
  {
    func number(_ index: Int) throws(CatalogError) -> Int {
      Int(try reader.uint32(place + 4 * index))
    }
    return SharedPassage(
      first: .init(signatureIndex: try number(0), frame: try number(1)),
      second: .init(signatureIndex: try number(2), frame: try number(3)),
      frameCount: try number(4), likeness: try number(5))
  }

  private static func malformed(_ offset: Int) -> CatalogError {
    .malformed(part: .section(.passages), offset: offset)
  }

  /// The section's bytes.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headerByteCount + passages.count * Self.recordByteCount)
    for number in [Self.version, isSearched ? 1 : 0, UInt32(passages.count), 0] {
      bytes.append(littleEndian: number)
    }
    for passage in passages {
      let numbers = [
        passage.first.signatureIndex, passage.first.frame, passage.second.signatureIndex,
        passage.second.frame, passage.frameCount, passage.likeness,
      ]
      for number in numbers { bytes.append(littleEndian: UInt32(number)) }
    }
    return bytes
  }
}
