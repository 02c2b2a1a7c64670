import EarshotConsent
import Testing

@Suite("Prompt") struct PromptTests {
  private func prompt(
    name: String, language: PromptLanguage = .english, session: String? = nil
  ) -> Prompt {
    var question = Sample.question(session: session)
    question.requester.name = name
    question.language = language
    return Prompt(for: question)
  }

  @Test("C5: the daemon words title, purpose and buttons, in English")
  func english() {
    let prompt = prompt(name: "firefox", session: "one")
    #expect(prompt.title == "“firefox” asks to use the microphone.")
    #expect(prompt.message == Sample.purpose.sentences[.english])
    #expect(prompt.buttons.map(\.label) == ["Allow Once", "Allow While Open", "Don't Allow"])
    #expect(prompt.buttons.map(\.choice.rawValue) == ["allow-once", "allow-open", "deny"])
  }

  @Test("C5: without a session there is nothing that 'While Open' could end with")
  func withoutSession() {
    #expect(prompt(name: "firefox").buttons.map(\.choice) == [.allowOnce, .deny])
  }

  @Test(
    "C12: title, purpose and buttons are in the person's language",
    arguments: [
      (PromptLanguage.russian, "«x» просит доступ к микрофону."),
      (.simplifiedChinese, "“x”请求使用麦克风。"), (.korean, "‘x’에서 마이크 사용을 요청합니다."),
    ])
  func translated(language: PromptLanguage, title: String) {
    let prompt = prompt(name: "x", language: language)
    #expect(prompt.title == title)
    #expect(prompt.message == Sample.purpose.sentences[language])
    #expect(prompt.language == language)
  }

  @Test("C12: a purpose without a translation is shown in English, and recorded as English")
  func fallback() {
    var question = Sample.question()
    question.language = .korean
    question.purpose.sentences[.korean] = nil
    #expect(question.shown.text == Sample.purpose.sentences[.english])
    #expect(question.shown.language == .english)
    #expect(Prompt(for: question).title.hasSuffix("요청합니다."))
  }

  @Test(
    "C5: characters that hide, move or fake text are shown escaped",
    arguments: [
      ("a\u{202E}b", "a\\u{202E}b"), ("a\u{200B}b", "a\\u{200B}b"), ("a\nb", "a\\u{A}b"),
      ("a\u{1B}[1mb", "a\\u{1B}[1mb"), ("a\u{2066}b", "a\\u{2066}b"), ("a\u{00AD}b", "a\\u{AD}b"),
      ("a\u{FEFF}b", "a\\u{FEFF}b"), ("a\u{2028}b", "a\\u{2028}b"), ("a\u{3164}b", "a\\u{3164}b"),
      ("a\u{00A0}b", "a\\u{A0}b"), ("a\u{E000}b", "a\\u{E000}b"), ("a”b", "a\\u{201D}b"),
      ("a\u{E0041}b", "a\\u{E0041}b"), ("\u{301}b", "\\u{301}b"), ("ok ay", "ok ay"),
      ("e\u{301}", "e\u{301}"), ("音楽", "音楽"),
    ])
  func escaped(name: String, shown: String) {
    #expect(DisplayName.shown(name) == shown)
  }

  @Test("C5: a name of 24 characters is whole, and one of 25 is shortened in the middle")
  func shortened() {
    let exact = String(repeating: "a", count: 24)
    #expect(DisplayName.shown(exact) == exact)
    let long = "/usr/lib/somewhere/very/deep/program"
    let shown = DisplayName.shown(long)
    #expect(shown == "/usr/lib/so…deep/program")
    #expect(shown.count == 24)
    #expect(DisplayName.shown(String(repeating: "a", count: 25)).count == 24)
  }

  @Test(
    "C5, A2: no title is longer than 60 characters, whatever the name",
    arguments: PromptLanguage.allCases)
  func titleLength(language: PromptLanguage) {
    for name in [String(repeating: "W", count: 500), String(repeating: "\u{202E}", count: 99)] {
      #expect(prompt(name: name, language: language).title.count <= 60)
    }
  }

  @Test(
    "A3: labels are short, hold no punctuation, and are no 'Yes', 'No' or 'OK'",
    arguments: PromptLanguage.allCases)
  func labels(language: PromptLanguage) {
    let microphone = Prompt(
      for: Sample.question(), offering: [.allowOnce, .allowWhileOpen, .deny])
    var question = Sample.library()
    question.language = language
    var listening = Sample.question(session: "one")
    listening.language = language
    for button in Prompt(for: question).buttons + Prompt(for: listening).buttons {
      #expect(button.label.split(separator: " ").count <= 4)
      #expect(!button.label.contains { ".,!?:;。".contains($0) })
      #expect(!["Yes", "No", "OK", "Да", "Нет", "是", "否", "예", "아니요"].contains(button.label))
    }
    #expect(Set(microphone.buttons.map(\.label)).count == 3)
  }

  @Test("S2: the question to save has its own three buttons, and 'Not Now' is no answer")
  func save() {
    let prompt = Prompt(for: Sample.library())
    #expect(prompt.buttons.map(\.label) == ["Save", "Never Save", "Not Now"])
    #expect(Prompt.answer(for: .notNow, session: nil) == nil)
    #expect(Prompt.answer(for: .save, session: nil) == .allow(.once))
    #expect(Prompt.answer(for: .neverSave, session: nil) == .deny)
    #expect(Prompt.answer(for: .allowWhileOpen, session: "s") == .allow(.whileOpen(session: "s")))
    #expect(Prompt.answer(for: .allowWhileOpen, session: nil) == .allow(.once))
  }

  @Test("two paths never have the same text, whatever their bytes")
  func paths() {
    let paths: [[UInt8]] = [
      [0x2F, 0xFF], [0x2F, 0xFE], Array("/\\xFF".utf8), Array("/\\\\xFF".utf8),
      [0x2F, 0xC3], [0x2F, 0xC3, 0xA9], [0x2F, 0xEF, 0xBF, 0xBD],
    ]
    #expect(Set(paths.map(Requester.text(ofPath:))).count == paths.count)
    #expect(Requester.text(ofPath: [0x2F, 0xFF, 0x61]) == "/\\xFFa")
  }

  @Test(
    "C12: the environment's language is found",
    arguments: [
      (["LANG": "ru_RU.UTF-8"], PromptLanguage.russian), (["LC_MESSAGES": "ko_KR"], .korean),
      (["LC_ALL": "zh_CN.UTF-8", "LANG": "ru_RU"], .simplifiedChinese), ([:], .english),
      (["LANG": "de_DE.UTF-8", "LANGUAGE": "de:ko"], .korean), (["LANG": "zh_TW.UTF-8"], .english),
      (["LANG": "C", "LANGUAGE": "ru"], .english), (["LANG": "fr_FR"], .english),
    ])
  func environment(variables: [String: String], language: PromptLanguage) {
    #expect(PromptLanguage(environment: variables) == language)
  }
}
