internal import Foundation

/// Items as the JSON that the catalog holds: keys in order, so that equal items are equal bytes.
enum ItemCoding {
  static func bytes(_ item: MediaItem) -> [UInt8]? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(item)).map { [UInt8]($0) }
  }

  static func item(_ bytes: UnsafeRawBufferPointer) -> MediaItem? {
    try? JSONDecoder().decode(MediaItem.self, from: unsafe Data(bytes))
  }
}
