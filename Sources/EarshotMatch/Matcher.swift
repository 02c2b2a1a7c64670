public import EarshotSignature

/// Matches one stream of sound against a search space, while it comes in.
///
/// The matcher looks at fixed moments of the sound (`lookSeconds`), however the sound is cut into
/// pieces, so the same sound always gives the same answer at the same moment. It never sees a
/// sample: it reads the analyzer's levels. Not for several threads at once; any number of matchers
/// can share one search space.
public struct Matcher: ~Copyable {
  private let space: SearchSpace
  private let options: MatchOptions

  /// Makes a matcher at the beginning of a stream.
  public init(_ space: SearchSpace, options: MatchOptions = MatchOptions()) {
    self.space = space
    self.options = options
  }

  /// Weighs the sound that has come in since the last call.
  ///
  /// Call it after every piece. The answer comes at the first certain moment and stays; nil means
  /// not certain yet. Blocks for the time of the search; allocates only where candidates change.
  ///
  /// - Throws: `MatchError.catalog` when a catalog's peaks turn out to be unreadable.
  public mutating func look(at analyzer: borrowing QueryAnalyzer) throws(MatchError) -> MatchAnswer?
  {
    preconditionFailure("arrives with the scan")
  }

  /// Weighs the rest and answers: at the end of the sound, or at the limit.
  ///
  /// At the end of a file call `QueryAnalyzer.finish` first, so that its last frames count.
  ///
  /// - Throws: `MatchError.catalog` when a catalog's peaks turn out to be unreadable.
  public mutating func finish(at analyzer: borrowing QueryAnalyzer) throws(MatchError)
    -> MatchAnswer
  {
    preconditionFailure("arrives with the scan")
  }
}
