import Testing

@testable import EarshotAudio

@Suite("Boxes of MP4") struct MP4BoxesTests {
  private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
    big(UInt32(8 + content.count)) + Array(name.utf8) + content
  }

  private static func big(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }

  private static func tellsDelay(_ bytes: [UInt8]) throws -> Bool {
    try MP4Boxes(byteCount: bytes.count) { Array(bytes.dropFirst($0).prefix($1)) }.tellsDelay
  }

  /// A file with one track and the edits of given lengths and times.
  private static func file(kind: String, edits: [(UInt32, UInt32)]) -> [UInt8] {
    let list = [UInt8](repeating: 0, count: 4) + big(UInt32(edits.count))
    var entries: [UInt8] = []
    for (length, time) in edits { entries += big(length) + big(time) + [0, 1, 0, 0] }
    let handler = [UInt8](repeating: 0, count: 8) + Array(kind.utf8)
    let track =
      box("edts", box("elst", list + entries)) + box("mdia", box("hdlr", handler))
    return box("ftyp", Array("M4A ".utf8)) + box("mdat", [1, 2, 3])
      + box("moov", box("mvhd", [0]) + box("trak", track))
  }

  @Test("an edit list tells the delay where its first edit that is no pause begins late")
  func edits() throws {
    #expect(try Self.tellsDelay(Self.file(kind: "soun", edits: [(9, 1024)])))
    #expect(try Self.tellsDelay(Self.file(kind: "soun", edits: [(5, .max), (9, 2112)])))
    #expect(try !Self.tellsDelay(Self.file(kind: "soun", edits: [(9, 0)])))
    #expect(try !Self.tellsDelay(Self.file(kind: "soun", edits: [(5, .max)])))
    #expect(try !Self.tellsDelay(Self.file(kind: "soun", edits: [])))
    #expect(try !Self.tellsDelay(Self.file(kind: "vide", edits: [(9, 1024)])))
  }

  @Test("iTunes's note tells it too")
  func note() throws {
    let name = [0, 0, 0, 0] + Array("iTunSMPB".utf8)
    let entry = Self.box("----", Self.box("mean", [0]) + Self.box("name", name))
    let meta = Self.box("meta", [0, 0, 0, 0] + Self.box("ilst", Self.box("gnre", []) + entry))
    #expect(try Self.tellsDelay(Self.box("moov", Self.box("udta", meta))))
    #expect(try !Self.tellsDelay(Self.box("moov", meta)))
  }

  @Test("no bytes end the program, and boxes without end are left")
  func strange() throws {
    // Every byte is made everything that a length or an offset could trip over, and cut there too.
    let whole = Self.file(kind: "soun", edits: [(5, .max), (9, 1024)])
    for place in whole.indices {
      for byte in [0, 1, 7, 0x7F, 0x80, 0xFF] as [UInt8] {
        var bytes = whole
        bytes[place] = byte
        _ = try Self.tellsDelay(bytes)
      }
      _ = try Self.tellsDelay(Array(whole.prefix(place)))
      var long = whole
      long.replaceSubrange(place..<min(place + 16, long.count), with: [0, 0, 0, 1])
      _ = try Self.tellsDelay(long)
    }
    // A million boxes of eight bytes are not all looked at.
    var looks = 0
    let empty = Self.box("free", [])
    _ = try MP4Boxes(byteCount: 8 << 20) { _, count in
      looks += 1
      return Array((empty + empty).prefix(count))
    }
    #expect(looks <= 5000)
  }
}
