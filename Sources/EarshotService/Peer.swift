internal import Foundation
internal import Glibc

/// Which file a path or a process stands for, whatever it is called.
struct FileIdentity: Sendable, Hashable {
  var device: UInt64
  var inode: UInt64

  init?(path: String) {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { return nil }
    device = UInt64(facts.st_dev)
    inode = UInt64(facts.st_ino)
  }
}

/// The process at the other end of a connection, by the kernel's word.
///
/// Process, user and group come from `SO_PEERCRED`. The executable comes from `/proc`, where a
/// number may be reused: with `SO_PEERPIDFD` (Linux 6.5) the process is shown to have lived while
/// it was read, without it ``isCertain`` is false.
struct Peer: Sendable, Hashable {
  var process: Int32
  var user: UInt32
  var group: UInt32
  /// Clock ticks since boot, field 22 of `/proc/PID/stat`.
  var startTime: UInt64?
  /// The path that the kernel gives for the executable.
  var executable: String?
  /// The executable's file.
  var file: FileIdentity?
  /// Whether the executable is shown to be this process's.
  var isCertain: Bool

  /// Reads who is at the other end of `descriptor`; nil where the kernel does not say.
  init?(descriptor: Int32) {
    // `struct ucred` needs _GNU_SOURCE and is not imported: pid, uid and gid, 32 bits each.
    var credentials: (Int32, UInt32, UInt32) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0,
      size == 12
    else { return nil }
    (process, user, group) = credentials
    executable = nil
    file = nil
    isCertain = false
    let handle = Self.processDescriptor(of: descriptor)
    defer { if handle >= 0 { close(handle) } }
    startTime = Self.startTime(of: process)
    readExecutable()
    let isSame = Self.startTime(of: process) == startTime
    isCertain = isSame && handle >= 0 && !Self.hasEnded(handle)
    if !isSame { forgetExecutable() }
  }

  /// This very process, as the kernel tells it of itself.
  static func own() -> Peer? {
    var ends: [Int32] = [-1, -1]
    guard unsafe socketpair(AF_UNIX, streamSocketType, 0, &ends) == 0 else { return nil }
    defer { for end in ends { close(end) } }
    return Peer(descriptor: ends[0])
  }

  /// Whether the process still runs the same executable as when this was read.
  var isUnchanged: Bool {
    var now = self
    now.readExecutable()
    return Self.startTime(of: process) == startTime && now.executable == executable
      && now.file == file
  }

  private mutating func readExecutable() {
    executable = try? FileManager.default.destinationOfSymbolicLink(
      atPath: "/proc/\(process)/exe")
    file = FileIdentity(path: "/proc/\(process)/exe")
  }

  private mutating func forgetExecutable() {
    executable = nil
    file = nil
  }

  private static func processDescriptor(of descriptor: Int32) -> Int32 {
    let peerPidDescriptor: Int32 = 77  // SO_PEERPIDFD, newer than the headers.
    var handle: Int32 = -1
    var size = socklen_t(MemoryLayout<Int32>.size)
    let status = unsafe getsockopt(descriptor, SOL_SOCKET, peerPidDescriptor, &handle, &size)
    return status == 0 ? handle : -1
  }

  private static func hasEnded(_ handle: Int32) -> Bool {
    var waiting = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&waiting, 1, 0) != 0
  }

  /// When `process` started, in clock ticks since boot; nil where there is no such process.
  static func startTime(of process: Int32) -> UInt64? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      // The second field is the name in parentheses, which may hold anything, also parentheses.
      let nameEnd = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: nameEnd)...].split(separator: " ")
    return fields.count > 19 ? UInt64(fields[19]) : nil
  }
}
