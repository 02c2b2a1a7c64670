import Testing

@testable import EarshotCaptions

@Suite("TTML") struct TimedTextTests {
  static func document(_ body: String, head: String = "", root: String = "") -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling"
      xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xml:lang="en" \(root)>
    <head>\(head)</head><body><div>\(body)</div></body></tt>
    """
  }

  static func read(_ body: String, head: String = "", root: String = "") throws -> CaptionTrack {
    try track(document(body, head: head, root: root))
  }

  @Test("paragraphs, breaks and blanks")
  func plain() throws {
    let read = try Self.read(
      "<p begin='00:00:01.000' end='00:00:02.500'>\n  Hello <span>there</span>,\n <br/>  you\n</p>")
    #expect(read.written == ["1000 2500 Hello there,|you"])
    #expect(read.language == "en")
    #expect(read.faults.isEmpty)
  }

  @Test(
    "time expressions",
    arguments: [
      ("1.5s", 1500), ("1500ms", 1500), ("90f", 3600), ("2m", 120_000), ("1h", 3_600_000),
      ("15000000t", 1500), ("00:00:01.5", 1500), ("00:00:01:05", 1200), ("100:00:00", 360_000_000),
    ])
  func times(expression: String, milliseconds: Int64) throws {
    let read = try Self.read(
      "<p begin='\(expression)'>A</p>", root: "ttp:frameRate='25' ttp:tickRate='10000000'")
    #expect(read.cues[0].start == CueTime(milliseconds: milliseconds))
  }

  @Test(
    "times that cannot be read cost their element only",
    arguments: [
      "x", "1", "1.5", "-1s", "00:00", "00:99:00", "00:00:01:25", "1e3s", "",
      "99999999999999999999999999999999999999999s",
    ])
  func badTimes(expression: String) throws {
    let read = try Self.read(
      "<p begin='\(expression)' end='9s'>A</p><p begin='1s' end='2s'>B</p>",
      root: "ttp:frameRate='25'")
    #expect(read.written == ["1000 2000 B"])
    #expect(read.faults.map(\.kind) == [.unreadableTime])
  }

  @Test("film rates and drop-frame time code count true seconds")
  func rates() throws {
    let film = try Self.read(
      "<p begin='24f' end='48f'>A</p>",
      root: "ttp:frameRate='24' ttp:frameRateMultiplier='1000 1001'")
    #expect(film.written == ["1001 2002 A"])
    let code = try Self.read(
      "<p begin='00:10:00:00' dur='00:00:01:00'>A</p>",
      root: "ttp:frameRate='30' ttp:frameRateMultiplier='1000 1001' ttp:timeBase='smpte' "
        + "ttp:dropMode='dropNTSC'")
    // Ten minutes of drop-frame code are 17,982 frames.
    #expect(code.cues[0].start == CueTime(microseconds: 17_982 * 1_001_000 / 30))
  }

  @Test("times count inside each other, and in sequence")
  func nesting() throws {
    let read = try track(
      """
      <tt xmlns="http://www.w3.org/ns/ttml"><body begin="10s"><div begin="5s" end="20s">
      <p begin="1s" end="100s">A</p><p begin="2s" dur="1s">B</p></div>
      <div timeContainer="seq"><p dur="1s">C</p><p begin="1s" dur="2s">D</p><p>never</p></div>
      </body></tt>
      """)
    #expect(
      read.written.sorted() == [
        "10000 11000 C", "12000 14000 D", "14000 14000 never", "16000 30000 A", "17000 18000 B",
      ])
  }

  @Test("spans with times of their own make a paragraph change")
  func spans() throws {
    let read = try Self.read(
      "<p begin='10s' end='20s'>A<span begin='2s' end='5s'> B</span><span begin='4s'> C</span></p>")
    #expect(
      read.written == [
        "10000 12000 A", "12000 14000 A B", "14000 15000 A B C", "15000 20000 A C",
      ])
  }

  @Test("styles come from references, regions and elements, and circles end")
  func styles() throws {
    let head = """
      <styling><style xml:id="a" style="b" tts:fontStyle="italic"/>
      <style xml:id="b" style="a" tts:color="#ff0000"/></styling>
      <layout><region xml:id="top" tts:origin="10% 10%" tts:extent="80% 20%"
        tts:displayAlign="before"><style tts:textDecoration="underline"/></region></layout>
      """
    let read = try Self.read(
      "<p region='top' style='a' begin='1s' end='2s'>A<span tts:fontWeight='bold'>B</span>"
        + "<span tts:visibility='hidden'>C</span></p>", head: head)
    #expect(read.cues[0].placement.isAtTop)
    #expect(
      read.cues[0].spans == [
        CueSpan(text: "A", style: [.italic, .underlined], color: .red),
        CueSpan(text: "B", style: [.italic, .underlined, .bold], color: .red),
      ])
  }

  @Test("ruby is set as a reading aid, other languages are named")
  func ruby() throws {
    let read = try Self.read(
      "<p begin='1s' end='2s' xml:lang='ja'><span tts:ruby='container'><span tts:ruby='base'>漢"
        + "</span><span tts:ruby='text'>かん</span></span></p>")
    #expect(read.cues[0].text == "漢")
    #expect(read.cues[0].spans.last == CueSpan(text: "かん", style: .reading))
    #expect(read.cues[0].language == "ja")
    #expect(read.filtered(language: "en").cues.isEmpty)
    #expect(read.filtered(language: "JA").cues.count == 1)
  }

  @Test("entities are neither declared nor fetched")
  func entities() throws {
    let read = try track(
      """
      <?xml version="1.0"?>
      <!DOCTYPE tt [ <!-- don't --> <!ENTITY a "AAAA"> <!ENTITY b "&a;&a;&a;">
        <!ENTITY c SYSTEM "file:///etc/passwd"> ]>
      <tt xmlns="http://www.w3.org/ns/ttml"><body><div>
      <p begin="1s" end="2s">x&b;&c;&amp;&#65;</p></div></body></tt>
      """)
    #expect(read.written == ["1000 2000 x&A"])
    #expect(read.faults.map(\.kind) == [.unknownEntity, .unknownEntity])
    #expect(read.faults.map(\.line) == [5, 5])
  }

  @Test("markup that is not well-formed costs what it spoils and no more")
  func malformed() throws {
    let read = try Self.read(
      "<p begin='1s' end='2s'>A & B</p><p begin='3s end='4s'>lost</p><p begin=5s>lost</p>"
        + "<p begin='6s' end='7s'><span>C</p></x><p begin='8s' end='9s'>D < E</p>")
    #expect(read.written == ["1000 2000 A & B", "6000 7000 C", "8000 9000 D < E"])
  }

  @Test("a document that is cut off keeps what came before, wherever it is cut")
  func cut() throws {
    let whole = Array(
      Self.document("<p begin='1s' end='2s'>A</p><p begin='3s' end='4s'>B</p>").utf8)
    for length in 0..<whole.count {
      let read = try? CaptionTrack(parsing: Array(whole[..<length]))
      #expect((read?.cues.count ?? 0) <= 2)
    }
    let read = try CaptionTrack(parsing: Array(whole.dropLast(20)))
    #expect(read.cues.count == 2)
    #expect(read.faults.map(\.kind).contains(.cutShort))
  }

  @Test("pictures are told, foreign elements and metadata are left out")
  func foreign() throws {
    let read = try Self.read(
      "<metadata xmlns='urn:x'><p>no</p></metadata><p begin='1s' end='2s'>A<x:y xmlns:x='urn:x'>no</x:y></p>"
        + "<p xmlns:smpte='http://www.smpte-ra.org/schemas/2052-1/2010/smpte-tt' begin='3s' end='4s' "
        + "smpte:backgroundImage='#i'/>")
    #expect(read.written == ["1000 2000 A", "3000 4000 "])
    #expect(read.faults.map(\.kind) == [.picture, .emptyCue])
  }

  @Test("depth ends at its limit")
  func depth() throws {
    // The document has four elements around the text already.
    for (count, isRead) in [(CaptionLimits.depth - 4, true), (CaptionLimits.depth - 3, false)] {
      let open = String(repeating: "<span>", count: count)
      let close = String(repeating: "</span>", count: count)
      let read = try Self.read(
        "<p begin='1s' end='2s'>\(open)A\(close)</p><p begin='3s' end='4s'>B</p>")
      #expect(read.written == [isRead ? "1000 2000 A" : "1000 2000 ", "3000 4000 B"])
      #expect(read.faults.map(\.kind).contains(.beyondLimit) == !isRead)
    }
  }

  @Test("other and older prefixes are the same vocabulary")
  func prefixes() throws {
    let read = try track(
      "<t:tt xmlns:t='http://www.w3.org/2006/10/ttaf1' xmlns:s='http://www.w3.org/2006/10/ttaf1#style'>"
        + "<t:body><t:div><t:p begin='1s' end='2s' s:fontStyle='italic'>A</t:p></t:div></t:body></t:tt>"
    )
    #expect(read.cues[0].spans == [CueSpan(text: "A", style: .italic)])
    #expect(throws: CaptionError.unknownFormat) { try track("<tt xmlns='urn:x'/>") }
  }
}
