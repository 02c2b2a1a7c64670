import Testing

@testable import EarshotCommand

@Suite("C12: the person's language")
struct LanguageTests {
  @Test(
    "C12: follows LANGUAGE and the locale of messages, and falls back to English",
    arguments: [
      (["LANG": "ru_RU.UTF-8"], Language.russian), (["LANG": "ko_KR"], .korean),
      (["LANG": "zh_CN.UTF-8"], .simplifiedChinese), (["LANG": "zh_TW.UTF-8"], .english),
      (["LANG": "de_DE.UTF-8"], .english),
      (["LANG": "de_DE.UTF-8", "LANGUAGE": "de:ko:ru"], .korean),
      (["LANG": "C.UTF-8", "LANGUAGE": "ru"], .english), ([:], .english),
      (["LC_ALL": "ru_RU", "LANG": "ko_KR"], .russian),
      (["LC_ALL": "", "LC_MESSAGES": "ko_KR.UTF-8", "LANG": "ru_RU"], .korean),
    ])
  func person(environment: [String: String], expected: Language) {
    #expect(Language.person(environment) == expected)
  }
}
