import CatalogClaims

/// Called by libFuzzer with one input after the other.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  CatalogClaims.searchByIndex(UnsafeBufferPointer(start: data, count: count))
  return 0
}
