import Testing

@testable import EarshotClient
@testable import EarshotCommand

/// Questions for these tests, worded as the daemon words them.
enum SamplePrompt {
  static let microphone = PromptMessage(
    id: "p1", capability: "microphone", title: "Allow 'earshot' to Use the Microphone?",
    message: "The sound is used to find out what is playing.", language: "en",
    buttons: [
      .init(choice: "allow-once", label: "Allow Once"),
      .init(choice: "allow-open", label: "Allow While Open"),
      .init(choice: "deny", label: "Don't Allow"),
    ], secondsLeft: 60)

  static let pair = PromptMessage(
    id: "p2", capability: "microphone", title: "Allow 'earshot' to Use the Microphone?",
    message: nil, language: "en",
    buttons: [
      .init(choice: "allow-once", label: "Allow Once"), .init(choice: "deny", label: "Don't Allow"),
    ], secondsLeft: 60)

  static let korean = PromptMessage(
    id: "p3", capability: "microphone", title: "'earshot'이(가) 마이크를 사용하도록 허용하시겠습니까?",
    message: "소리는 무엇이 재생되는지 알아내는 데 사용됩니다.", language: "ko",
    buttons: [
      .init(choice: "allow-once", label: "한 번 허용"), .init(choice: "allow-open", label: "여는 동안 허용"),
      .init(choice: "deny", label: "허용 안 함"),
    ], secondsLeft: 60)
}

@Suite("Questions at the terminal")
struct PromptDialogTests {
  @Test("C6: no button has the focus at first, and Return then does nothing")
  func returnAtFirst() {
    var dialog = PromptDialog(SamplePrompt.microphone)
    #expect(dialog.focus == nil)
    #expect(dialog.take(.confirm) == .nothing)
    #expect(dialog.take(.character(" ")) == .nothing)
  }

  @Test("C6: allowing and declining take the same number of keys")
  func equalEffort() {
    for (letter, choice) in zip("AWD", ["allow-once", "allow-open", "deny"]) {
      var dialog = PromptDialog(SamplePrompt.microphone)
      #expect(dialog.take(.character(letter)) == .answer(choice: choice))
      #expect(dialog.take(.character(Character(letter.lowercased()))) == .answer(choice: choice))
    }
    var dialog = PromptDialog(SamplePrompt.microphone)
    #expect(dialog.take(.forward) == .redraw)
    #expect(dialog.take(.confirm) == .answer(choice: "allow-once"))
    dialog = PromptDialog(SamplePrompt.microphone)
    #expect(dialog.take(.back) == .redraw)
    #expect(dialog.take(.confirm) == .answer(choice: "deny"))
  }

  @Test("C7: Esc and Ctrl-C leave it without an answer")
  func leaving() {
    var dialog = PromptDialog(SamplePrompt.microphone)
    #expect(dialog.take(.leave) == .dismiss)
    _ = dialog.take(.forward)
    #expect(dialog.take(.leave) == .dismiss)
  }

  @Test("A5: of two buttons in a row the backing-out one leads, of three it comes last")
  func order() {
    #expect(PromptDialog(SamplePrompt.pair).buttons.map(\.choice) == ["deny", "allow-once"])
    #expect(PromptDialog(SamplePrompt.microphone).buttons.last?.choice == "deny")
  }

  @Test("the focus goes around, and numbers answer too")
  func focus() {
    var dialog = PromptDialog(SamplePrompt.microphone)
    for expected in [0, 1, 2, 0] {
      _ = dialog.take(.forward)
      #expect(dialog.focus == expected)
    }
    #expect(dialog.take(.character("2")) == .answer(choice: "allow-open"))
    #expect(dialog.take(.character("4")) == .nothing)
    #expect(dialog.take(.character("0")) == .nothing)
    #expect(dialog.take(.character("y")) == .nothing)
  }

  @Test("every button has a key of its own, a word's first letter where possible")
  func letters() {
    var prompt = SamplePrompt.microphone
    prompt.buttons = ["Save", "Never Save", "Not Now"].map { .init(choice: $0, label: $0) }
    #expect(PromptDialog(prompt).letters == ["S", "N", "O"])
    prompt.buttons = ["A", "A", "A"].map { .init(choice: $0, label: $0) }
    #expect(PromptDialog(prompt).letters == ["A", "2", "3"])
  }

  @Test("labels that no single key types are answered by number")
  func numbers() {
    #expect(PromptDialog(SamplePrompt.korean).letters == ["1", "2", "3"])
  }

  @Test("S3: a destructive question marks the choice and has its focus on Cancel")
  func destructive() {
    let question = Question.eraseMatches(count: 3, requester: nil)
    var dialog = PromptDialog(
      question.prompt(in: .english), focus: Question.cancel, destructive: Question.goAhead)
    #expect(question.isDestructive)
    #expect(dialog.take(.confirm) == .answer(choice: Question.cancel))
  }

  @Test("A2, A3: the program's own questions keep to the measure of alerts")
  func measure() {
    let all: [Question] = [
      .allow(requester: "earshot", purpose: "The sound is used to find out what is playing."),
      .allowSaving(requester: "earshot"), .removeMatch(title: "Tune"),
      .eraseMatches(count: 2, requester: nil), .eraseMatches(count: 2, requester: "earshot"),
    ]
    for prompt in all.map({ $0.prompt(in: .english) }) {
      #expect(prompt.title.split(separator: " ").count >= 2)
      #expect(prompt.title.count <= 60)
      for button in prompt.buttons {
        #expect(!["Yes", "No", "OK"].contains(button.label))
        #expect(button.label.split(separator: " ").count <= 2)
        #expect(button.label.allSatisfy { $0.isLetter || $0 == " " })
      }
    }
  }
}

@Suite("Keys")
struct KeyTests {
  @Test(
    "single keys",
    arguments: [
      ([0x61], [Key.character("a")]), ([0x09], [.forward]), ([0x0D], [.confirm]),
      ([0x1B], [.leave]),
      ([0x03], [.leave]), ([0x1B, 0x5B, 0x43], [.forward]), ([0x1B, 0x5B, 0x44], [.back]),
      ([0x1B, 0x4F, 0x42], [.forward]), ([0x1B, 0x5B, 0x5A], [.back]),
      ([0x1B, 0x5B, 0x31, 0x35, 0x7E], []), ([0xD0, 0xB4], [.character("д")]), ([], []),
    ] as [([UInt8], [Key])])
  func single(bytes: [UInt8], expected: [Key]) {
    #expect(Key.keys(in: bytes) == expected)
  }

  @Test("C10: characters that come in a heap were pasted, and answer nothing")
  func pasted() {
    #expect(Key.keys(in: Array("allow".utf8)).isEmpty)
    #expect(Key.keys(in: Array("a\n".utf8)).isEmpty)
    #expect(Key.keys(in: Array("yes\u{1B}".utf8)) == [.leave])
    #expect(Key.keys(in: [0x09, 0x0D]) == [.forward, .confirm])
  }
}
