internal import EarshotConsent
internal import Foundation
internal import Glibc

/// What the daemon runs with, from the command line, the environment and the two files.
struct Settings: Sendable {
  let options: ServiceOptions
  let paths: ServicePaths
  let configuration: Configuration
  let administrator: AdministratorFile
  /// The shipped purposes and those of the configured file.
  let purposes: PurposeList
  /// The page for visitors, where one is configured.
  let kiosk: KioskSetup?

  /// - Throws: ``ServiceError/configuration(_:)`` and the ways a file can be unusable.
  init(options: ServiceOptions) throws(ServiceError) {
    self.options = options
    paths = ServicePaths(
      options: options, environment: ProcessInfo.processInfo.environment, user: geteuid())
    configuration = try Self.configuration(paths)
    administrator = try Self.administrator(options)
    purposes = try Self.purposes(configuration)
    var setup: KioskSetup?
    if let settings = configuration.kiosk {
      setup = try KioskSetup(
        settings, controller: configuration.controller, purposes: purposes)
    }
    kiosk = setup
  }

  private static func purposes(_ configuration: Configuration) throws(ServiceError) -> PurposeList {
    guard let path = configuration.purposes else { return .shipped }
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .unusableFile(role: "file of purposes", code: errno)
    }
    defer { close(descriptor) }
    let bytes = try SettingsReading.contents(of: descriptor, role: "file of purposes")
    do throws(PurposeError) {
      return PurposeList.shipped.adding(try PurposeList(parsing: bytes, programNames: ["Earshot"]))
    } catch {
      throw .configuration([
        ConfigurationFault(file: Folders.name(of: path), line: 1, text: Self.text(error))
      ])
    }
  }

  static func text(_ error: PurposeError) -> String {
    switch error {
    case .tooLarge(let limit, let count): "it holds over \(limit) bytes or \(count) purposes"
    case .malformed(let place): "\"\(place)\" is missing or of another form"
    case .unreadableVersion(let found, let newest):
      "its version \(found) is newer than \(newest), which this daemon reads"
    case .refused(let findings):
      findings.map {
        "purpose \"\($0.code)\"\($0.language.map { " in \($0.rawValue)" } ?? "") breaks rule "
          + "\($0.rule.rawValue) with \"\($0.word)\""
      }.joined(separator: "; ")
    }
  }

  private static func configuration(_ paths: ServicePaths) throws(ServiceError) -> Configuration {
    let descriptor = unsafe open(paths.configuration, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT && !paths.isConfigurationNamed { return Configuration() }
      throw .unusableFile(role: "configuration", code: errno)
    }
    defer { close(descriptor) }
    return try Configuration(
      parsing: SettingsReading.contents(of: descriptor, role: "configuration"))
  }

  /// The machine's own file always counts; one that is named only where the machine has none.
  private static func administrator(
    _ options: ServiceOptions
  ) throws(ServiceError) -> AdministratorFile {
    let isThere = unsafe access(AdministratorFile.usualPath, F_OK) == 0
    if let named = options.administratorFile {
      guard !isThere else { throw .usage(argument: "--administrator-file") }
      return try AdministratorFile(path: named)
    }
    return isThere ? try AdministratorFile(path: AdministratorFile.usualPath) : AdministratorFile()
  }

  /// The executables that may show prompts: `earshot` beside the daemon or installed, the daemon's
  /// own, which is the desktop agent's too, and those that the administrator lists.
  var agentPaths: [String] {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return [Folders.parent(of: own) + "/earshot", "/usr/bin/earshot", own] + administrator.agents
  }
}
