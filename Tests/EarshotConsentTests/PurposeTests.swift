import EarshotConsent
import Foundation
import Testing

@Suite("Purposes") struct PurposeTests {
  @Test("P1 to P7: the shipped purposes are right in all four languages")
  func shipped() {
    #expect(PurposeList.shipped.all.map(\.code) == ["captions", "guide", "identify", "save"])
    for purpose in PurposeList.shipped.all {
      #expect(PurposeLint.findings(purpose).isEmpty)
    }
  }

  static let good = "Your device listens to tell you what is playing."

  private func findings(
    _ sentence: String, _ language: PromptLanguage = .english, use: Purpose.Use = .identify,
    programNames: [String] = []
  ) -> [PurposeFinding] {
    var sentences = [PromptLanguage.english: Self.good]
    sentences[language] = sentence
    let purpose = Purpose(
      code: "x", version: 1, use: language == .english ? use : .identify, sentences: sentences)
    return PurposeLint.findings(purpose, programNames: programNames).filter {
      $0.language == language && $0.isFatal
    }
  }

  @Test(
    "P1, P3, P4, P5, P6, P7: the broken rule and the word are named, in English",
    arguments: [
      ("Your device listens to tell you what is playing", PurposeFinding.Rule.oneSentence, "g"),
      ("your device listens to tell you what is playing.", .oneSentence, "y"),
      ("Your device listens. It tells you what is playing.", .oneSentence, "."),
      ("Your Device Listens To Tell You What Is Playing.", .oneSentence, "capitals"),
      ("Your DEVICE listens to tell you what is playing.", .oneSentence, "DEVICE"),
      ("What is playing.", .oneSentence, ""),
      (
        "Your device listens to tell\u{202E} you what is playing.", .oneSentence,
        "invisible character"
      ),
      ("Your device listens for a while.", .saysUse, "identify"),
      ("Earshot listens to tell you what is playing.", .namesNoProgram, "Earshot"),
      ("Your device listens to tell you what is playing!", .oneSentence, "!"),
      ("You must allow it to tell you what is playing.", .plain, "must"),
      ("The daemon listens to tell you what is playing.", .plain, "daemon"),
      ("The sound is used to tell you what is playing.", .active, "is … used"),
      ("The sound is not kept when we tell you what is playing.", .active, "is … kept"),
      ("Your device tells you what is playing for free.", .noIncentive, "free"),
    ])
  func english(sentence: String, rule: PurposeFinding.Rule, word: String) {
    let found = findings(sentence)
    if sentence == "What is playing." {
      #expect(found.isEmpty)
    } else {
      #expect(found.contains { $0.rule == rule && $0.word == word }, "\(found)")
    }
  }

  @Test(
    "P1, P5: a decimal point ends no sentence; 'is playing' is no passive; 'Win' in 'window' is none"
  )
  func fine() {
    for sentence in [
      "Your device listens for 1.5 seconds to tell you what is playing.",
      "This window tells you what is playing after a moment.",
    ] {
      #expect(findings(sentence).isEmpty)
    }
  }

  @Test("P2: 120 characters are taken and 121 refused; 60 and 61 in Chinese")
  func length() {
    let start = "Your device listens to tell you what is playing "
    func sentence(_ count: Int) -> String {
      start + String(repeating: "a", count: count - start.count - 1) + "."
    }
    #expect(findings(sentence(120)).isEmpty)
    #expect(findings(sentence(121)).map(\.word) == ["121"])
    func chinese(_ count: Int) -> String {
      "设备会聆听以便告诉您正在播放什么" + String(repeating: "好", count: count - 17) + "。"
    }
    #expect(findings(chinese(60), .simplifiedChinese).isEmpty)
    #expect(findings(chinese(61), .simplifiedChinese).map(\.rule) == [.short])
  }

