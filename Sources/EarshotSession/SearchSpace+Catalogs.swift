internal import EarshotCatalog
internal import EarshotMatch
internal import EarshotSignature

extension SearchSpace {
  /// Takes all signatures of `catalogs`, in their order.
  convenience init(signaturesOf catalogs: [Catalog]) throws(Recognition.Fault) {
    var signatures: [Signature] = []
    for catalog in catalogs {
      for index in 0..<catalog.signatureCount {
        do throws(CatalogError) {
          signatures.append(try catalog.signature(index))
        } catch {
          throw .catalog(path: "", error)
        }
      }
    }
    do throws(MatchError) {
      try self.init(signatures: signatures)
    } catch {
      throw .search(error)
    }
  }
}
