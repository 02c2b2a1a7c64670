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
    var sound: Int32?
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
        order.done(Self.spawn(role: order.role, sound: order.sound))
      }
    }
  }

  /// Starts a worker in `role` and waits for it to exist; `sound` is what it reads sound from.
  ///
  /// - Throws: ``ServiceError/workerNotStarted(code:)``.
  func spawn(role: String, sound: Int32? = nil) throws(ServiceError) -> WorkerLink {
    let finished = DispatchSemaphore(value: 0)
    let slot = SpawnSlot()
    let order = Order(role: role, sound: sound) { result in
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

  private static func spawn(role: String, sound: Int32?) -> Spawned {
    var ends: [Int32] = [-1, -1]
    guard unsafe socketpair(AF_UNIX, streamSocketType, 0, &ends) == 0 else {
      return .failure(.workerNotStarted(code: errno))
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    defer { close(ends[1]) }
    // A worker has nothing to read from or print to but its socket, the sound that arrives for it,
    // and the daemon's log.
    var program = ProgramStart(
      path: "/proc/self/exe", words: ["earshotd", "--worker", role],
      environment: environmentForWorkers(), descriptors: [(number: 3, given: ends[1])])
    if let sound { program.descriptors.append((number: 4, given: sound)) }
    do throws(ProgramStart.Fault) {
      return .success(WorkerHandle(process: try program.start(), socket: ends[0]))
    } catch {
      close(ends[0])
      return .failure(.workerNotStarted(code: error.code))
    }
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
