/// The four letters that name a section of a catalog.
public struct SectionKind: Sendable, Hashable, CustomStringConvertible {
  /// The letters as a little-endian number: the first letter is the lowest byte.
  public let rawValue: UInt32

  /// Takes the number as it is stored.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Takes four ASCII letters.
  public init(_ letters: StaticString) {
    precondition(letters.utf8CodeUnitCount == 4, "a section is named by four letters")
    var value: UInt32 = 0
    for (index, byte) in letters.description.utf8.enumerated() {
      value |= UInt32(byte) << UInt32(8 * index)
    }
    rawValue = value
  }

  /// The fixed records of the items.
  public static let items = SectionKind("ITEM")
  /// The properties of the items, as JSON.
  public static let properties = SectionKind("PROP")
  /// The fixed records of the signatures.
  public static let signatures = SectionKind("SIGN")
  /// The packed peaks of all signatures.
  public static let peaks = SectionKind("PEAK")
  /// The index that large catalogs are searched by.
  public static let index = SectionKind("INDX")
  /// The strongest peaks once more, coarse in time.
  public static let outline = SectionKind("OUTL")
  /// The passages that signatures share.
  public static let passages = SectionKind("PASS")

  /// The letters; what is no letter or digit shows as a question mark.
  public var description: String {
    String(
      (0..<4).map { index -> Character in
        let byte = UInt8(truncatingIfNeeded: rawValue >> UInt32(8 * index))
        let scalar = Unicode.Scalar(byte)
        return scalar.isASCII
          && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
          ? Character(scalar) : "?"
      })
  }
}
