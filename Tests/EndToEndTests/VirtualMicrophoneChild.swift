import Foundation

/// A child process that ends with the test, even when the test's own process is killed.
///
/// A small shell starts the program and waits on a socket; when the other end goes, because the test
/// let go of it or is gone, the shell ends the program and itself. Descriptors are made closed on
/// exec in one step, so that tests running beside one another inherit nothing from each other.
final class Child: @unchecked Sendable {
  // SAFETY: what changes is guarded by the lock.
  enum Fault: Error {
    case notStarted(errno: Int32)
  }

  /// The program's own process id.
  let process: Int32
  /// Where its standard output can be read, when it is kept; -1 otherwise.
  let outputDescriptor: Int32

  private let shell: Int32
  private let lock = NSLock()
  private var life: Int32
  private var status: Int32?

  private static let script = """
    exec 5<&0
    "$@" </dev/null 3>&- 5<&- & child=$!
    echo "$child" >&3; exec 3>&-
    { read -r line <&5; kill -9 "$child"; } </dev/null >/dev/null 2>&1 & watch=$!
    exec 5<&-
    wait "$child"; status=$?
    kill -9 "$watch" 2>/dev/null
    exit "$status"
    """

  /// Starts `words`, looking the program up in PATH.
  ///
  /// - Parameter descriptors: further descriptors for the program, by their number in it; 3 and 5
  ///   belong to the shell.
  init(
    _ words: [String], environment: [String: String], keepsOutput: Bool = false,
    isQuiet: Bool = true
  ) throws {
    let (lifeHere, lifeThere) = try Self.pair()
    let (announcementHere, announcementThere) = try Self.pair()
    let output = keepsOutput ? try Self.pair() : (-1, -1)
    defer {
      close(lifeThere)
      close(announcementThere)
      close(announcementHere)
      if keepsOutput { close(output.1) }
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, lifeThere, 0)
    if keepsOutput {
      posix_spawn_file_actions_adddup2(&actions, output.1, 1)
    } else {
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
    if isQuiet { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
    posix_spawn_file_actions_adddup2(&actions, announcementThere, 3)
    shell = try Self.spawn(
      ["/bin/sh", "-c", Self.script, "sh"] + words, environment: environment, actions: &actions)
    life = lifeHere
    outputDescriptor = output.0
    process = Self.readNumber(from: announcementHere)
  }

  deinit {
    end()
    if outputDescriptor >= 0 { close(outputDescriptor) }
  }

  /// Everything the program writes, until its end.
  func output() -> String {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(outputDescriptor, &part, part.count)
      if count <= 0 { break }
      bytes += part[0..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Waits for the program's end; its status, or 128 and the signal.
  @discardableResult func waitForEnd() -> Int32 {
    lock.lock()
    defer { lock.unlock() }
    if let status { return status }
    var raw: Int32 = 0
    while waitpid(shell, &raw, 0) < 0 && errno == EINTR {}
    let ended = raw & 0x7f == 0 ? (raw >> 8) & 0xff : 128 + (raw & 0x7f)
    status = ended
    return ended
  }

  /// Ends the program with SIGKILL and waits for it.
  func end() {
    lock.lock()
    if life >= 0 { close(life) }
    life = -1
    lock.unlock()
    waitForEnd()
  }

  /// Sends a signal to the program.
  func signal(_ number: Int32) { kill(process, number) }

  private static func pair() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Fault.notStarted(errno: errno) }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ words: [String], environment: [String: String], actions: inout posix_spawn_file_actions_t
  ) throws -> Int32 {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    // The test runner blocks SIGCHLD, and a shell that inherits that waits for ever.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var made: pid_t = 0
    let status = posix_spawn(&made, words[0], &actions, &attributes, &arguments, &variables)
    guard status == 0 else { throw Fault.notStarted(errno: status) }
    return made
  }

  private static func readNumber(from descriptor: Int32) -> Int32 {
    var text = ""
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
      text.append(Character(UnicodeScalar(byte)))
    }
    return Int32(text) ?? 0
  }
}
