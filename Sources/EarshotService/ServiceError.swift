/// The ways the daemon can fail to start or to serve.
public enum ServiceError: Error, Sendable, Hashable {
  /// The command line has an argument that is not known, or lacks a value.
  case usage(argument: String)
  /// Another daemon owns the socket or the state folder; `process` is its number, 0 if unknown.
  case anotherDaemon(process: Int32)
  /// A folder or file of the daemon could not be made or opened; `code` is the `errno`.
  case unusableFile(role: String, code: Int32)
  /// A folder or file belongs to another user.
  case foreignFile(role: String, owner: UInt32)
  /// The socket's path is longer than an address holds.
  case socketPathTooLong(length: Int, limit: Int)
  /// A system call on a socket failed; `code` is the `errno`.
  case socket(call: String, code: Int32)
  /// The configuration or the administrator's file is wrong; each fault names its line.
  case configuration([ConfigurationFault])
  /// The administrator's file can be written by somebody else than root.
  case untrustedAdministratorFile
  /// The ledger or the library could not be opened.
  case ledger(detail: String)
  /// libmicrohttpd did not start.
  case serverNotStarted
  /// No dialog can be shown on a desktop.
  case noDesktop(cause: NoDesktop)
  /// The worker could not be started; `code` is the `errno`.
  case workerNotStarted(code: Int32)
}

/// Why there is no desktop to show dialogs on.
public enum NoDesktop: Sendable, Hashable {
  /// Neither `DISPLAY` nor `WAYLAND_DISPLAY` is set.
  case noDisplay
  /// The program that shows dialogs is not installed.
  case noZenity
  /// No portal backend runs on the session's bus, or none that is the system's own.
  case noPortal
}

/// One thing that is wrong in a file of settings.
public struct ConfigurationFault: Sendable, Hashable {
  /// Which file: `earshot.json` or `administrator.json`.
  public var file: String
  /// The line, from 1.
  public var line: Int
  /// What is wrong there and what would be right.
  public var text: String

  /// Makes a fault of its fields.
  public init(file: String, line: Int, text: String) {
    self.file = file
    self.line = line
    self.text = text
  }
}
