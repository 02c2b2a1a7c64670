import Testing

@testable import EarshotCapture

@Suite("Where the sound server is looked for")
struct PulseAddressTests {
  @Test(
    "addresses in all their spellings",
    arguments: [
      ("unix:/run/x/native", ["/run/x/native"]), ("/run/x/native", ["/run/x/native"]),
      ("{machine}unix:/run/x/native", ["/run/x/native"]),
      ("unix:/a unix:/b", ["/a", "/b"]), ("tcp:other.example:4713", []),
      ("tcp:other.example unix:/a", ["/a"]), ("", []),
    ])
  func spellings(server: String, paths: [String]) {
    #expect(PulseAddress(server: server).paths == paths)
  }
}
