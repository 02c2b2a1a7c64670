import Testing

@testable import EarshotCapture

@Suite("The sound server's messages")
struct PulseTagTests {
  @Test("what is written is read back")
  func roundTrip() {
    var writer = PulseTagWriter()
    writer.put(7)
    writer.put("Mikrofon \u{1F3A4}")
    writer.put(nil)
    writer.put(properties: [("application.name", "Earshot"), ("empty", "")])
    var reader = PulseTagReader(writer.bytes)
    #expect(reader.next() == .number(7))
    #expect(reader.next() == .text("Mikrofon \u{1F3A4}"))
    #expect(reader.next() == .text(nil))
    #expect(reader.next() == .properties(["application.name": "Earshot", "empty": ""]))
    #expect(reader.isAtEnd)
    #expect(reader.next() == nil)
  }

  @Test("bytes cut anywhere end the reading, and never the program")
  func truncated() {
    var writer = PulseTagWriter()
    writer.put(7)
    writer.put("name")
    writer.put(arbitrary: [1, 2, 3])
    writer.put(properties: [("key", "value")])
    for length in 0..<writer.bytes.count {
      var reader = PulseTagReader(Array(writer.bytes.prefix(length)))
      var count = 0
      while reader.next() != nil { count += 1 }
      #expect(count < 4)
    }
  }

  @Test("any bytes at all are read to an end", arguments: 0..<64)
  func noise(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    let tags = Array("LVBRrUTtN10amvxP".utf8)
    let bytes = (0..<512).map { index -> UInt8 in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return index.isMultiple(of: 3) ? tags[Int(state % UInt64(tags.count))] : UInt8(state >> 56)
    }
    var reader = PulseTagReader(bytes)
    var count = 0
    while reader.next() != nil { count += 1 }
    #expect(count <= bytes.count)
  }
}
