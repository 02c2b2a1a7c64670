public import EarshotCatalog

/// The ways matching can fail. Finding no match is a result, not an error.
public enum MatchError: Error, Sendable, Hashable {
  /// Together the catalogs hold no signature.
  case emptySearchSpace
  /// Together the catalogs hold more than can be searched. Frames are 16 ms.
  case searchSpaceTooLarge(frameCount: Int, frameCountMax: Int)
  /// A catalog, by its place in the search space's list, could not be read when its peaks were
  /// first needed.
  case catalog(index: Int, CatalogError)
}
