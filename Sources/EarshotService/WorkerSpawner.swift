internal import Foundation
internal import Glibc
internal import Synchronization

/// Starts workers from one thread that never ends.
///
/// A worker asks the kernel to be killed with its parent, and to the kernel the parent is the
/// *thread* that spawned it (`PR_SET_PDEATHSIG`): a thread of a pool that went away would take a
/// listening with it.
final class WorkerSpawner: Sendable {
  /// What one spawn came to.
  typealias Spawned = Result<WorkerHandle, ServiceError>

  private struct Order {
    var role: String
    var done: @Sendable (Spawned) -> Void
  }

  private let orders = Mutex<[Order]>([])
  private let waiting = DispatchSemaphore(value: 0)

  /// Starts the thread.
  func start() {
    Thread.detachNewThread { [self] in
      while true {
        waiting.wait()
        guard let order = orders.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
        order.done(Self.spawn(role: order.role))
      }
    }
  }

  /// Starts a worker in `role` and waits for it to exist.
  ///
  /// - Throws: ``ServiceError/workerNotStarted(code:)``.
  func spawn(role: String) throws(ServiceError) -> WorkerLink {
    let finished = DispatchSemaphore(value: 0)
    let slot = SpawnSlot()
    let order = Order(role: role) { result in
      slot.result.withLock { $0 = result }
      finished.signal()
    }
    orders.withLock { $0.append(order) }
    waiting.signal()
    // Spawning ends as soon as the program is loaded, so this wait is as short as that.
    finished.wait()
    guard let result = slot.result.withLock({ $0 }) else { throw .workerNotStarted(code: EAGAIN) }
    return WorkerLink(try result.get())
  }

  private final class SpawnSlot: Sendable {
    let result = Mutex<Spawned?>(nil)
  }

  private static func spawn(role: String) -> Spawned {
    var ends: [Int32] = [-1, -1]
    guard unsafe socketpair(AF_UNIX, streamSocketType, 0, &ends) == 0 else {
      return .failure(.workerNotStarted(code: errno))
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    defer { close(ends[1]) }
    var process: pid_t = 0
    let code = launch(role: role, socket: ends[1], process: &process)
    guard code == 0 else {
      close(ends[0])
      return .failure(.workerNotStarted(code: code))
    }
    return .success(WorkerHandle(process: process, socket: ends[0]))
  }

  private static func launch(role: String, socket: Int32, process: inout pid_t) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    // A worker has nothing to read from or print to but its socket and the daemon's log.
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, socket, 3)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The daemon blocks the signals that stop it; a worker must start with none blocked.
    var none = sigset_t()
    var all = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let arguments = CStrings(["earshotd", "--worker", role])
    let environment = CStrings(environmentForWorkers())
    return unsafe posix_spawn(
      &process, "/proc/self/exe", &actions, &attributes, arguments.pointers, environment.pointers)
  }

  /// The daemon's environment without what systemd means for the daemon alone, and with Swift's crash
  /// reporter off: a worker that breaks must leave no picture of its memory (rule L5).
  private static func environmentForWorkers() -> [String] {
    ProcessInfo.processInfo.environment
      .filter { !$0.key.hasPrefix("LISTEN_") && !$0.key.hasPrefix("WATCHDOG_") }
      .filter { $0.key != "NOTIFY_SOCKET" && $0.key != "SWIFT_BACKTRACE" }
      .map { "\($0.key)=\($0.value)" } + ["SWIFT_BACKTRACE=enable=no"]
  }
}
