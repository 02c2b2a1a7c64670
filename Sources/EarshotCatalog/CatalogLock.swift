import Glibc

/// The right to replace an existing catalog, held by one process at a time.
///
/// The lock is on the file that stands under the name, so it needs no file of its own and the
/// kernel gives it back when the holder ends, however it ends. Replacing the catalog ends the lock
/// of whoever waits for the old file: they look again. Reading needs no lock. On a network file system
/// the server keeps it, where it can; where nobody can, that is an error and never passed over.
public struct CatalogLock: ~Copyable {
  private let descriptor: Int32

  /// Waits up to `patienceMilliseconds` for the right to replace the catalog at `path`.
  ///
  /// `whenWaiting` is called once, when half a second has passed, with the holder's process number where
  /// the system tells it. Throws `beingChanged` with that number, `notLockable` where the file system
  /// has no locks, and `unreadable` when there is no such catalog.
  public init(
    path: [UInt8], patienceMilliseconds: Int = 30_000, whenWaiting: ((Int32?) -> Void)? = nil
  ) throws(CatalogError) {
    var waited = 0
    while true {
      let opened = Self.open(path)
      guard opened >= 0 else { throw .unreadable(errno: errno) }
      if flock(opened, LOCK_EX | LOCK_NB) == 0 {
        if Self.stands(opened, under: path) {
          descriptor = opened
          return
        }
        // Someone has replaced the file since it was opened; the lock is on the old one.
        close(opened)
        continue
      }
      let failure = errno
      let holder = Self.holder(of: opened)
      close(opened)
      guard failure == EWOULDBLOCK || failure == EINTR else { throw .notLockable(errno: failure) }
      guard waited < patienceMilliseconds else { throw .beingChanged(process: holder) }
      if waited == 500 { whenWaiting?(holder) }
      usleep(20_000)
      waited += 20
    }
  }

  /// Network file systems lock for writing only what is open for it.
  private static func open(_ path: [UInt8]) -> Int32 {
    let both = unsafe Paths.withCString(path) { unsafe Glibc.open($0, O_RDWR | O_CLOEXEC) }
    if both >= 0 || ![EACCES, EPERM, EROFS, ETXTBSY].contains(errno) { return both }
    return unsafe Paths.withCString(path) { unsafe Glibc.open($0, O_RDONLY | O_CLOEXEC) }
  }

  deinit {
    // Unlocked by name: a process that is just being started holds a copy until it runs its own program.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  static func stands(_ descriptor: Int32, under path: [UInt8]) -> Bool {
    var (mine, named) = (stat(), stat())
    guard unsafe fstat(descriptor, &mine) == 0,
      unsafe Paths.withCString(path, { unsafe stat($0, &named) }) == 0
    else { return false }
    return mine.st_ino == named.st_ino && mine.st_dev == named.st_dev
  }

  /// The process that holds the lock, from the kernel's list of locks.
  static func holder(of descriptor: Int32) -> Int32? {
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else { return nil }
    let inode = ":\(facts.st_ino)"
    guard let list = unsafe fopen("/proc/locks", "re") else { return nil }
    defer { unsafe fclose(list) }
    var line = [CChar](repeating: 0, count: 256)
    while unsafe fgets(&line, 256, list) != nil {
      let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
      // Number, kind, mode, access, process, device and inode, range.
      if words.count >= 6, words[1] == "FLOCK", words[5].hasSuffix(inode) {
        return Int32(words[4])
      }
    }
    return nil
  }
}
