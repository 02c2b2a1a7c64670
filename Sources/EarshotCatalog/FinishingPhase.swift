/// What is left to do when all signatures of a catalog are written.
public enum FinishingPhase: Sendable, Hashable {
  /// The index and the outline that large catalogs are searched by are built.
  case index
  /// Passages that signatures share are looked for.
  case passages
}

/// Signatures, with a look at how far whoever reads them has come.
struct WatchedSource<Source: IndexSource>: IndexSource {
  let source: Source
  /// Called for each signature that is read; what it throws ends the work.
  let watch: () throws(CatalogError) -> Void

  var signatureCount: Int { source.signatureCount }
  func frameCount(ofSignature index: Int) -> Int { source.frameCount(ofSignature: index) }
  func peakCount(ofSignature index: Int) -> Int { source.peakCount(ofSignature: index) }

  func withWords(ofSignature index: Int, _ body: (Span<UInt16>) -> Void) throws(CatalogError) {
    try watch()
    try source.withWords(ofSignature: index, body)
  }
}
