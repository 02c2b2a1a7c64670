import Testing

@testable import EarshotCaptions

@Suite("Caption text") struct CaptionTextTests {
  static let text = "1\n00:00:01,000 --> 00:00:02,000\nCafé ®\n"
  static var marked: [UInt8] {
    [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
  }
  static var swapped: [UInt8] {
    [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
  }
  static var latin: [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }

  @Test("UTF-8, with a mark too, and UTF-16 of both orders are read")
  func plain() throws {
    for file in [
      Array(Self.text.utf8), [0xEF, 0xBB, 0xBF] + Self.text.utf8, Self.marked, Self.swapped,
    ] {
      #expect(try CaptionTrack(parsing: file).written == ["1000 2000 Café ®"])
    }
  }

  @Test("O-13: another encoding is an error that names the line, and is read when it is named")
  func named() throws {
    #expect(throws: CaptionError.unknownEncoding(line: 3)) {
      try CaptionTrack(parsing: Self.latin)
    }
    let read = try CaptionTrack(parsing: Self.latin, options: .init(encoding: "CP1252"))
    #expect(read.written == ["1000 2000 Café ®"])
    #expect(throws: CaptionError.noSuchEncoding) {
      try CaptionTrack(parsing: Self.latin, options: .init(encoding: "nothing-like-it"))
    }
    #expect(throws: CaptionError.noSuchEncoding) {
      try CaptionTrack(parsing: Self.latin, options: .init(encoding: "ASCII//IGNORE"))
    }
    #expect(throws: CaptionError.notInEncoding(line: 3)) {
      try CaptionTrack(parsing: Self.latin, options: .init(encoding: "ASCII"))
    }
  }

  @Test("a cut or lone half of UTF-16, UTF-16 without a mark and UTF-32 are errors, not guesses")
  func broken() {
    let files: [[UInt8]] = [
      Array(Self.marked.dropLast()), Self.marked + [0, 0xD8], Array(Self.marked.dropFirst(2)),
      [0xFF, 0xFE, 0, 0, 0x31, 0, 0, 0],
    ]
    for file in files {
      #expect(throws: CaptionError.self) { try CaptionTrack(parsing: file) }
    }
  }

  @Test("an encoding that an XML declaration names is believed")
  func declared() throws {
    let text =
      "<?xml version='1.0' encoding='ISO-8859-1'?><tt><body><div><p begin='1s' end='2s'>é</p></div></body></tt>"
    let file = text.unicodeScalars.map { UInt8($0.value) }
    #expect(try CaptionTrack(parsing: file).written == ["1000 2000 é"])
  }

  @Test("O-14: mark, return and line feed, lone returns and a missing last line end all read")
  func lineEnds() throws {
    let text =
      "\u{FEFF}WEBVTT\r\n\r\n00:01.000 --> 00:02.500\r\nHello\r\n\r\n00:03.000 --> 00:04.000\r\nLast"
    let expected = ["1000 2500 Hello", "3000 4000 Last"]
    #expect(try track(text).written == expected)
    #expect(try track(text.replacing("\r\n", with: "\r")).written == expected)
  }

  @Test("a file of the greatest size is read, one byte more is not")
  func sizes() throws {
    let head = Array("WEBVTT\n\n00:01.000 --> 00:02.000\nA\n".utf8)
    let full = head + [UInt8](repeating: 0x0A, count: CaptionLimits.bytes - head.count)
    #expect(try CaptionTrack(parsing: full).cues.count == 1)
    #expect(
      throws: CaptionError.tooLarge(bytes: full.count + 1, limit: CaptionLimits.bytes)
    ) { try CaptionTrack(parsing: full + [0x0A]) }
  }

  @Test(
    "what is no caption file is told so",
    arguments: ["", "hello", "[Script Info]\nTitle: a\n", "<html/>", "{}"])
  func otherFormats(text: String) {
    #expect(throws: CaptionError.unknownFormat) { try track(text) }
  }
}
