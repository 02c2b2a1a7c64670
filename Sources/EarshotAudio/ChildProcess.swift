internal import CSndfile
import Glibc

/// A decoder program with its standard output and error on pipes, ended with its owner.
///
/// No shell is involved. The program finds the sound on descriptor 3, or on its standard input when
/// the sound itself is a pipe; otherwise its standard input is empty. It runs in its own process
/// group with bounded memory, may write no file, and leaves no core.
@safe final class ChildProcess {
  let output: OwnedDescriptor
  let errors: OwnedDescriptor
  private let identifier: pid_t
  private var exitStatus: Int32?

  /// The most memory the program may map, in bytes.
  private static let addressSpaceMax: rlim_t = 4 << 30

  /// Starts the program; nil when it isn't installed.
  init?(_ arguments: [String], input: borrowing OwnedDescriptor, isStandardInput: Bool)
    throws(AudioError)
  {
    let outputs = try PipeEnds()
    let messages = try PipeEnds()
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, outputs.write.number, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, messages.write.number, 2)
    if isStandardInput {
      unsafe posix_spawn_file_actions_adddup2(&actions, input.number, 0)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      unsafe posix_spawn_file_actions_adddup2(&actions, input.number, 3)
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var child: pid_t = 0
    let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
    let environment = ["PATH=\(path)", "LC_ALL=C", "AV_LOG_FORCE_NOCOLOR=1"]
    let status = unsafe Self.withStrings(arguments) { argv in
      unsafe Self.withStrings(environment) { envp in
        unsafe posix_spawnp(&child, arguments[0], &actions, &attributes, argv, envp)
      }
    }
    guard status == 0 else {
      if status == ENOENT || status == EACCES { return nil }
      throw .unreadable(errno: status)
    }
    identifier = child
    output = try OwnedDescriptor(duplicating: outputs.read.number)
    errors = try OwnedDescriptor(duplicating: messages.read.number)
    Self.limit(child, RLIMIT_AS, to: Self.addressSpaceMax)
    Self.limit(child, RLIMIT_FSIZE, to: 0)
    Self.limit(child, RLIMIT_CORE, to: 0)
  }

  deinit { _ = end() }

  /// Ends the program if it still runs, and returns how it ended, as `waitpid` says it.
  func end() -> Int32 {
    if let exitStatus { return exitStatus }
    kill(identifier, SIGKILL)
    return wait()
  }

  /// Waits for the program, which has closed its output, and returns how it ended.
  func wait() -> Int32 {
    if let exitStatus { return exitStatus }
    var status: Int32 = 0
    while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    exitStatus = status
    return status
  }

  private static func limit(_ process: pid_t, _ resource: __rlimit_resource, to most: rlim_t) {
    var limit = rlimit(rlim_cur: most, rlim_max: most)
    unsafe prlimit(process, Int32(resource.rawValue), &limit, nil)
  }

  /// Hands `body` the strings as the null-ended array that starting a program takes.
  private static func withStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers = unsafe strings.map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    return unsafe pointers.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("the array is not empty") }
      return unsafe body(base)
    }
  }
}

/// The two ends of a new pipe, closed when programs are started.
private struct PipeEnds: ~Copyable {
  let read: OwnedDescriptor
  let write: OwnedDescriptor

  init() throws(AudioError) {
    var ends: [Int32] = [-1, -1]
    // Closed from the first moment on: a program that another thread starts meanwhile would keep the
    // writing end open, and its reader would wait for an end that doesn't come.
    guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { throw .unreadable(errno: errno) }
    // High numbers can't collide with the numbers that a child is given.
    let first = OwnedDescriptor(taking: ends[0])
    let second = OwnedDescriptor(taking: ends[1])
    let high = try OwnedDescriptor(duplicating: first.number)
    write = try OwnedDescriptor(duplicating: second.number)
    read = high
  }
}
