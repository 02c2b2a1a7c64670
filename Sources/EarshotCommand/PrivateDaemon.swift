internal import EarshotClient
internal import Foundation

/// A daemon that was started for this one command, where none runs.
///
/// It is started from the command's own folder, in a process group of its own so that Ctrl-C reaches
/// it only through us, and ends when its standard input does: also when this program is killed.
final class PrivateDaemon {
  /// Where it listens.
  let socket: String
  private let folder: String
  private let process: pid_t
  private var input: Int32
  private let messages: Int32

  /// How long a daemon may take to answer its first request, in seconds.
  private static let startSeconds = 10.0
  /// How long it may take to end before it is ended, in seconds.
  private static let endSeconds = 4.0

  /// Starts it; it may not answer yet.
  ///
  /// - Parameter extra: what its command line says besides.
  init(extra: [String] = []) throws(CommandError) {
    let program = try PrivateDaemon.program()
    folder = try PrivateDaemon.makeFolder()
    socket = folder + "/socket"
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw .stream(errno: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    input = ends[1]
    // A file without a name: it goes with the last of the two programs.
    let name = folder + "/messages"
    messages = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    _ = unsafe unlink(name)
    let started = PrivateDaemon.spawn(
      [program, "--private", "--socket", socket] + extra, input: ends[0], errors: messages)
    close(ends[0])
    guard case .success(let process) = started else {
      close(ends[1])
      if messages >= 0 { close(messages) }
      _ = unsafe rmdir(folder)
      if case .failure(let error) = started { throw error }
      throw .file(path: Array(program.utf8), errno: EIO)
    }
    self.process = process
  }

  deinit { stop() }

  /// Waits until it answers.
  func waitUntilReady(_ client: DaemonClient) throws(CommandError) {
    let deadline = ProcessInfo.processInfo.systemUptime + PrivateDaemon.startSeconds
    while ProcessInfo.processInfo.systemUptime < deadline {
      if (try? client.status()) != nil { return }
      if Interruption.isRequested { throw .explained(DaemonText.interrupted, .cancelled) }
      var status: Int32 = 0
      if unsafe waitpid(process, &status, WNOHANG) != 0 { break }
      usleep(10_000)
    }
    let said = words()
    stop()
    throw .explained(DaemonText.notStarted(said), .error)
  }

  /// Ends it, which closes the microphone, and waits for its end.
  func stop() {
    guard input >= 0 else { return }
    close(input)
    input = -1
    for signal in [nil, SIGTERM, SIGKILL] as [Int32?] {
      if let signal { kill(process, signal) }
      if hasEnded(within: PrivateDaemon.endSeconds) { break }
    }
    if messages >= 0 { close(messages) }
    unsafe unlink(socket)
    unsafe rmdir(folder)
  }

  private func hasEnded(within seconds: Double) -> Bool {
    let deadline = ProcessInfo.processInfo.systemUptime + seconds
    var status: Int32 = 0
    while ProcessInfo.processInfo.systemUptime < deadline {
      if unsafe waitpid(process, &status, WNOHANG) != 0 { return true }
      usleep(5_000)
    }
    return false
  }

  /// The end of what it wrote to standard error.
  private func words() -> String {
    guard messages >= 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: 2000)
    let size = lseek(messages, 0, SEEK_END)
    let count = unsafe pread(messages, &bytes, bytes.count, max(0, size - bytes.count))
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// The daemon's program beside our own.
  static func program() throws(CommandError) -> String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let path = (own as NSString).deletingLastPathComponent + "/earshotd"
    guard unsafe access(path, X_OK) == 0 else {
      throw .explained(DaemonText.noProgram(path), .error)
    }
    return path
  }

  /// A folder that only this person can enter, in the runtime folder where that is theirs.
  private static func makeFolder() throws(CommandError) -> String {
    let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? ""
    var facts = stat()
    let isOurs =
      unsafe !runtime.isEmpty && runtime.utf8.count < 60 && stat(runtime, &facts) == 0
      && facts.st_uid == getuid() && access(runtime, W_OK) == 0
    // A socket's path is short, so a long name of the environment's can't be taken.
    return try PrivateFolder.make("earshot", in: isOurs ? runtime : "/tmp")
  }

  private static func spawn(
    _ arguments: [String], input: Int32, errors: Int32
  ) -> Result<pid_t, CommandError> {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    if errors >= 0 { unsafe posix_spawn_file_actions_adddup2(&actions, errors, 2) }
    var usual = sigset_t()
    unsafe sigfillset(&usual)
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var process: pid_t = 0
    let status = unsafe posix_spawn(
      &process, arguments[0], &actions, &attributes, &words, environ)
    return status == 0
      ? .success(process) : .failure(.file(path: Array(arguments[0].utf8), errno: status))
  }
}
