public import EarshotSignature
import Synchronization

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
    laidOut = Mutex(nil)
  }

  private let signatures: [Signature]
  private let laidOut: Mutex<ScanLayout?>

  /// The peaks as the scan wants them; made at the first call, which takes about 1 ms an hour.
  func layout() throws(MatchError) -> ScanLayout {
    laidOut.withLock { known in
      if let known { return known }
      var layout = ScanLayout()
      layout.reserve(peakCount: signatures.reduce(0) { $0 + $1.peakCount })
      for (index, signature) in signatures.enumerated() {
        layout.add(
          signature.packedPeaks.span, frameCount: signature.frameCount, signatureIndex: index)
      }
      known = layout
      return layout
    }
  }
}
