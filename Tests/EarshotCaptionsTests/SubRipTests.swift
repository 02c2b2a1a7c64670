import Testing

@testable import EarshotCaptions

@Suite("SRT") struct SubRipTests {
  @Test("O-49: one bad time costs its cue, empty cues and empty lines cost nothing")
  func mixed() throws {
    let read = try track(
      "1\n00:00:01,000 --> 00:00:02,000\nA\n\n\n\n2\n00:00:19x,580 --> 00:00:21,000\nB\n\n3\n"
        + "00:00:23,000 --> 00:00:24,500\n\n4\n00:00:25,000 --> 00:00:27,000\nD\n")
    #expect(read.written == ["1000 2000 A", "23000 24500 ", "25000 27000 D"])
    #expect(read.listed == ["8 unreadableTime", "12 emptyCue"])
    #expect(read.cues.map(\.identifier) == ["1", "3", "4"])
  }

  @Test("O-45: text below an empty line is joined")
  func parted() throws {
    let read = try track(
      "1\n00:00:01,000 --> 00:00:02,000\n\nOne\n\nmore\n\n2\n00:00:03,000 --> 00:00:04,000\nTwo\n")
    #expect(read.written == ["1000 2000 One|more", "3000 4000 Two"])
    #expect(read.listed == ["4 parted"])
  }

  @Test("O-47: two cues at the same time are both shown, in the order of the file")
  func overlap() throws {
    let read = try track(
      "1\n00:00:01,000 --> 00:00:02,900\nsub1\n\n2\n00:00:02,100 --> 00:00:03,100\nsub2\n")
    #expect(read.active(at: CueTime(milliseconds: 2500)).map(\.text) == ["sub1", "sub2"])
    #expect(read.active(at: CueTime(milliseconds: 2900)).map(\.text) == ["sub2"])
    #expect(read.active(at: CueTime(milliseconds: 999)).isEmpty)
  }

  @Test(
    "times in the forms that are found",
    arguments: [
      ("00:00:01,000 --> 00:00:02,500", "1000 2500", true),
      ("00:00:01.000 --> 00:00:02.500", "1000 2500", false),
      ("0:00:01,000-->0:00:02,500", "1000 2500", false),
      ("00:01,000 --> 00:02,500", "1000 2500", false),
      ("75:01,000 --> 75:02,500", "4501000 4502500", false),
      ("00:00:01 --> 00:00:02", "1000 2000", false),
      ("00:00:01,5 --> 00:00:02,50", "1500 2500", false),
      ("00: 00: 01, 000 --> 00 :00:02 ,500", "1000 2500", false),
      ("00:00:01:000 --> 00:00:02:500", "1000 2500", false),
      ("-00:00:01,000 --> 00:00:02,500", "0 2500", false),
      ("  00:00:01,000  -->  00:00:02,500  X1:40 X2:600 Y1:20 Y2:50", "1000 2500", true),
      ("123:00:00,000 --> 123:00:01,000", "442800000 442801000", false),
    ])
  func times(line: String, expected: String, isRegular: Bool) throws {
    let read = try track("1\n\(line)\nA\n")
    #expect(read.written == [expected + " A"])
    #expect(read.faults.isEmpty == isRegular)
  }

  @Test("counters may be missing, run on or be the text itself")
  func counters() throws {
    let bare = try track("00:00:01,000 --> 00:00:02,000\n42\n00:00:02,000 --> 00:00:03,000\nB")
    #expect(bare.written == ["1000 2000 42", "2000 3000 B"])
    let tight = try track(
      "1\n00:00:01,000 --> 00:00:02,000\nA\n2\n00:00:02,000 --> 00:00:03,000\n1984\n\n3\n"
        + "00:00:03,000 --> 00:00:04,000\nC\n\n4\n")
    #expect(tight.written == ["1000 2000 A", "2000 3000 1984", "3000 4000 C"])
    #expect(tight.listed == ["12 cutShort"])
  }

  @Test("an arrow in the text is text, and a text above the first time is told")
  func stray() throws {
    let read = try track("made by nobody\n\n1\n00:00:01,000 --> 00:00:02,000\nA --> B\n")
    #expect(read.written == ["1000 2000 A --> B"])
    #expect(read.listed == ["1 strayText"])
  }

  @Test("tags, braces and references become spans")
  func spans() throws {
    let read = try track(
      "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<I>a</I> <font color=\"#FFFF00\">b<b>c</font>d</b> "
        + "<3 & &amp; {x} {\\i1}e{\\i0}\\Nf\\hg <script>h</script> <unclosed\n")
    #expect(read.cues[0].text == "a bcd <3 & & {x} e\nf\u{A0}g h <unclosed")
    let spans = read.cues[0].spans
    #expect(spans[0] == CueSpan(text: "a", style: .italic))
    #expect(spans[2] == CueSpan(text: "b", color: .yellow))
    #expect(spans[3] == CueSpan(text: "c", style: .bold, color: .yellow))
    #expect(spans[4] == CueSpan(text: "d", style: .bold))
    #expect(read.cues[0].placement.isAtTop)
  }
}
