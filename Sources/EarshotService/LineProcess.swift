internal import Foundation
internal import Glibc

/// Runs a program of the system's and hands on its lines; the environment is the daemon's own.
enum LineProcess {
  /// Runs it to its end and calls `take` for each line, on the calling thread; false where it could
  /// not be started. It is told to end when `take` returns false.
  static func run(_ program: String, _ arguments: [String], take: (String) -> Bool) -> Bool {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return false }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var process: pid_t = 0
    let status = launch(program, arguments, output: ends[1], &process)
    close(ends[1])
    defer { close(ends[0]) }
    guard status == 0 else { return false }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    reading: while true {
      let count = unsafe read(ends[0], &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      // A line is short; what goes on for ever is none.
      guard count > 0, bytes.count < 64 << 10 else { break }
      bytes += piece[..<count]
      while let end = bytes.firstIndex(of: 0x0A) {
        let line = String(decoding: bytes[..<end], as: UTF8.self)
        bytes.removeSubrange(...end)
        if !take(line) { break reading }
      }
    }
    kill(process, SIGTERM)
    var end: Int32 = 0
    while unsafe waitpid(process, &end, 0) < 0 && errno == EINTR {}
    return true
  }

  private static func launch(
    _ program: String, _ arguments: [String], output: Int32, _ process: inout pid_t
  ) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
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
    let words = CStrings([program] + arguments)
    let variables = CStrings(
      ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" })
    return unsafe posix_spawn(
      &process, program, &actions, &attributes, words.pointers, variables.pointers)
  }
}
