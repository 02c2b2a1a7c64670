import Testing

@testable import EarshotCommand

@Suite("Names on the terminal and in JSON")
struct ShownTests {
  @Test("bytes that are no UTF-8 are shown as escapes")
  func invalid() {
    #expect(Shown.bytes(Array("Nue".utf8) + [0xE1] + Array(".wav".utf8)) == "Nue\\xe1.wav")
    #expect(Shown.lossless([0xE1, 0x0A]) == "\\xe1\n")
  }

  @Test("what steers a terminal or turns the direction is shown as an escape")
  func steering() {
    #expect(Shown.text("a\u{1B}[2Jb\nc") == "a\\x1b[2Jb\\nc")
    #expect(Shown.text("a\u{202E}b\u{200B}c") == "a\\u{202e}b\\u{200b}c")
    #expect(Shown.text("Prélude — 前奏曲") == "Prélude — 前奏曲")
  }

  @Test("valid characters around a broken one stay")
  func mixed() {
    #expect(Shown.bytes(Array("é".utf8) + [0xFF] + Array("語".utf8)) == "é\\xff語")
    #expect(Shown.bytes([0xE8, 0xAA]) == "\\xe8\\xaa")
  }
}
