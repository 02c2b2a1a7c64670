import EarshotCatalog
import EarshotSignature
import TestSupport

/// A catalog with an index and an outline, as large ones have them.
enum IndexedCatalog {
  /// Writes signatures into a folder; their items are called by their numbers.
  static func make(_ signatures: [Signature], in folder: TemporaryFolder) throws -> Catalog {
    var writer = try CatalogWriter(path: Array(folder.file("indexed.earshot").utf8))
    writer.indexChoice = .always
    for (number, signature) in signatures.enumerated() {
      let place = try writer.append(signature)
      try writer.append(MediaItem(id: "\(number)", title: "t"), signatureIndex: place)
    }
    try writer.finish()
    return try Catalog(path: folder.file("indexed.earshot"))
  }
}
