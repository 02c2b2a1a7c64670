/// Checks everything that opening leaves for later: each block, each peak, each item.
public struct CatalogVerifier: Sendable {
  private let catalog: Catalog

  /// Takes an open catalog.
  public init(_ catalog: Catalog) { self.catalog = catalog }

  /// Reads the whole file and throws the first thing that is wrong with it, naming its place.
  ///
  /// `progress` is told the bytes checked so far, now and then; when it returns false the check
  /// ends without a finding. Returns whether it came to the end.
  public func verify(progress: (Int) -> Bool = { _ in true }) throws(CatalogError) -> Bool {
    for entry in catalog.header.sections where entry.isCheckedByBlock {
      for block in 0..<CatalogFormat.blockCount(entry.byteCount) {
        try catalog.checkBlock(block, of: entry)
        if block.isMultiple(of: 64),
          !progress(entry.offset + block * CatalogFormat.blockByteCount)
        {
          return false
        }
      }
    }
    for index in 0..<catalog.signatureCount {
      try catalog.withPeaks(ofSignature: index) { _ in }
      guard !catalog.itemIndices(ofSignature: index).isEmpty else {
        throw .malformed(part: .section(.signatures), offset: index)
      }
    }
    var identifiers: Set<String> = []
    for index in 0..<catalog.itemCount {
      let item = try catalog.item(index)
      if let fault = item.fault { throw .unusableItem(index: index, fault) }
      guard identifiers.insert(item.id).inserted else { throw .duplicateIdentifier(index: index) }
      guard try catalog.index(ofItem: item.id) == index else { throw .damagedItem(index: index) }
    }
    return true
  }
}
