public import EarshotStore

/// The ways the library can refuse. No case holds a title.
public enum LibraryError: Error, Sendable, Hashable {
  /// The database refused; see the store's own error for full disks and read-only folders.
  case store(StoreError)
  /// There is no such saved match.
  case unknown(id: Int64)
  /// The library holds `limit` matches; one has to be removed first.
  case full(limit: Int)
  /// A property is longer than `limitBytes`.
  case propertyTooLong(limitBytes: Int)
  /// The export can't be written as JSON.
  case unreadable
}