  @Test(
    "the other languages have their own words",
    arguments: [
      (
        "Звук был записан, чтобы узнать, что сейчас звучит.", PromptLanguage.russian,
        PurposeFinding.Rule.active
      ),
      ("Бесплатно узнать, что сейчас звучит вокруг.", .russian, .noIncentive),
      ("Вы должны разрешить, чтобы узнать, что звучит.", .russian, .plain),
      ("声音被用来告诉您正在播放什么。", .simplifiedChinese, .active),
      ("免费告诉您正在播放什么歌曲。", .simplifiedChinese, .noIncentive),
      ("设备会聆听以便告诉您正在播放什么", .simplifiedChinese, .oneSentence),
      ("재생 중인 소리가 식별되어집니다.", .korean, .active),
      ("무료로 무엇이 재생 중인지 알려 드립니다.", .korean, .noIncentive),
      ("반드시 무엇이 재생 중인지 알려 드립니다.", .korean, .plain),
    ])
  func others(sentence: String, language: PromptLanguage, rule: PurposeFinding.Rule) {
    let found = findings(sentence, language)
    #expect(found.contains { $0.rule == rule }, "\(found)")
  }

  @Test("P4: a requester's name is no part of the sentence either")
  func programName() {
    let found = findings(
      "Tunefinder listens to tell you what is playing.", programNames: ["tunefinder"])
    #expect(found.map(\.rule) == [.namesNoProgram])
  }

  @Test("a file with a broken sentence is refused at load, and a missing translation only reported")
  func load() throws {
    let file = { (sentence: String) in
      Array(
        """
        {"version":1,"purposes":[{"code":"x","version":1,"use":"identify",
          "sentences":{"en":"\(sentence)"}}]}
        """.utf8)
    }
    let list = try PurposeList(parsing: file(Self.good))
    #expect(list.purpose("x")?.sentence(in: .korean).language == .english)
    #expect(
      try PurposeList.lint(file(Self.good)).map(\.rule) == [.translated, .translated, .translated])
    #expect(
      throws: PurposeError.refused([
        PurposeFinding(code: "x", language: .english, rule: .noIncentive, word: "free")
      ])
    ) {
      try PurposeList(parsing: file("Your device tells you what is playing for free."))
    }
    #expect(PurposeList.shipped.adding(list).all.count == 5)
  }

  @Test(
    "a file that isn't of the form says where",
    arguments: [
      ("", PurposeError.malformed(place: "")), ("[]", .malformed(place: "")),
      (#"{"version":2,"purposes":[]}"#, .unreadableVersion(found: 2, newest: 1)),
      (
        #"{"version":1,"purposes":[{"code":"x","version":1,"use":"other","sentences":{}}]}"#,
        .malformed(place: "purposes.0.use")
      ),
    ])
  func malformed(text: String, error: PurposeError) {
    #expect(throws: error) { try PurposeList(parsing: Array(text.utf8)) }
  }

  @Test("W6: a file of 256 KiB is read and one byte more refused")
  func size() {
    let text = #"{"version":1,"purposes":[]}"#
    let exact =
      Array(text.utf8) + [UInt8](repeating: 32, count: PurposeList.bytesMax - text.utf8.count)
    #expect(throws: Never.self) { try PurposeList(parsing: exact) }
    #expect(throws: PurposeError.tooLarge(limitBytes: 262_144, purposesMax: 100)) {
      try PurposeList(parsing: exact + [32])
    }
  }

  @Test("W6: 100 purposes are read and 101 refused")
  func count() {
    func file(_ count: Int) -> [UInt8] {
      let purposes = (0..<count).map {
        #"{"code":"x-\#($0)","version":1,"use":"identify","sentences":{"en":"\#(Self.good)"}}"#
      }
      return Array(#"{"version":1,"purposes":[\#(purposes.joined(separator: ","))]}"#.utf8)
    }
    #expect(throws: Never.self) { try PurposeList(parsing: file(100)) }
    #expect(throws: PurposeError.tooLarge(limitBytes: 262_144, purposesMax: 100)) {
      try PurposeList(parsing: file(101))
    }
  }
}
