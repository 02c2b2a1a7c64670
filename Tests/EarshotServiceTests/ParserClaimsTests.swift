import EarshotService
import Foundation
import Testing

@Suite("What the fuzzers have kept")
struct ParserClaimsTests {
  @Test(
    "every kept input holds the claims, whole, cut and with a byte changed",
    arguments: ["Settings", "Purposes", "Requests"])
  func corpus(name: String) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fuzz/Corpus/\(name)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.count >= 3)
    for file in files {
      let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
      check(bytes, name)
      guard !bytes.isEmpty else { continue }
      for part in 1..<8 { check(Array(bytes.prefix(bytes.count * part / 8)), name) }
      var changed = bytes
      changed[bytes.count / 2] ^= 0x80
      check(changed, name)
    }
  }

  private func check(_ bytes: [UInt8], _ name: String) {
    switch name {
    case "Settings": ParserClaims.settings(bytes)
    case "Purposes": ParserClaims.purposes(bytes)
    default: ParserClaims.request(bytes)
    }
  }
}
