import Testing

@testable import EarshotClient
@testable import EarshotCommand

@Suite("Questions drawn in cells")
struct PromptPictureTests {
  private func plain(_ lines: [String]) -> [String] {
    lines.map { $0.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") }
  }

  private func picture(
    _ dialog: PromptDialog, rows: Int = 24, columns: Int = 80
  ) -> [String] {
    PromptPicture(dialog, rows: rows, columns: columns, secondsLeft: 60, language: .english).lines
  }

  @Test(
    "C5: fits 80 x 24 with title, purpose and every button in view",
    arguments: [SamplePrompt.microphone, SamplePrompt.pair, SamplePrompt.korean])
  func fits(prompt: PromptMessage) {
    let lines = plain(picture(PromptDialog(prompt)))
    #expect(lines.count <= 24)
    for line in lines { #expect(Cells.width(of: line) <= 80, "\(line)") }
    #expect(lines.contains { $0.contains(prompt.title) })
    for button in prompt.buttons { #expect(lines.contains { $0.contains(button.label) }) }
  }

  @Test(
    "C6: the buttons' boxes are equal",
    arguments: [SamplePrompt.microphone, SamplePrompt.korean])
  func equal(prompt: PromptMessage) {
    let lines = plain(picture(PromptDialog(prompt)))
    let edges = lines.filter { $0.contains("┌") }
    #expect(edges.count == prompt.buttons.count)
    #expect(Set(edges).count == 1)
    let labels = lines.filter { $0.contains("│") }
    #expect(Set(labels.map { Cells.width(of: $0) }).count == 1)
  }

  @Test("C6: no button is drawn differently until the person moves the focus")
  func unfocused() {
    let lines = picture(PromptDialog(SamplePrompt.microphone))
    #expect(!lines.contains { $0.contains("\u{1B}[7m") })
    var dialog = PromptDialog(SamplePrompt.microphone)
    _ = dialog.take(.forward)
    #expect(picture(dialog).count { $0.contains("\u{1B}[7m") } == 1)
  }

  @Test("C5: on a low or narrow terminal every button stays in view", arguments: [4, 6, 8, 10, 14])
  func low(rows: Int) {
    for columns in [24, 40, 80] {
      let lines = plain(
        picture(PromptDialog(SamplePrompt.microphone), rows: rows, columns: columns))
      #expect(lines.count <= rows)
      for button in SamplePrompt.microphone.buttons {
        #expect(lines.contains { $0.contains(button.label) }, "\(rows) x \(columns)")
      }
    }
  }

  @Test("C5: what a requester's name smuggles in cannot steer the terminal")
  func smuggled() {
    var prompt = SamplePrompt.microphone
    prompt.title = "Allow 'a\u{1B}[2J\u{202E}b' to Use the Microphone?"
    let lines = plain(picture(PromptDialog(prompt)))
    #expect(!lines.joined().contains("\u{1B}") && !lines.joined().contains("\u{202E}"))
  }

  @Test("text breaks at spaces, or anywhere in scripts without, and never past the width")
  func wrap() {
    #expect(Cells.wrap("one two three", width: 7) == ["one two", "three"])
    #expect(Cells.wrap("소리는무엇이", width: 6) == ["소리는", "무엇이"])
    #expect(Cells.wrap("", width: 6).isEmpty)
    #expect(Cells.width(of: "e\u{301}") == 1)
  }
}

@Suite("The level meter")
struct LevelMeterTests {
  @Test(
    "empty at -60 dB and below, full at 0 dB and above",
    arguments: [(-200.0, 0), (-60, 0), (-30, 10), (0, 20), (6, 20), (-Double.infinity, 0)])
  func bar(peak: Double, filled: Int) {
    let bar = LevelMeter.bar(peakDecibels: peak)
    #expect(bar.count == 20)
    #expect(bar.count { $0 == "▮" } == filled)
  }
}
