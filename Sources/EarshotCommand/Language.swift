internal import Foundation

/// A language the product speaks.
enum Language: String, Sendable, Hashable, CaseIterable {
  case english = "en"
  case russian = "ru"
  case simplifiedChinese = "zh-Hans"
  case korean = "ko"

  /// The person's language by `LANGUAGE` and the locale of messages; English where none fits.
  static func person(_ environment: [String: String] = ProcessInfo.processInfo.environment)
    -> Language
  {
    let locale =
      ["LC_ALL", "LC_MESSAGES", "LANG"]
      .compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
    // As gettext has it, LANGUAGE counts for nothing in the C locale.
    if locale == "C" || locale == "POSIX" || locale.hasPrefix("C.") { return .english }
    let wishes = (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init) + [locale]
    return wishes.lazy.compactMap(Language.init(locale:)).first ?? .english
  }

  /// The language of a locale's name such as `ru_RU.UTF-8`; nil where the product doesn't speak it.
  init?(locale: String) {
    let name = locale.prefix { $0 != "." && $0 != "@" }.replacing("-", with: "_")
    switch name.prefix(while: { $0 != "_" }) {
    case "en": self = .english
    case "ru": self = .russian
    case "ko": self = .korean
    case "zh" where !["zh_TW", "zh_HK", "zh_MO"].contains(name) && !name.contains("Hant"):
      self = .simplifiedChinese
    default: return nil
    }
  }
}
