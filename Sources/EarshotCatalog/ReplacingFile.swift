import Glibc
import Synchronization

/// A file that takes the place of another when it is whole, and leaves nothing when it isn't.
///
/// It has no name while it is written, where the file system allows that; so a program that is
/// killed leaves nothing behind. Then: its bytes are synced, it gets a name beside the target, the
/// name is moved over the target's, and the folder is synced. Readers see the old or the new file.
struct ReplacingFile: ~Copyable {
  private let descriptor: Int32
  private let folder: [UInt8]
  private let target: [UInt8]
  private let sideName: [UInt8]
  private var isNamed: Bool

  /// `O_TMPFILE` of Linux, which the C library hides from Swift.
  private static let temporaryFile = 0o20000000 | O_DIRECTORY

  /// Begins a file that will replace `path`, which need not exist.
  init(path: [UInt8]) throws(CatalogError) {
    let target = Self.resolved(path)
    let (folder, name) = Paths.split(target)
    guard !name.isEmpty, !path.contains(0) else { throw .notWritable(errno: EISDIR) }
    let start = Array(".".utf8) + name.prefix(180) + Array(".".utf8)
    Self.removeLeftovers(in: folder, beginningWith: start)
    let number = Self.counter.add(1, ordering: .relaxed).newValue
    let sideName =
      folder + Array("/".utf8) + start + Array("\(getpid())-\(number).partial".utf8)
    let mode: mode_t = 0o666
    var opened = unsafe Paths.withCString(folder) {
      unsafe open($0, Self.temporaryFile | O_RDWR | O_CLOEXEC, mode)
    }
    var isNamed = false
    if opened < 0, errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL {
      opened = unsafe Paths.withCString(sideName) {
        unsafe open($0, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode)
      }
      isNamed = opened >= 0
    }
    guard opened >= 0 else { throw .notWritable(errno: errno) }
    Self.keepMode(of: target, for: opened)
    descriptor = opened
    self.folder = folder
    self.target = target
    self.sideName = sideName
    self.isNamed = isNamed
  }

  deinit {
    close(descriptor)
    if isNamed { _ = unsafe Paths.withCString(sideName) { unsafe unlink($0) } }
  }

  /// Writes all bytes at `offset`.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(CatalogError) {
    var done = 0
    while done < bytes.count {
      let written = unsafe pwrite(
        descriptor, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done,
        off_t(offset + done))
      if written < 0 {
        if errno == EINTR { continue }
        throw .notWritable(errno: errno)
      }
      done += written
    }
  }

  /// Makes what was written durable and puts it in the target's place.
  mutating func commit() throws(CatalogError) {
    guard fsync(descriptor) == 0 else { throw .notWritable(errno: errno) }
    if !isNamed {
      let name = Array("/proc/self/fd/\(descriptor)".utf8)
      _ = unsafe Paths.withCString(sideName) { unsafe unlink($0) }
      let linked = unsafe Paths.withCString(name) { from in
        unsafe Paths.withCString(sideName) { to in
          unsafe linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW)
        }
      }
      guard linked == 0 else { throw .notWritable(errno: errno) }
      isNamed = true
    }
    let moved = unsafe Paths.withCString(sideName) { from in
      unsafe Paths.withCString(target) { to in unsafe rename(from, to) }
    }
    guard moved == 0 else { throw .notWritable(errno: errno) }
    isNamed = false
    try Self.sync(folder: folder)
  }

  /// Tells the side names of one process apart.
  private static let counter = Atomic(0)

  /// Removes side names whose process is gone: it was killed between naming and moving.
  private static func removeLeftovers(in folder: [UInt8], beginningWith start: [UInt8]) {
    guard let list = unsafe Paths.withCString(folder, { unsafe opendir($0) }) else { return }
    defer { unsafe closedir(list) }
    while let entry = unsafe readdir(list) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe Array(bytes.prefix { $0 != 0 })
      }
      guard name.starts(with: start), name.reversed().starts(with: ".partial".utf8.reversed())
      else { continue }
      let digits = name.dropFirst(start.count).prefix { (0x30...0x39).contains($0) }
      guard let process = pid_t(String(decoding: digits, as: UTF8.self)), process > 0,
        kill(process, 0) != 0, errno == ESRCH
      else { continue }
      _ = unsafe Paths.withCString(folder + Array("/".utf8) + name) { unsafe unlink($0) }
    }
  }

  private static func sync(folder: [UInt8]) throws(CatalogError) {
    let descriptor = unsafe Paths.withCString(folder) {
      unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard descriptor >= 0 else { throw .notWritable(errno: errno) }
    defer { close(descriptor) }
    // Some network file systems can't sync a folder, and say so; the rename has been done.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw .notWritable(errno: errno) }
  }

  /// Where links lead, so that a link to a catalog stays a link.
  private static func resolved(_ path: [UInt8]) -> [UInt8] {
    guard let real = unsafe Paths.withCString(path, { unsafe realpath($0, nil) }) else {
      return path
    }
    defer { unsafe free(real) }
    return unsafe Array(UnsafeRawBufferPointer(start: real, count: strlen(real)))
  }

  private static func keepMode(of target: [UInt8], for descriptor: Int32) {
    var facts = stat()
    if unsafe Paths.withCString(target, { unsafe stat($0, &facts) }) == 0 {
      _ = fchmod(descriptor, facts.st_mode & 0o777)
    }
  }
}
