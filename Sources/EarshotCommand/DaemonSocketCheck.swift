internal import EarshotClient
internal import Foundation
internal import Glibc

/// What of a daemon is there: who answers on its socket, and who holds its state folder.
///
/// Nothing is changed: who holds the lock is read from the kernel's own list, because even trying the
/// lock could keep a daemon that is just starting from having it.
struct DaemonSocketCheck: Sendable, Hashable {
  /// What a socket's path answers.
  enum Answer: Sendable, Hashable {
    /// Nothing is there.
    case absent
    /// A file is there and nobody serves on it.
    case stale
    /// A process serves on it; one that is no daemon hands it over when somebody calls.
    case served(process: Int32, isDaemon: Bool)
    /// It can't be reached, with a positive errno.
    case unreachable(code: Int32)
  }

  let path: String
  var answer: Answer
  /// The process that holds the state folder.
  var holder: Int32?

  init(path: String, answer: Answer, holder: Int32?) {
    self.path = path
    self.answer = answer
    self.holder = holder
  }

  /// Looks at a socket, and at the lock of a state folder.
  init(path: String, stateFolder: String) {
    self.path = path
    answer = Self.answer(of: path)
    holder = Self.holder(ofLock: stateFolder + "/daemon.lock")
  }

  /// What it comes to (cases O-60 and O-61).
  var finding: Finding {
    let check = "daemon's socket"
    let shown = Shown.text(path)
    switch (answer, holder) {
    case (.served(let process, true), let holder?) where holder != process:
      return .bad(
        check, "Process \(process) serves on \(shown), and process \(holder) holds the records.",
        next: "Two daemons run and only one can listen: end one of them, 'kill \(process)'.")
    case (.served(_, _), _): return .good(check, "\(shown) is served.")
    case (_, let holder?):
      return .bad(
        check, "Process \(holder) holds the records and does not serve on \(shown).",
        next: "Name its socket with --socket, or end it with 'kill \(holder)'.")
    case (.absent, nil): return .good(check, "No daemon runs; one is started when it is needed.")
    case (.stale, nil):
      return .notice(
        check, "\(shown) was left behind by a daemon that was killed.",
        next: "Nothing needs doing: the next daemon takes its place.")
    case (.unreachable(let code), nil):
      return .bad(
        check, "\(shown) can't be reached (error \(code)).",
        next: "It should be this person's own socket, in a folder with mode 0700.")
    }
  }

  private static func answer(of path: String) -> Answer {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
      guard bytes.count < field.count else { return false }
      unsafe field.copyBytes(from: bytes)
      return true
    }
    guard fits else { return .unreachable(code: ENAMETOOLONG) }
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return .unreachable(code: errno) }
    defer { close(descriptor) }
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    let code = errno
    // A full backlog is an answer too: somebody listens, and is busy.
    guard status == 0 || code == EAGAIN else {
      return code == ENOENT ? .absent : code == ECONNREFUSED ? .stale : .unreachable(code: code)
    }
    // `struct ucred` is not imported: pid, uid and gid, 32 bits each.
    var credentials: (Int32, UInt32, UInt32) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    _ = unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
    let name = try? String(
      contentsOfFile: "/proc/\(credentials.0)/comm", encoding: .utf8)
    return .served(process: credentials.0, isDaemon: name?.hasPrefix("earshotd") == true)
  }

  /// Who holds a lock on a file, by `/proc/locks`; nil where nobody does.
  private static func holder(ofLock path: String) -> Int32? {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0,
      let locks = try? String(contentsOfFile: "/proc/locks", encoding: .utf8)
    else { return nil }
    return holder(in: locks, inode: UInt64(facts.st_ino))
  }

  /// The process on the line of an inode: `1: FLOCK ADVISORY WRITE 4242 fe:00:123 0 EOF`.
  static func holder(in locks: String, inode: UInt64) -> Int32? {
    for line in locks.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count >= 6, fields[1] == "FLOCK", fields[5].hasSuffix(":\(inode)") else {
        continue
      }
      return Int32(fields[4])
    }
    return nil
  }
}
