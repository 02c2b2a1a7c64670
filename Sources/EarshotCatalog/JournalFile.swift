import EarshotSignature
import Glibc

/// The file of a journal: its name, its lock, its first bytes.
final class JournalFile: Sendable {
  private let descriptor: Int32
  /// Its name, or nil when it has none.
  private let path: [UInt8]?

  var hasName: Bool { path != nil }

  static let headByteCount = 32
  private static let magic: [UInt8] = [0x89, 0x45, 0x53, 0x4A, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let version: UInt32 = 1
  private static let temporaryFile = 0o20000000 | O_DIRECTORY

  /// The journal's name beside a catalog's.
  static func name(besides path: [UInt8]) -> [UInt8] {
    let (folder, name) = Paths.split(path)
    let start = path.contains(UInt8(ascii: "/")) ? folder + Array("/".utf8) : []
    return start + Array(".".utf8) + name.prefix(180) + Array(".journal".utf8)
  }

  /// Opens or makes the file, and locks it.
  convenience init(named path: [UInt8]) throws(CatalogError) {
    self.init(try Self.locked(path), path: path)
    try begin()
  }

  /// Makes a file without a name in a folder.
  convenience init(unnamedIn folder: [UInt8]) throws(CatalogError) {
    let opened = unsafe Paths.withCString(folder) {
      unsafe open($0, Self.temporaryFile | O_RDWR | O_CLOEXEC, 0o600)
    }
    guard opened >= 0 else { throw .notWritable(errno: errno) }
    self.init(opened, path: nil)
    try begin()
  }

  private init(_ descriptor: Int32, path: [UInt8]?) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit {
    // Unlocked by name: a process that is just being started holds a copy until it runs its own program.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func locked(_ path: [UInt8]) throws(CatalogError) -> Int32 {
    while true {
      let opened = unsafe Paths.withCString(path) {
        unsafe open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      }
      guard opened >= 0 else { throw .notWritable(errno: errno) }
      guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
        let failure = errno
        let holder = CatalogLock.holder(of: opened)
        // Where nothing can be locked no empty file is left either.
        var facts = stat()
        if failure != EWOULDBLOCK, unsafe fstat(opened, &facts) == 0, facts.st_size == 0 {
          _ = unsafe Paths.withCString(path) { unsafe unlink($0) }
        }
        close(opened)
        throw failure == EWOULDBLOCK
          ? .beingChanged(process: holder) : .notWritable(errno: failure)
      }
      // The one that held it may have removed it between opening and locking.
      if CatalogLock.stands(opened, under: path) { return opened }
      close(opened)
    }
  }

  var byteCount: Int {
    var facts = stat()
    return unsafe fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : 0
  }

  /// Keeps what a journal of this build holds; anything else is begun anew.
  private func begin() throws(CatalogError) {
    var head = Self.magic
    head.append(littleEndian: Self.version)
    head.append(littleEndian: UInt32(0))
    head.append(littleEndian: AnalyzerSettings.digest)
    head.append(littleEndian: Checksum.of(head))
    if bytes(at: 0, count: head.count) == head { return }
    cut(to: 0)
    try write(head, at: 0)
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(CatalogError) {
    var done = 0
    while done < bytes.count {
      let written = unsafe bytes.withUnsafeBytes { buffer in
        unsafe pwrite(
          descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done,
          off_t(offset + done))
      }
      if written < 0 {
        if errno == EINTR { continue }
        throw .notWritable(errno: errno)
      }
      done += written
    }
  }

  /// Reads so many bytes, or nil when they aren't there.
  func bytes(at offset: Int, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let read = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(
          descriptor, buffer.baseAddress.map { unsafe $0 + done }, count - done,
          off_t(offset + done))
      }
      if read < 0, errno == EINTR { continue }
      guard read > 0 else { return nil }
      done += read
    }
    return bytes
  }

  func cut(to byteCount: Int) { ftruncate(descriptor, off_t(byteCount)) }

  func sync() { fdatasync(descriptor) }

  func remove() {
    if let path { _ = unsafe Paths.withCString(path) { unsafe unlink($0) } }
  }
}
