/// What a file says of itself, where it says it in readable text.
public struct SoundTags: Sendable, Hashable {
  /// The title.
  public internal(set) var title: String?
  /// Who made it.
  public internal(set) var artist: String?
  /// The album.
  public internal(set) var album: String?
  /// The genre.
  public internal(set) var genre: String?

  /// The most bytes of one text that are kept.
  private static let byteCountMax = 4096

  /// A tag's text without spaces at its ends, or nil when it is empty or not readable.
  static func text(_ bytes: [UInt8]) -> String? {
    guard bytes.count <= byteCountMax, let text = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    let start = text.drop { $0.isWhitespace || $0 == "\0" }
    let trimmed = String(start.reversed().drop { $0.isWhitespace || $0 == "\0" }.reversed())
    return trimmed.isEmpty ? nil : trimmed
  }
}
