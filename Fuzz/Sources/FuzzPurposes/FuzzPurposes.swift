import ServiceClaims

/// Called by libFuzzer with one input after the other.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  ServiceClaims.purposes(Array(UnsafeBufferPointer(start: data, count: count)))
  return 0
}
