extension CatalogWriter {
  /// Writes all that `change` keeps of a catalog: signatures as they are, items as it returns them.
  ///
  /// `change` is asked for each item in order; nil leaves the item out. A signature that no item
  /// has any more is left out too, so nothing of a removed item stays in the file. Sections that
  /// other rooms made are left out: they speak of signatures by number.
  public mutating func append(
    _ catalog: Catalog, change: (MediaItem) -> MediaItem? = { $0 }
  ) throws(CatalogError) {
    var kept: [(item: MediaItem, signature: Int)] = []
    for index in 0..<catalog.itemCount {
      if let item = change(try catalog.item(index)) {
        kept.append((item, catalog.signatureIndex(ofItem: index)))
      }
    }
    var places = [Int?](repeating: nil, count: catalog.signatureCount)
    let used = Set(kept.map(\.signature))
    for index in 0..<catalog.signatureCount where used.contains(index) {
      places[index] = try append(signature: index, of: catalog)
    }
    for (item, signature) in kept {
      guard let place = places[signature] else {
        preconditionFailure("a kept item's signature has been written")
      }
      try append(item, signatureIndex: place)
    }
  }
}
