import Testing

@testable import EarshotCaptions

@Suite("W6: caption limits") struct CaptionLimitsTests {
  @Test("the text of a cue is read up to its limit and cut one byte beyond")
  func text() throws {
    for (count, isCut) in [(CaptionLimits.cueBytes, false), (CaptionLimits.cueBytes + 1, true)] {
      let text = String(repeating: "a", count: count)
      let files = [
        "WEBVTT\n\n00:01.000 --> 00:02.000\n\(text)\n",
        "1\n00:00:01,000 --> 00:00:02,000\n\(text)\n",
      ]
      for file in files {
        let read = try track(file)
        #expect(read.cues[0].text.utf8.count == CaptionLimits.cueBytes)
        #expect(read.faults.map(\.kind).contains(.beyondLimit) == isCut)
      }
    }
  }

  @Test("cues are taken up to their limit, and one more is a fault")
  func cues() throws {
    let cue = "00:00.000 --> 00:01.000\na\n\n"
    for (count, isCut) in [(CaptionLimits.cues, false), (CaptionLimits.cues + 1, true)] {
      let read = try track("WEBVTT\n\n" + String(repeating: cue, count: count))
      #expect(read.cues.count == CaptionLimits.cues)
      #expect(read.faults.map(\.kind).contains(.beyondLimit) == isCut)
    }
  }

  @Test("faults are listed up to their limit, and the rest is counted")
  func faults() throws {
    let bad = "00:0x.000 --> 00:01.000\na\n\n"
    for extra in [0, 1, 5] {
      let count = CaptionLimits.faults + extra
      let read = try track("WEBVTT\n\n" + String(repeating: bad, count: count))
      #expect(read.faults.count == CaptionLimits.faults + (extra > 0 ? 1 : 0))
      if extra > 0 { #expect(read.faults.last?.kind == .more(count: extra)) }
    }
  }

  @Test("attributes of an element are read up to their limit")
  func attributes() throws {
    for (count, isCut) in [(CaptionLimits.attributes - 2, false), (CaptionLimits.attributes, true)]
    {
      let names = (0..<count).map { "a\($0)='1'" }.joined(separator: " ")
      let read = try TimedTextTests.read("<p begin='1s' end='2s' \(names)>A</p>")
      #expect(read.written == ["1000 2000 A"])
      #expect(read.faults.map(\.kind).contains(.beyondLimit) == isCut)
    }
  }

  @Test("a paragraph of more timed spans than are worked out gives each its cue")
  func timedSpans() throws {
    let spans = (0..<200).map { "<span begin='\($0)s' end='\($0 + 2)s'>\($0)</span>" }.joined()
    let read = try Self.paragraph(spans)
    #expect(read.cues.count == 200)
    #expect(read.cues.allSatisfy { $0.end.seconds - $0.start.seconds == 2 })
  }

  static func paragraph(_ spans: String) throws -> CaptionTrack {
    try TimedTextTests.read("<p>\(spans)</p>")
  }
}

@Suite("Caption check") struct CaptionCheckTests {
  static func kinds(_ text: String) throws -> [CaptionFault.Kind] {
    CaptionCheck().faults(in: try track("WEBVTT\n\n" + text)).map(\.kind)
  }

  @Test("thresholds hold at their limit and not beyond")
  func thresholds() throws {
    let twenty = String(repeating: "a", count: 20)
    #expect(try Self.kinds("00:01.000 --> 00:02.000\n\(twenty)\n").isEmpty)
    #expect(
      try Self.kinds("00:01.000 --> 00:02.000\n\(twenty)a\n")
        == [.readingSpeed(charactersPerSecond: 21)])
    // Wide characters count twice.
    #expect(
      try Self.kinds("00:01.000 --> 00:02.000\n字字字字字字字字字字字\n")
        == [.readingSpeed(charactersPerSecond: 22)])
    #expect(try Self.kinds("00:01.000 --> 00:08.000\na\n").isEmpty)
    #expect(try Self.kinds("00:01.000 --> 00:08.001\na\n").count == 1)
    #expect(try Self.kinds("00:01.000 --> 00:01.834\na\n").isEmpty)
    #expect(try Self.kinds("00:01.000 --> 00:01.833\na\n").count == 1)
    let line = String(repeating: "b", count: 42)
    #expect(try Self.kinds("00:01.000 --> 00:05.000\n\(line)\n").isEmpty)
    #expect(try Self.kinds("00:01.000 --> 00:05.000\n\(line)b\n") == [.wideLine(columns: 43)])
    #expect(try Self.kinds("00:01.000 --> 00:05.000\na\nb\nc\n") == [.manyLines(count: 3)])
  }

  @Test("gaps, overlaps and order are told")
  func neighbours() throws {
    func pair(_ second: String) -> String {
      "00:01.000 --> 00:02.000\na\n\n\(second)\nb\n"
    }
    #expect(try Self.kinds(pair("00:02.000 --> 00:03.000")).isEmpty)
    #expect(try Self.kinds(pair("00:02.084 --> 00:03.000")).isEmpty)
    #expect(try Self.kinds(pair("00:02.083 --> 00:03.000")).count == 1)
    #expect(try Self.kinds(pair("00:01.500 --> 00:03.000")) == [.overlap(seconds: 0.5)])
    #expect(try Self.kinds(pair("00:00.000 --> 00:00.900")) == [.outOfOrder])
    #expect(try CaptionCheck().faults(in: track("WEBVTT")).map(\.kind) == [.noCues])
  }
}
