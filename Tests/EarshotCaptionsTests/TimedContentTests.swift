import Testing

@testable import EarshotCaptions

@Suite("Timed content") struct TimedContentTests {
  static func content() -> TimedContent<String> {
    func entry(_ start: Int64, _ end: Int64, _ name: String) -> TimedContent<String>.Entry {
      .init(
        start: CueTime(milliseconds: start), end: CueTime(milliseconds: end), content: name)
    }
    return TimedContent([
      entry(5000, 9000, "B"), entry(1000, 6000, "A"), entry(2000, 2010, "brief"),
      entry(7000, 6000, "never"), entry(60_000, 70_000, "C"),
    ])
  }

  static func written(_ events: [TimedContent<String>.Event]) -> [String] {
    events.map { event in
      switch event {
      case .enter(let entry): "+" + entry.content
      case .leave(let entry): "-" + entry.content
      }
    }
  }

  @Test("entries are entered and left in their order, brief ones too")
  func plays() {
    var content = Self.content()
    #expect(Self.written(content.move(to: CueTime(milliseconds: 0))).isEmpty)
    #expect(
      Self.written(content.move(to: CueTime(milliseconds: 4000))) == ["+A", "+brief", "-brief"])
    #expect(Self.written(content.move(to: CueTime(milliseconds: 5000))) == ["+B"])
    #expect(content.entered.map(\.content) == ["A", "B"])
    #expect(Self.written(content.move(to: CueTime(milliseconds: 8999))) == ["-A"])
    #expect(Self.written(content.move(to: CueTime(milliseconds: 9000))) == ["-B"])
  }

  @Test("a seek leaves what is no longer and enters what is, a lost place leaves all")
  func seeks() {
    var content = Self.content()
    _ = content.move(to: CueTime(milliseconds: 5500))
    #expect(Self.written(content.move(to: CueTime(milliseconds: 65_000))) == ["-A", "-B", "+C"])
    #expect(Self.written(content.move(to: CueTime(milliseconds: 1500))) == ["-C", "+A"])
    #expect(Self.written(content.move(to: nil)) == ["-A"])
    #expect(Self.written(content.move(to: nil)).isEmpty)
    #expect(Self.written(content.move(to: CueTime(milliseconds: 1500))) == ["+A"])
  }

  @Test("an index finds the same as looking at every interval")
  func index() {
    var random = SplitMix(7)
    for count in [0, 1, 2, 3, 17, 200] {
      let intervals = (0..<count).map { _ in
        let start = Int64.random(in: 0..<100, using: &random)
        return CueTime(
          microseconds: start)..<CueTime(
            microseconds: start + Int64.random(in: 0..<30, using: &random))
      }.sorted { $0.lowerBound < $1.lowerBound }
      let index = IntervalIndex(intervals)
      for time in Int64(0)..<140 {
        let time = CueTime(microseconds: time)
        let found = intervals.indices.filter { intervals[$0].contains(time) }
        #expect(index.containing(time) == found)
        let change = intervals.flatMap { [$0.lowerBound, $0.upperBound] }.filter { $0 > time }.min()
        #expect(index.change(after: time) == change)
      }
    }
  }
}
