import CaptionClaims

/// Called by libFuzzer with one input after the other.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  CaptionClaims.check(Array(UnsafeBufferPointer(start: data, count: count)), as: .webVTT)
  return 0
}
