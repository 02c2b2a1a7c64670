extension CommandTable {
  /// `catalog …` and `signature …`.
  static let catalog: [CommandSpecification] = []
}
