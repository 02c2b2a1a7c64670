internal import Foundation

/// Which systemd service a process belongs to, by its control group, which every user may read.
///
/// `/proc/PID/exe` of another user's process takes the right to trace it (CAP_SYS_PTRACE), which would
/// open all memory of the machine to the daemon. The control group takes none, and it is root's
/// manager that has put the process there.
struct ControlGroup: Sendable, Hashable {
  /// The parts of the path in the one hierarchy of version 2.
  private let parts: [Substring]

  /// Reads `/proc/PID/cgroup`; nil where there is no such process.
  init?(process: Int32) {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/cgroup", encoding: .utf8) else {
      return nil
    }
    self.init(parsing: text)
  }

  /// Reads the file's text: one line a hierarchy, `0::` before the path of version 2.
  init(parsing text: String) {
    let line = text.split(separator: "\n").last { $0.hasPrefix("0::") }
    parts = (line ?? "").dropFirst(3).split(separator: "/")
  }

  /// The service of this process's own; scopes and slices name no program. It may be one of a user's
  /// own manager, so it names a program only where the executable is known as well.
  var service: String? {
    // A user's own manager is a service too, and everything of the session is below it.
    guard let name = parts.last, name.hasSuffix(".service"), !name.hasPrefix("user@") else {
      return nil
    }
    return String(name)
  }

  /// The service of the system's manager, whose unit file is root's; nil below a user's manager.
  ///
  /// The first service on the path counts: groups below it are its own to make and to name.
  var systemService: String? {
    guard let name = parts.first(where: { $0.hasSuffix(".service") }), !name.hasPrefix("user@"),
      parts.first != "user.slice"
    else { return nil }
    return String(name)
  }
}
