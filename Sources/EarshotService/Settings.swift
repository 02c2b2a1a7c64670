internal import Foundation
internal import Glibc

/// What the daemon runs with, from the command line, the environment and the two files.
struct Settings: Sendable {
  let options: ServiceOptions
  let paths: ServicePaths
  let configuration: Configuration
  let administrator: AdministratorFile

  /// - Throws: ``ServiceError/configuration(_:)`` and the ways a file can be unusable.
  init(options: ServiceOptions) throws(ServiceError) {
    self.options = options
    paths = ServicePaths(
      options: options, environment: ProcessInfo.processInfo.environment, user: geteuid())
    configuration = try Self.configuration(paths)
    administrator = try Self.administrator(options)
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

  /// The executables that may show prompts: `earshot` beside the daemon or installed, and those
  /// that the administrator lists.
  var agentPaths: [String] {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return [Folders.parent(of: own) + "/earshot", "/usr/bin/earshot"] + administrator.agents
  }
}
