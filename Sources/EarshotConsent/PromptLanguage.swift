/// The languages that the product asks in (rule C12).
public enum PromptLanguage: String, Codable, CodingKeyRepresentable, Sendable, Hashable,
  CaseIterable
{
  case english = "en"
  case russian = "ru"
  case simplifiedChinese = "zh-Hans"
  case korean = "ko"

  /// The language that fits a BCP 47 tag or a locale's name best, or nil.
  ///
  /// `ru_RU.UTF-8`, `ru-RU` and `ru` are Russian; `zh_CN`, `zh_SG`, `zh-Hans` and `zh` are
  /// Simplified Chinese, while Traditional Chinese (`zh_TW`, `zh-Hant`) is none of the four.
  public init?(tag: String) {
    let parts = tag.prefix { $0 != "." && $0 != "@" }.lowercased()
      .split { $0 == "_" || $0 == "-" }
    switch parts.first {
    case "en", "c", "posix": self = .english
    case "ru": self = .russian
    case "ko": self = .korean
    case "zh":
      let traditional: Set<Substring> = ["hant", "tw", "hk", "mo"]
      guard parts.contains("hans") || traditional.isDisjoint(with: parts) else { return nil }
      self = .simplifiedChinese
    default: return nil
    }
  }

  /// The language a person's environment asks for; English where it names none of the four.
  ///
  /// `LANGUAGE` is a list in order of liking, and counts only where the locale isn't `C`. Then the
  /// first set one of `LC_ALL`, `LC_MESSAGES` and `LANG` decides.
  public init(environment: [String: String]) {
    let locale =
      ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
      ?? "C"
    if locale != "C", locale != "POSIX" {
      for tag in (environment["LANGUAGE"] ?? "").split(separator: ":") {
        guard let language = PromptLanguage(tag: String(tag)) else { continue }
        self = language
        return
      }
    }
    self = PromptLanguage(tag: locale) ?? .english
  }
}
