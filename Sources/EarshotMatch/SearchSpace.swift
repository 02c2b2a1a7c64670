public import EarshotSignature

/// Everything that a query is searched in: the signatures of one or more catalogs.
///
/// Making one is cheap: peaks are read, checked and laid out for the scan when they are first
/// needed, once, and then shared by all matchers.
public final class SearchSpace: Sendable {
  /// Takes signatures that are already in memory, as one catalog whose items are these signatures.
  ///
  /// - Throws: `MatchError.emptySearchSpace` or `.searchSpaceTooLarge`.
  public init(signatures: [Signature]) throws(MatchError) {
    guard !signatures.isEmpty else { throw .emptySearchSpace }
    self.signatures = signatures
  }

  let signatures: [Signature]
}
