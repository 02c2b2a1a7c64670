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
    let link = "/proc/\(process)/exe"
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(link, &bytes, bytes.count)
    let path = bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    executable = count > 0 ? String(decoding: path, as: UTF8.self) : nil
    file = FileIdentity(path: link)
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
  static func startTime(of process: Int32) -> UInt64? { ProcessFacts(process)?.startTime }
}

/// What `/proc/PID/stat` says of a process, read without a text in between: every request does it.
struct ProcessFacts: Sendable, Hashable {
  /// `R`, `S`, `T` and the other letters of proc(5).
  var state: UInt8
  /// Clock ticks since boot.
  var startTime: UInt64

  /// Nil where there is no such process.
  init?(_ process: Int32) {
    let descriptor = unsafe open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    self.init(parsing: bytes.prefix(max(0, count)))
  }

  /// Reads the line's bytes: field 3 is the state, field 22 the start.
  init?(parsing line: ArraySlice<UInt8>) {
    // The second field is the name in parentheses, which may hold anything, also parentheses.
    guard let nameEnd = line.lastIndex(of: UInt8(ascii: ")")), nameEnd + 2 < line.endIndex else {
      return nil
    }
    state = line[nameEnd + 2]
    var field = 2
    var number: UInt64?
    for byte in line[(nameEnd + 1)...] {
      if byte == UInt8(ascii: " ") {
        if field == 22 { break }
        field += 1
      } else if field == 22 {
        guard byte >= 0x30, byte <= 0x39 else { return nil }
        number = (number ?? 0) &* 10 &+ UInt64(byte - 0x30)
      }
    }
    guard field == 22, let number else { return nil }
    startTime = number
  }

  /// Whether the process was stopped by Ctrl-Z or a signal, and so shows nothing. One that is looked
  /// at by a tracer stops and goes on all the time, and is not meant.
  var isStopped: Bool { state == UInt8(ascii: "T") }
}
