internal import EarshotConsent
internal import Glibc

/// The `kiosk` section of `earshot.json`; without it no page is served.
struct KioskSettings: Sendable, Hashable {
  /// The loopback port of the page; 0 takes any that is free.
  var port = KioskSettings.usualPort
  /// What prompts call the page; the controller's name where none is given.
  var name: String?
  /// The purpose that the button listens for.
  var purpose = "identify"
  /// The language of a visit's first screen.
  var language = PromptLanguage.english
  /// Whether a listening settles the place as well, so that captions can begin with its answer.
  var hasCaptions = false
  /// A theme's file.
  var theme: String?
  /// A file with an explanation before the prompt; without one there is none.
  var explanation: String?

  static let usualPort = 8484

  init(_ reading: inout SettingsReading) {
    if let number = reading.number("port", 0...65535) { port = Int(number) }
    name = reading.text("name")
    if let code = reading.text("purpose") { purpose = code }
    if let tag = reading.text("language") {
      if let known = PromptLanguage(rawValue: tag) {
        language = known
      } else {
        let tags = PromptLanguage.allCases.map(\.rawValue).joined(separator: ", ")
        reading.fault("language", "should be one of: \(tags)")
      }
    }
    hasCaptions = reading.flag("captions") ?? false
    theme = reading.text("theme")
    explanation = reading.text("explanation")
  }
}

/// The kiosk's settings with all that their files hold, checked.
struct KioskSetup: Sendable, Hashable {
  var settings: KioskSettings
  var name: String
  var controller: Configuration.Controller
  var purpose: Purpose
  var theme: KioskTheme
  var explanation: PromptExplanation?

  /// What the theme's file is called, for whoever has to correct it.
  var themeName: String { settings.theme.map { Folders.name(of: $0) } ?? "the shipped theme" }

  /// - Throws: ``ServiceError/configuration(_:)`` and the ways a file can be unusable.
  init(
    _ settings: KioskSettings, controller: Configuration.Controller?, purposes: PurposeList
  ) throws(ServiceError) {
    // The configuration's own reading has refused a kiosk that names nobody (rule R1).
    guard let controller, let purpose = purposes.purpose(settings.purpose), purpose.use != .save
    else {
      throw .configuration([
        ConfigurationFault(
          file: Configuration.fileName, line: 1,
          text: "the \"kiosk\" names a \"purpose\" that is not configured")
      ])
    }
    self.settings = settings
    self.controller = controller
    self.purpose = purpose
    name = settings.name ?? controller.name
    theme = .shipped
    var faults: [ConfigurationFault] = []
    do throws(ServiceError) {
      if let path = settings.theme { theme = try Self.theme(path) }
    } catch {
      guard case .configuration(let found) = error else { throw error }
      faults += found
    }
    do throws(ServiceError) {
      if let path = settings.explanation { explanation = try Self.explanation(path) }
    } catch {
      guard case .configuration(let found) = error else { throw error }
      faults += found
    }
    guard faults.isEmpty else {
      // A button that can't be read is told beside them: whoever corrects one file corrects the other.
      throw .configuration(
        faults + theme.faults.map { ConfigurationFault(file: themeName, line: 1, text: $0) })
    }
  }

  private static func theme(_ path: String) throws(ServiceError) -> KioskTheme {
    try KioskTheme(file: Folders.name(of: path), bytes: try contents(path, role: "theme"))
  }

  private static func contents(_ path: String, role: String) throws(ServiceError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unusableFile(role: role, code: errno) }
    defer { close(descriptor) }
    return try SettingsReading.contents(of: descriptor, role: role)
  }

  private static func explanation(_ path: String) throws(ServiceError) -> PromptExplanation {
    let bytes = try contents(path, role: "explanation")
    do throws(ExplanationError) {
      return try PromptExplanation(parsing: bytes)
    } catch {
      throw .configuration([
        ConfigurationFault(file: Folders.name(of: path), line: 1, text: text(error))
      ])
    }
  }

  private static func text(_ error: ExplanationError) -> String {
    switch error {
    case .tooLarge(let limit): "it holds over \(limit) bytes"
    case .malformed(let place): "\"\(place)\" is missing, not known or of another form (rule E4)"
    case .unreadableVersion(let found, let newest):
      "its version \(found) is newer than \(newest), which this daemon reads"
    case .refused(let findings):
      findings.map { "\($0.language.rawValue) breaks rule \($0.rule.rawValue) with \"\($0.word)\"" }
        .joined(separator: "; ")
    }
  }
}
