internal import Glibc

/// The files that a ledger consists of.
struct LedgerFolder: Sendable {
  let path: String

  var database: String { path + "/ledger.sqlite" }
  var head: String { path + "/ledger.head" }
  var lock: String { path + "/ledger.lock" }

  /// Makes the folder and its missing parents, for the owner alone, and syncs them.
  func make() throws(LedgerError) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      let parent = made.isEmpty ? "/" : made
      made += "/\(part)"
      if unsafe mkdir(made, 0o700) == 0 {
        try Self.sync(folder: parent)
      } else if errno != EEXIST {
        // A read-only parent refuses to make what is there already; only what isn't there matters.
        let cause = errno
        var facts = stat()
        guard unsafe stat(made, &facts) == 0 else { throw .folder(errno: cause) }
      }
    }
  }

  /// Makes what was created or renamed in a folder survive a power cut.
  static func sync(folder: String) throws(LedgerError) {
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .folder(errno: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .folder(errno: errno) }
  }
}

/// The lock that one writer holds for as long as it lives; the kernel drops it with the process.
struct LedgerLock: ~Copyable {
  private let descriptor: Int32

  init(at path: String) throws(LedgerError) {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .folder(errno: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let cause = errno
      close(descriptor)
      throw cause == EWOULDBLOCK ? .inUse : .folder(errno: cause)
    }
    self.descriptor = descriptor
  }

  deinit {
    // Unlocked by name: a process that is just being started holds a copy until it runs its own program.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
