import Testing

@testable import EarshotCaptions

@Suite("WebVTT") struct WebVTTTests {
  @Test("O-15: hours may be missing or have one digit, and a comma may stand for the dot")
  func hours() throws {
    let read = try track(
      "WEBVTT\n\n59:16.403 --> 1:04:13.283\nSeventeen\n\n1:04:13,283 --> 01:06:03.283\nEighteen\n")
    #expect(read.written == ["3556403 3853283 Seventeen", "3853283 3963283 Eighteen"])
    #expect(read.listed == ["3 irregularTime", "6 irregularTime"])
  }

  @Test("O-45: text below an empty line belongs to no cue and is reported with its line")
  func gap() throws {
    let read = try track(
      "WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n\n00:03.000 --> 00:04.000\n\nLost text\n\n"
        + "00:05.000 --> 00:06.000\nThree\n")
    #expect(read.written == ["1000 2000 One", "3000 4000 ", "5000 6000 Three"])
    #expect(read.listed == ["6 emptyCue", "8 strayText"])
  }

  @Test("O-46: comments, styles, regions and identifiers are not dialogue")
  func blocks() throws {
    let read = try track(
      "WEBVTT - title\nKind: captions\nLanguage: de\n\nSTYLE\n::cue { color: red }\n\n"
        + "REGION\nid:r1\nwidth:40%\nlines:3\nviewportanchor:0%,10%\nregionanchor:0%,0%\n\n"
        + "NOTE not yet\nmore\n\nintro-1\n00:01.000 --> 00:02.000 region:r1 align:left\nOnly this\n"
    )
    #expect(read.written == ["1000 2000 Only this"])
    #expect(read.cues[0].identifier == "intro-1")
    #expect(read.cues[0].placement.alignment == .left)
    #expect(read.cues[0].placement.isAtTop)
    #expect(read.language == "de")
    #expect(read.faults.isEmpty)
  }

  @Test("a style block below a cue is none, and a bad region name costs only itself")
  func late() throws {
    let read = try track(
      "WEBVTT\n\n00:01.000 --> 00:02.000 region:none\nA\n\nSTYLE\n::cue{}\n\nREGION\nid:x\n")
    #expect(read.written == ["1000 2000 A"])
    #expect(read.listed == ["3 unreadableSetting"])
  }

  @Test("an arrow begins a new cue without an empty line, and one bad cue costs itself")
  func arrows() throws {
    let read = try track(
      "WEBVTT\n00:01.000 --> 00:02.000\nA\n00:02.000 --> 00:03.000\nB\nid\n00:03.000 --> 00:0x.000\n"
        + "bad\n\n00:04.000 --> 00:05.000\nC --> not a time\n\n00:06.000 --> 00:07.000\nD")
    #expect(read.written == ["1000 2000 A", "2000 3000 B|id", "4000 5000 ", "6000 7000 D"])
    #expect(read.listed.contains("7 unreadableTime"))
    #expect(read.listed.contains("11 unreadableTime"))
  }

  @Test(
    "times outside the standard's form are bad",
    arguments: [
      "0:01.000 --> 00:02.000", "00:01.00 --> 00:02.000", "00:60.000 --> 00:61.000",
      "00:01.000 -> 00:02.000", "00:01.000 --> 0002.000", "1.000 --> 2.000", "--> 00:02.000",
    ])
  func bad(times: String) throws {
    let read = try track("WEBVTT\n\n\(times)\nA\n\n00:09.000 --> 00:10.000\nB\n")
    #expect(read.written == ["9000 10000 B"])
  }

