/// The prompts' own words in the four shipped languages; no requester can add to them.
enum PromptTexts {
  static func title(_ language: PromptLanguage, _ capability: Capability, name: String) -> String {
    switch (language, capability) {
    case (.english, .microphone): "“\(name)” asks to use the microphone."
    case (.english, .library): "“\(name)” asks to save this match."
    case (.russian, .microphone): "«\(name)» просит доступ к микрофону."
    case (.russian, .library): "«\(name)» предлагает сохранить находку."
    case (.simplifiedChinese, .microphone): "“\(name)”请求使用麦克风。"
    case (.simplifiedChinese, .library): "“\(name)”请求保存此结果。"
    case (.korean, .microphone): "‘\(name)’에서 마이크 사용을 요청합니다."
    case (.korean, .library): "‘\(name)’에서 결과 저장을 요청합니다."
    }
  }

  static func label(_ language: PromptLanguage, _ choice: Prompt.Choice) -> String {
    switch language {
    case .english: english(choice)
    case .russian: russian(choice)
    case .simplifiedChinese: simplifiedChinese(choice)
    case .korean: korean(choice)
    }
  }

  /// How to take a consent back, as it is shown and recorded (rule R1).
  static func withdrawal(_ language: PromptLanguage) -> String {
    switch language {
    case .english: "You can change this at any time with: earshot consent revoke"
    case .russian: "Это можно изменить в любое время командой: earshot consent revoke"
    case .simplifiedChinese: "可随时更改：earshot consent revoke"
    case .korean: "언제든지 변경할 수 있습니다: earshot consent revoke"
    }
  }

  private static func english(_ choice: Prompt.Choice) -> String {
    switch choice {
    case .allowOnce: "Allow Once"
    case .allowWhileOpen: "Allow While Open"
    case .allowWhileCaptions: "Allow While Captions Are On"
    case .deny: "Don't Allow"
    case .save: "Save"
    case .notNow: "Not Now"
    case .neverSave: "Never Save"
    }
  }

  private static func russian(_ choice: Prompt.Choice) -> String {
    switch choice {
    case .allowOnce: "Разрешить один раз"
    case .allowWhileOpen: "Разрешить до закрытия"
    case .allowWhileCaptions: "Разрешить на время субтитров"
    case .deny: "Не разрешать"
    case .save: "Сохранить"
    case .notNow: "Не сейчас"
    case .neverSave: "Никогда не сохранять"
    }
  }

  private static func simplifiedChinese(_ choice: Prompt.Choice) -> String {
    switch choice {
    case .allowOnce: "允许一次"
    case .allowWhileOpen: "打开期间允许"
    case .allowWhileCaptions: "字幕开启期间允许"
    case .deny: "不允许"
    case .save: "保存"
    case .notNow: "暂不保存"
    case .neverSave: "永不保存"
    }
  }

  private static func korean(_ choice: Prompt.Choice) -> String {
    switch choice {
    case .allowOnce: "한 번 허용"
    case .allowWhileOpen: "열려 있는 동안 허용"
    case .allowWhileCaptions: "자막이 켜진 동안 허용"
    case .deny: "허용 안 함"
    case .save: "저장"
    case .notNow: "나중에"
    case .neverSave: "항상 저장 안 함"
    }
  }
}
