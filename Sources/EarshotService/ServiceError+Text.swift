internal import Glibc

extension ServiceError {
  /// What happened, what it means and the next step (rule A4).
  var text: String {
    switch self {
    case .usage(let argument):
      "The argument \(argument) is not understood here. Nothing was started. See earshotd --help."
    case .anotherDaemon(let process):
      "Another daemon runs\(process > 0 ? ", process \(process)" : ""). "
        + "This one ends, because only one may open the microphone. Use the other, or end it first."
    case .unusableFile(let role, let code):
      "The \(role) can't be used: \(Self.words(code)). "
        + "Nothing was started. Check its path, its rights and the free space."
    case .foreignFile(let role, let owner):
      "The \(role) belongs to user \(owner). Nothing was started. Name a folder of your own."
    case .socketPathTooLong(let length, let limit):
      "The socket's path has \(length) bytes, and an address holds \(limit). "
        + "Nothing was started. Name a shorter one with --socket."
    case .socket(let call, let code):
      "The socket can't be used: \(call): \(Self.words(code)). Nothing was started. Try again."
    case .configuration(let faults):
      "The settings are wrong: "
        + faults.map { "\($0.file):\($0.line): \($0.text)" }.joined(separator: "; ")
        + ". Nothing was started. Correct them; earshotd --check looks again."
    case .untrustedAdministratorFile:
      "The administrator's file can be written by somebody else than root, so it is not followed. "
        + "Nothing was started. Give it to root with mode 0644 or remove it."
    case .ledger(let detail):
      "The ledger or library can't be opened (\(detail)). "
        + "Nothing was started, because no microphone is opened without a record. "
        + "Check the state folder."
    case .serverNotStarted:
      "The HTTP server did not start. Nothing was started. Try again."
    case .noDesktop(.noDisplay):
      "There is no desktop: neither DISPLAY nor WAYLAND_DISPLAY is set. No agent was started. "
        + "Start it inside the person's session, as the user unit earshot-desktop-agent does."
    case .noDesktop(.noZenity):
      "The program \(DesktopWindow.program), which shows dialogs, is not installed. "
        + "No agent was started. Install the package zenity, or xdg-desktop-portal-gtk."
    case .noDesktop(.noPortal):
      "The session's bus has no portal backend that is the system's own. No agent was started. "
        + "Install the package xdg-desktop-portal-gtk, or leave --portal out to use zenity."
    case .workerNotStarted(let code):
      "A worker can't be started: \(Self.words(code)). The microphone stays closed. Try again."
    }
  }

  private static func words(_ code: Int32) -> String {
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }

  /// The process's status.
  var exitStatus: Int32 {
    switch self {
    case .usage: 64
    case .anotherDaemon, .noDesktop: 69
    case .socketPathTooLong, .socket, .serverNotStarted, .workerNotStarted: 71
    case .unusableFile(let role, _) where role.hasSuffix("folder"): 74
    case .unusableFile, .untrustedAdministratorFile, .configuration: 78
    case .foreignFile, .ledger: 74
    }
  }
}

extension ServicePaths.RuntimeFault {
  /// Which of the causes it is and what to do (case O-06).
  var text: String {
    let cause =
      switch self {
      case .unset: "XDG_RUNTIME_DIR is not set"
      case .missing: "The folder that XDG_RUNTIME_DIR names does not exist"
      case .notAFolder: "XDG_RUNTIME_DIR names no folder"
      case .foreign(let owner): "The folder that XDG_RUNTIME_DIR names belongs to user \(owner)"
      }
    return cause + ". The socket lies in the state folder, and the person's sound server is "
      + "probably out of reach. Run the daemon as a user unit, or turn on lingering with "
      + "loginctl enable-linger."
  }
}
