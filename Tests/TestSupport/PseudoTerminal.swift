import Foundation
import Glibc

/// A terminal of 24 rows and 80 columns with a program in its foreground, as a person would have it.
package final class PseudoTerminal {
  package enum Fault: Error {
    case notStarted(errno: Int32)
    case notTyped(errno: Int32)
  }

  /// What the program and the terminal have shown so far, escape sequences included.
  package private(set) var shown = ""
  private let master: Int32
  private let slave: Int32
  /// The program's process id.
  package let process: pid_t
  private var status: Int32?

  /// Starts a program whose controlling terminal this is; standard output may go elsewhere.
  package init(
    _ program: String, _ arguments: [String], environment: [String: String],
    outputPath: String? = nil
  ) throws {
    var (first, second): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    var name = [CChar](repeating: 0, count: 128)
    guard openpty(&first, &second, &name, nil, &size) == 0 else {
      throw Fault.notStarted(errno: errno)
    }
    (master, slave) = (first, second)
    for end in [first, second] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    // The first terminal that the leader of a new session opens becomes its controlling one.
    posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
    if let outputPath {
      posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT, 0o600)
    } else {
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
    }
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    // Tests run on threads that block signals, and a program would inherit that.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    // 0x80 is POSIX_SPAWN_SETSID, which glibc's header shows to GNU sources only.
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | 0x80
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var started: pid_t = 0
    let status = posix_spawn(&started, program, &actions, &attributes, &words, &variables)
    guard status == 0 else { throw Fault.notStarted(errno: status) }
    process = started
  }

  deinit {
    if status == nil {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    close(master)
    close(slave)
  }

  /// Types keys, all at once.
  package func type(_ keys: String) throws {
    let bytes = Array(keys.utf8)
    guard write(master, bytes, bytes.count) == bytes.count else {
      throw Fault.notTyped(errno: errno)
    }
  }

  /// Waits until the text has been shown, and returns whether it was.
  @discardableResult
  package func waits(for text: String, seconds: Double = 20) -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while Date() < end {
      if shown.contains(text) { return true }
      take(milliseconds: 50)
    }
    return shown.contains(text)
  }

  /// Lets time pass while the terminal goes on taking what is shown.
  package func rest(seconds: Double) {
    let end = Date().addingTimeInterval(seconds)
    while Date() < end { take(milliseconds: 20) }
  }

  /// Forgets what has been shown.
  package func forget() { shown = "" }

  /// Waits for the end and returns the exit status; a signal's number is negative, nil is too late.
  package func end(seconds: Double = 20) -> Int32? {
    let end = Date().addingTimeInterval(seconds)
    var raw: Int32 = 0
    while status == nil, Date() < end {
      take(milliseconds: 20)
      if waitpid(process, &raw, WNOHANG) == process {
        status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : -(raw & 0x7F)
      }
    }
    take(milliseconds: 50)
    return status
  }

  /// Sends the program a signal.
  package func signal(_ number: Int32) { kill(process, number) }

  /// The terminal's settings, to be compared before and after.
  package var settings: [UInt32] {
    // Allocated, because the compiler makes a variable of this type three bytes shorter than C does.
    let found = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    defer { found.deallocate() }
    tcgetattr(slave, found)
    return [
      found.pointee.c_iflag, found.pointee.c_oflag, found.pointee.c_lflag, found.pointee.c_cflag,
    ]
  }

  private func take(milliseconds: Int32) {
    var wait = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, milliseconds) > 0 else { return }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = read(master, &bytes, bytes.count)
    if count > 0 { shown += String(decoding: bytes.prefix(count), as: UTF8.self) }
  }
}
