import Foundation
import Testing

/// A session bus of its own, with the settings of a person who has none yet.
final class PersonBus: @unchecked Sendable {
  // SAFETY: one test uses it.
  private var processes: [Process] = []
  private(set) var environment: [String: String] = [:]

  enum Fault: Error { case noBus }

  /// The bus of `daemon`, in whose folders it keeps the person's settings: what is changed is told
  /// through the runtime folder, so both have to have the same one.
  init(for daemon: RunningDaemon) throws {
    let home = daemon.environment.merging(["GSETTINGS_BACKEND": "dconf"]) { $1 }
    environment = home
    let address = Pipe()
    let bus = Process()
    bus.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-daemon")
    bus.arguments = ["--session", "--nofork", "--nopidfile", "--print-address=1"]
    bus.environment = home
    bus.standardOutput = address
    bus.standardError = FileHandle.nullDevice
    try bus.run()
    processes.append(bus)
    let text = String(decoding: address.fileHandleForReading.availableData, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard text.hasPrefix("unix:") else { throw Fault.noBus }
    environment["DBUS_SESSION_BUS_ADDRESS"] = text
    daemon.extraEnvironment["DBUS_SESSION_BUS_ADDRESS"] = text
    daemon.extraEnvironment["GSETTINGS_BACKEND"] = "dconf"
  }

  deinit {
    // Not waited for: services that the bus started hold what Foundation waits on, and end after it.
    for process in processes.reversed() { kill(process.processIdentifier, SIGKILL) }
  }

  /// Starts a program that ends with the bus.
  func start(_ program: String, environment more: [String: String] = [:]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.environment = environment.merging(more) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    processes.append(process)
  }

  /// Whether the portal's backend runs, and says that microphones are locked.
  var portalIsLocked: Bool { portalLockdown == "b true\n" }

  private var portalLockdown: String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/busctl")
    process.arguments = [
      "--user", "--auto-start=no", "get-property", "org.freedesktop.impl.portal.desktop.gtk",
      "/org/freedesktop/portal/desktop", "org.freedesktop.impl.portal.Lockdown",
      "disable-microphone",
    ]
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return "" }
    return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  /// Starts a program of our own in Python, and waits for its first line.
  func startPython(_ script: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-c", script]
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    processes.append(process)
    guard !output.fileHandleForReading.availableData.isEmpty else { throw Fault.noBus }
  }

  /// Whether the portal's backend runs.
  var hasPortal: Bool { portalLockdown.hasPrefix("b ") }

  /// Turns GNOME's switch.
  func setDisabled(_ isDisabled: Bool) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/gsettings")
    process.arguments = [
      "set", "org.gnome.desktop.privacy", "disable-microphone", "\(isDisabled)",
    ]
    process.environment = environment
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
