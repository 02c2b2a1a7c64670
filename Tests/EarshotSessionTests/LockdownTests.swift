import Foundation
import Testing

@testable import EarshotSession

/// What opening `path` for reading comes to: 0 or errno.
private func reading(_ path: String) -> Int32 {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  defer { if file >= 0 { close(file) } }
  return file >= 0 ? 0 : errno
}

@Suite("A worker locks itself in")
struct LockdownTests {
  @Test("W8, L5: files: only what was named, and nothing can be written or started")
  func files() async {
    await #expect(processExitsWith: .success) {
      let allowed = "/tmp/earshot-lock-\(getpid())"
      try "facts".write(toFile: allowed, atomically: true, encoding: .utf8)
      defer { unlink(allowed) }
      // The rules bind the calling thread and what it starts, so all of it happens on one thread.
      let isBound = try Lockdown.restrictFiles(
        readable: [allowed, "/no/such"], devices: ["/dev/null"])
      guard isBound else { return }
      var faults: [String] = []
      if reading(allowed) != 0 { faults.append("the named file can't be read") }
      if reading("/etc/passwd") != EACCES { faults.append("/etc/passwd can be read") }
      if open(allowed, O_WRONLY) >= 0 { faults.append("the named file can be written") }
      if open("/tmp/earshot-lock-new", O_CREAT | O_WRONLY, 0o600) >= 0 {
        faults.append("a file can be made")
      }
      if open("/dev/null", O_RDWR) < 0 { faults.append("a named device can't be used") }
      var process: pid_t = 0
      var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
      if posix_spawn(&process, "/bin/true", nil, nil, &arguments, nil) == 0 {
        var status: Int32 = 0
        waitpid(process, &status, 0)
        if status == 0 { faults.append("a program can be started") }
      }
      for fault in faults { Issue.record("\(fault)") }
    }
  }

  @Test(
    "W8: calls: after the device is open nothing is opened, connected, started, made executable")
  func calls() async {
    await #expect(processExitsWith: .success) {
      var ends: [Int32] = [-1, -1]
      pipe(&ends)
      // A thread that is there before the lock is bound by it as well.
      let result = DispatchSemaphore(value: 0)
      let go = DispatchSemaphore(value: 0)
      let seen = Slot()
      Thread.detachNewThread {
        go.wait()
        seen.value = reading("/etc/passwd")
        result.signal()
      }
      usleep(50_000)
      try Lockdown.restrictCalls()
      go.signal()
      result.wait()
      var faults: [String] = []
      if seen.value != EPERM { faults.append("another thread opened a file") }
      if reading("/etc/passwd") != EPERM { faults.append("a file was opened") }
      if socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) >= 0 { faults.append("a socket was made") }
      if socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0 {
        faults.append("a net socket was made")
      }
      var process: pid_t = 0
      var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
      if posix_spawn(&process, "/bin/true", nil, nil, &arguments, nil) == 0 {
        faults.append("a program was started")
      }
      let page = mmap(nil, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      if page != MAP_FAILED { faults.append("executable memory was made") }
      let plain = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      if plain == MAP_FAILED { faults.append("memory can't be had") }
      var byte: UInt8 = 7
      if write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1 {
        faults.append("an open descriptor can't be used")
      }
      var facts = stat()
      if fstat(ends[0], &facts) != 0 { faults.append("an open descriptor can't be asked") }
      if stat("/etc/passwd", &facts) == 0 { faults.append("a file was asked by its name") }
      for fault in faults { Issue.record("\(fault)") }
    }
  }

  @Test("L5: no core file and no look into the memory")
  func traces() async {
    await #expect(processExitsWith: .success) {
      try Lockdown.leaveNoTrace()
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(4), &limit)
      if limit.rlim_cur != 0 || limit.rlim_max != 0 { Issue.record("a core file could be left") }
      // A process that is not dumpable belongs to root in /proc.
      var facts = stat()
      stat("/proc/self/mem", &facts)
      if facts.st_uid != 0 { Issue.record("the memory could be read") }
    }
  }

  @Test("a socket made by another process than the parent is refused")
  func parents() throws {
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    // This process made the socket itself, and is not its own parent.
    #expect(throws: Lockdown.Fault(code: ESRCH)) { try Lockdown.checkParent(socket: ends[0]) }
  }
}

/// A number that one thread leaves for another.
private final class Slot: @unchecked Sendable {
  // SAFETY: written before a semaphore is signalled and read after it was waited for.
  var value: Int32 = 0
}
