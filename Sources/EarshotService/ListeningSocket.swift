internal import EarshotClient
internal import Glibc

/// The Unix socket that the daemon serves on, and the lock that makes it the only one.
struct ListeningSocket: ~Copyable {
  let descriptor: Int32
  /// The path to remove at the end; nil where systemd owns the socket.
  private let path: String?
  private let identity: FileIdentity?

  /// The socket that systemd hands over, or one bound to `path`.
  static func open(_ path: String) throws(ServiceError) -> ListeningSocket {
    if let activated = try activated() { return activated }
    return try bound(to: path)
  }

  /// Takes the socket that systemd hands over; nil where it hands over none.
  ///
  /// - Throws: ``ServiceError/socket(call:code:)`` where it hands over something else.
  static func activated() throws(ServiceError) -> ListeningSocket? {
    let sockets = InheritedSockets.all
    guard !sockets.hasStranger else { throw .socket(call: "sd_listen_fds", code: EINVAL) }
    return sockets.api.map { ListeningSocket(descriptor: $0, path: nil) }
  }

  /// Binds `path`, with rights for the owner alone, after making sure that nobody serves there.
  ///
  /// A socket that a killed daemon left behind refuses connections and is removed; one that
  /// answers belongs to another daemon.
  ///
  /// - Throws: ``ServiceError/anotherDaemon(process:)``,
  ///   ``ServiceError/socketPathTooLong(length:limit:)``,
  ///   ``ServiceError/unusableFile(role:code:)``, ``ServiceError/foreignFile(role:owner:)``,
  ///   ``ServiceError/socket(call:code:)``.
  static func bound(to path: String) throws(ServiceError) -> ListeningSocket {
    guard path.utf8.count <= DaemonClient.socketPathLimit else {
      throw .socketPathTooLong(length: path.utf8.count, limit: DaemonClient.socketPathLimit)
    }
    try Folders.makePrivate(Folders.parent(of: path), role: "socket's folder")
    try removeIfStale(path)
    let descriptor = try makeSocket()
    var address = self.address(of: path)
    // The rights count from the first moment: chmod after bind would leave a gap.
    let mask = umask(0o177)
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    let code = errno
    umask(mask)
    guard status == 0 else {
      close(descriptor)
      throw code == EADDRINUSE ? .anotherDaemon(process: 0) : .socket(call: "bind", code: code)
    }
    guard listen(descriptor, Int32(ServiceLimits.backlog)) == 0 else {
      let code = errno
      close(descriptor)
      throw .socket(call: "listen", code: code)
    }
    return ListeningSocket(descriptor: descriptor, path: path)
  }

  private init(descriptor: Int32, path: String?) {
    self.descriptor = descriptor
    self.path = path
    identity = path.flatMap { FileIdentity(path: $0) }
  }

  deinit {
    close(descriptor)
    // Only the own socket is removed, never one that another daemon has put there meanwhile.
    if let path, let identity, FileIdentity(path: path) == identity { unsafe unlink(path) }
  }

  private static func makeSocket() throws(ServiceError) -> Int32 {
    let descriptor = socket(AF_UNIX, streamSocketType, 0)
    guard descriptor >= 0 else { throw .socket(call: "socket", code: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    return descriptor
  }

  private static func removeIfStale(_ path: String) throws(ServiceError) {
    var facts = stat()
    guard unsafe lstat(path, &facts) == 0 else { return }
    guard facts.st_mode & S_IFMT == S_IFSOCK else {
      throw .unusableFile(role: "socket", code: EEXIST)
    }
    let descriptor = try makeSocket()
    defer { close(descriptor) }
    var address = self.address(of: path)
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    // A full backlog (EAGAIN) is an answer too: somebody listens.
    if status == 0 || errno == EAGAIN || errno == EINPROGRESS {
      throw .anotherDaemon(process: Peer(descriptor: descriptor)?.process ?? 0)
    }
    guard errno == ECONNREFUSED else { throw .unusableFile(role: "socket", code: errno) }
    guard unsafe unlink(path) == 0 else { throw .unusableFile(role: "socket", code: errno) }
  }

  private static func address(of path: String) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    return address
  }
}

/// `SOCK_STREAM` as the number that C calls take.
let streamSocketType = Int32(SOCK_STREAM.rawValue)
