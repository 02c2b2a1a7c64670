internal import CALSA
internal import Glibc
internal import Synchronization

/// Keeps a deadline on calls that can hang for ever, by cutting the connection that they wait on.
///
/// The ALSA plugins of sound servers wait without a limit, non-blocking mode or not. Their waits end at
/// once when the connection breaks, so a thread of this type's own shuts the sockets down when a
/// step's time is over, and the call comes back with an error. Sockets of others are left alone: only
/// those connected to one of `serverPaths` are cut or, where the server is not known, named
/// stream sockets that were opened after the guard was made.
final class StepGuard: Sendable {
  private let deadline = Atomic<UInt64>(0)
  private let hasCut = Atomic<Bool>(false)
  private let isStopping = Atomic<Bool>(false)
  private let wakeReading: Int32
  private let wakeWriting: Int32
  private let serverPaths: Mutex<[String]>
  private let olderDescriptors: Set<Int32>
  private let thread = Mutex<pthread_t?>(nil)

  /// Descriptors looked at when a connection is cut; a worker has a dozen.
  private static let descriptorLimit: Int32 = 256

  /// A guard that wakes this much too late was kept from running, as was all else of the process.
  private static let lateNanoseconds: UInt64 = 60_000_000
  /// What a step gets when the process was kept from running: time to take what has come meanwhile.
  private static let graceNanoseconds: UInt64 = 120_000_000

  /// Starts the guard's thread. The guard is idle until it is armed.
  init(serverPaths: [String]) {
    self.serverPaths = Mutex(serverPaths)
    var ends: [Int32] = [-1, -1]
    _ = unsafe pipe(&ends)
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (wakeReading, wakeWriting) = (ends[0], ends[1])
    olderDescriptors = Set((0..<Self.descriptorLimit).filter { fcntl($0, F_GETFD) != -1 })
    var started = pthread_t()
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    let status = unsafe pthread_create(&started, nil, runGuard, context)
    guard status == 0 else {
      unsafe Unmanaged<StepGuard>.fromOpaque(context).release()
      return
    }
    thread.withLock { $0 = started }
  }

  /// Names the sockets that may be cut from now on; none means the named ones opened since.
  func cutOnly(_ paths: [String]) { serverPaths.withLock { $0 = paths } }

  /// Gives the calls from now on this many milliseconds. A later deadline replaces an earlier one
  /// without waking the thread, so that arming again and again costs one store.
  func arm(milliseconds: Int) {
    let new = MonotonicClock.nanoseconds() + UInt64(milliseconds) * 1_000_000
    let old = deadline.exchange(new, ordering: .sequentiallyConsistent)
    if old == 0 || new < old { kick() }
  }

  /// Ends the deadline, and says whether the connection had to be cut since the guard was made.
  @discardableResult func disarm() -> Bool {
    deadline.store(0, ordering: .sequentiallyConsistent)
    return hasCut.load(ordering: .sequentiallyConsistent)
  }

  /// Whether the connection had to be cut.
  var didCut: Bool { hasCut.load(ordering: .sequentiallyConsistent) }

  /// Ends the thread and waits for it, which takes no longer than waking it up.
  func stop() {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    kick()
    let started = thread.withLock { slot in
      defer { slot = nil }
      return slot
    }
    if let started { _ = pthread_join(started, nil) }
  }

  /// Whether deadlines are kept: false where the system gave no thread or no pipe.
  var isRunning: Bool { wakeReading >= 0 && thread.withLock { $0 != nil } }

  deinit {
    if wakeReading >= 0 { close(wakeReading) }
    if wakeWriting >= 0 { close(wakeWriting) }
  }

  /// The thread's work: sleep until the deadline or a change, and cut when the time is over.
  fileprivate func run() {
    // The deadline that was put off already: a step gets its grace once.
    var putOff: UInt64 = 0
    while !isStopping.load(ordering: .sequentiallyConsistent) {
      let until = deadline.load(ordering: .sequentiallyConsistent)
      let now = MonotonicClock.nanoseconds()
      if until != 0 && until != putOff && now >= until + Self.lateNanoseconds {
        // The sound server may have answered long ago: on a machine that is out of breath, or after
        // a stop, it is this process that was late.
        putOff = now + Self.graceNanoseconds
        _ = deadline.compareExchange(
          expected: until, desired: putOff, ordering: .sequentiallyConsistent)
        continue
      }
      if until != 0 && now >= until {
        // Only the deadline that was seen to pass is spent; one that was moved meanwhile stays.
        let spent = deadline.compareExchange(
          expected: until, desired: 0, ordering: .sequentiallyConsistent)
        if spent.exchanged {
          hasCut.store(true, ordering: .sequentiallyConsistent)
          cut()
        }
        continue
      }
      var waited = pollfd(fd: wakeReading, events: Int16(POLLIN), revents: 0)
      let milliseconds = until == 0 ? -1 : Int32(clamping: (until - now) / 1_000_000 + 1)
      _ = unsafe poll(&waited, 1, milliseconds)
      var kicks: [4 of UInt64] = [0, 0, 0, 0]
      _ = unsafe read(wakeReading, &kicks, 32)
    }
  }

  private func kick() {
    // A full pipe already holds enough kicks to wake the thread.
    var kick: UInt8 = 1
    _ = unsafe write(wakeWriting, &kick, 1)
  }

  private func cut() {
    let serverPaths = serverPaths.withLock { $0 }
    for descriptor in 3..<Self.descriptorLimit {
      guard let peer = Self.peerPath(of: descriptor), !peer.isEmpty else { continue }
      let isMeant =
        serverPaths.isEmpty
        ? !olderDescriptors.contains(descriptor)
        : serverPaths.contains(peer)
      if isMeant { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// The path that a Unix stream socket is connected to; `nil` for every other descriptor.
  private static func peerPath(of descriptor: Int32) -> String? {
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe getpeername(descriptor, generic, &size)
      }
    }
    guard status == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
    return unsafe withUnsafeBytes(of: &address.sun_path) { path in
      let used = max(0, Int(size) - MemoryLayout<sa_family_t>.size)
      // An abstract name begins with a zero byte, which stays in front so that it is no path.
      let bytes = unsafe path.prefix(used)
      let isAbstract = unsafe bytes.first == 0
      let name = unsafe isAbstract ? Array(bytes) : Array(bytes.prefix { $0 != 0 })
      return String(decoding: name, as: UTF8.self)
    }
  }
}

/// The entry of the guard's thread.
private func runGuard(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context = unsafe context else { return nil }
  unsafe Unmanaged<StepGuard>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