  @Test("O-48: a shift that the file asks for is told, and done only on demand")
  func timestampMap() throws {
    let text =
      "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000\n\n00:16.360 --> 00:20.840\nHere\n"
    let read = try track(text)
    #expect(read.written == ["16360 20840 Here"])
    #expect(
      read.faults == [CaptionFault(line: 2, kind: .asksForShift(seconds: 10), severity: .warning)])
    let shifted = try track(text, CaptionOptions(appliesTimestampMap: true))
    #expect(shifted.written == ["26360 30840 Here"])
    #expect(shifted.faults.isEmpty)
  }

  @Test("O-50: cue text is text: unknown tags are dropped, references become characters")
  func script() throws {
    let read = try track(
      "WEBVTT\n\n00:01.000 --> 00:09.000\n<i>ok</i> <img src=x onerror=\"document.title=1\"> "
        + "&lt;b&gt; <script>x()</script>\n")
    #expect(read.cues[0].text == "ok  <b> x()")
    #expect(read.cues[0].spans[0] == CueSpan(text: "ok", style: .italic))
    #expect(read.cues[0].spans.count == 2)
  }

  @Test("the fixed set of tags sets spans")
  func spans() throws {
    let read = try track(
      "WEBVTT\n\n00:01.000 --> 00:09.000\n<v.loud Ann &amp; Bo>Hi <b>you<i>!</b></i></b>\n"
        + "<c.yellow.bg_blue>Y</c><ruby>漢<rt>kan</ruby><lang en-GB>tea</lang><00:02.000> now &unknown; &"
    )
    let spans = read.cues[0].spans
    #expect(
      spans == [
        CueSpan(text: "Hi ", voice: "Ann & Bo"),
        CueSpan(text: "you", style: .bold, voice: "Ann & Bo"),
        CueSpan(text: "!", style: [.bold, .italic], voice: "Ann & Bo"),
        CueSpan(text: "\n", voice: "Ann & Bo"),
        CueSpan(text: "Y", color: .yellow, voice: "Ann & Bo"),
        CueSpan(text: "漢", voice: "Ann & Bo"),
        CueSpan(text: "kan", style: .reading, voice: "Ann & Bo"),
        CueSpan(text: "tea", voice: "Ann & Bo", language: "en-GB"),
        CueSpan(text: " now &unknown; &", voice: "Ann & Bo"),
      ])
    #expect(read.cues[0].text == "Hi you!\nY漢tea now &unknown; &")
  }

  @Test("an unclosed tag is told")
  func unclosed() throws {
    let read = try track("WEBVTT\n\n00:01.000 --> 00:02.000\nI <3 you\n")
    #expect(read.written == ["1000 2000 I "])
    #expect(read.listed == ["4 malformedMarkup"])
  }

  @Test(
    "control characters never come through",
    arguments: ["\u{1B}[2J", "\u{9B}2J", "\u{7}", "\u{7F}", "&#27;", "&#x9b;"])
  func control(text: String) throws {
    let read = try track("WEBVTT\n\n00:01.000 --> 00:02.000\na\(text)b\tc\n")
    let isClean = read.cues[0].text.unicodeScalars.allSatisfy {
      $0.properties.generalCategory != .control
    }
    #expect(isClean)
    #expect(read.listed == ["4 controlCharacters"])
  }

  @Test(
    "lines and positions are reduced to places",
    arguments: [
      ("line:0", true), ("line:-1", false), ("line:10%", true), ("line:90%,end", false),
      ("line:5", true), ("position:20%,line-left", false), ("size:50%", false),
    ])
  func placement(setting: String, isAtTop: Bool) throws {
    let read = try track("WEBVTT\n\n00:01.000 --> 00:02.000 \(setting)\nA\n")
    #expect(read.cues[0].placement.isAtTop == isAtTop)
    #expect(read.faults.isEmpty)
  }

  @Test(
    "settings that cannot be read are told and left out",
    arguments: [
      "line:x", "line:1%%", "position:120%", "align:middle", "vertical:up", "size:-1%", "a", "a:",
      ":b", "line:1.", "position:1",
    ])
  func badSetting(setting: String) throws {
    let read = try track("WEBVTT\n\n00:01.000 --> 00:02.000 \(setting) align:end\nA\n")
    #expect(read.listed == ["3 unreadableSetting"])
    #expect(read.cues[0].placement == CuePlacement(alignment: .end))
  }

  @Test("the signature may come late, and must be a word")
  func signature() throws {
    #expect(try track("\n\nWEBVTT\n\n00:01.000 --> 00:02.000\nA").listed == ["1 lateSignature"])
    #expect(throws: CaptionError.unknownFormat) { try track("WEBVTTx\n\n") }
    #expect(try track("WEBVTT").cues.isEmpty)
    #expect(try track("WEBVTT\tx").cues.isEmpty)
  }
}
