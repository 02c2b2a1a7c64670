internal import Glibc

/// How a program is started: by its path, with just the descriptors that are named, and with no signal
/// blocked or ignored, whatever the daemon's own thread does with them.
struct ProgramStart {
  /// Why a program could not be started, as a positive errno.
  struct Fault: Error, Hashable {
    let code: Int32
  }

  let path: String
  /// The program's words, its own name first.
  let words: [String]
  /// `NAME=VALUE` each.
  let environment: [String]
  /// What the program gets, by its own number for it. Standard input is empty, and standard output
  /// leads nowhere, unless they stand here.
  var descriptors: [(number: Int32, given: Int32)] = []
  /// Whether its standard error leads nowhere as well.
  var isQuiet = false

  /// Numbers below this one may be meant for the program, so what is given stands above them.
  private static let given: Int32 = 16

  /// Starts it; its process.
  func start() throws(Fault) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    if isQuiet { unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
    var copies: [Int32] = []
    defer { for copy in copies { close(copy) } }
    for (number, given) in descriptors {
      // A copy far up: one that has another's number for its own would be written over before its turn.
      let copy = fcntl(given, F_DUPFD_CLOEXEC, Self.given)
      guard copy >= 0 else { throw Fault(code: errno) }
      copies.append(copy)
      unsafe posix_spawn_file_actions_adddup2(&actions, copy, number)
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let words = CStrings(words)
    let variables = CStrings(environment)
    var process: pid_t = 0
    let code = unsafe posix_spawn(
      &process, path, &actions, &attributes, words.pointers, variables.pointers)
    guard code == 0 else { throw Fault(code: code) }
    return process
  }
}

/// A program that was started to be read.
final class StartedProgram: Sendable {
  let process: pid_t
  private let output: Int32

  /// What is read of one program at most, in bytes: what goes on for ever is no answer.
  static let byteCountMax = 64 << 10

  /// Starts it with a pipe for its standard output.
  init(_ program: ProgramStart) throws(ProgramStart.Fault) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw ProgramStart.Fault(code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    var program = program
    program.descriptors.append((number: STDOUT_FILENO, given: ends[1]))
    do throws(ProgramStart.Fault) {
      process = try program.start()
    } catch {
      close(ends[0])
      throw error
    }
    output = ends[0]
  }

  deinit { close(output) }

  /// What it has printed since, waiting for it; empty once it has closed its output.
  func nextPiece() -> [UInt8] {
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe read(output, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      return Array(piece[..<max(0, count)])
    }
  }
}

/// Waits for a child's end; its status, or 128 and the signal that ended it.
@discardableResult func reapProcess(_ process: pid_t) -> Int32 {
  var status: Int32 = 0
  while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
  return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
}
