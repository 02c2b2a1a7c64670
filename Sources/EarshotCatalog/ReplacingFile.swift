import Glibc
import Synchronization

/// A file that takes the place of another when it is whole, and leaves nothing when it isn't.
///
/// It has no name while it is written, where the file system allows that; so a program that is
/// killed leaves nothing behind. Then: its bytes are synced, it gets a name beside the target, the
/// name is moved over the target's, and the folder is synced. Readers see the old or the new file.
struct ReplacingFile: ~Copyable {
  private let storage: any Storage
  private let descriptor: Int32
  private let folder: [UInt8]
  private let target: [UInt8]
  private let sideName: [UInt8]
  private var isNamed: Bool

  /// Begins a file that will replace `path`, which need not exist.
  init(path: [UInt8], storage: any Storage = KernelStorage()) throws(CatalogError) {
    let target = Self.resolved(path)
    let (folder, name) = Paths.split(target)
    guard !name.isEmpty, !path.contains(0) else { throw .notWritable(errno: EISDIR) }
    let start = Array(".".utf8) + name.prefix(180) + Array(".".utf8)
    Self.removeLeftovers(in: folder, beginningWith: start)
    let number = Self.counter.add(1, ordering: .relaxed).newValue
    let sideName =
      folder + Array("/".utf8) + start
      + Array("\(Self.machine)-\(getpid())-\(number).partial".utf8)
    var opened = storage.makeUnnamed(in: folder)
    var isNamed = false
    if [-EOPNOTSUPP, -EISDIR, -EINVAL].contains(opened) {
      opened = storage.makeNamed(sideName)
      isNamed = opened >= 0
    }
    guard opened >= 0 else { throw .notWritable(errno: -opened) }
    Self.keepMode(of: target, for: opened)
    self.storage = storage
    descriptor = opened
    self.folder = folder
    self.target = target
    self.sideName = sideName
    self.isNamed = isNamed
  }

  deinit {
    storage.close(descriptor)
    if isNamed { storage.remove(sideName) }
  }

  /// Writes all bytes at `offset`.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(CatalogError) {
    try Self.check(unsafe storage.write(bytes, at: offset, of: descriptor))
  }

  /// What has been written, mapped for reading. `offset` is a multiple of the page's size.
  func mapped(offset: Int, byteCount: Int) throws(CatalogError) -> RawSpanOwner {
    try storage.mapped(descriptor, offset: offset, byteCount: byteCount)
  }

  /// Makes what was written durable and puts it in the target's place.
  mutating func commit() throws(CatalogError) {
    try Self.check(storage.sync(descriptor))
    if !isNamed {
      try Self.check(storage.name(descriptor, as: sideName))
      isNamed = true
    }
    try Self.check(storage.move(sideName, to: target))
    isNamed = false
    let failure = storage.syncFolder(folder)
    guard failure == 0 else { throw .notConfirmed(errno: failure) }
  }

  private static func check(_ failure: Int32) throws(CatalogError) {
    guard failure == 0 else { throw .notWritable(errno: failure) }
  }

  /// Tells the side names of one process apart.
  private static let counter = Atomic(0)

  /// This machine among those that may share a folder, whose processes have numbers of their own.
  private static let machine: String = {
    var names = utsname()
    guard unsafe uname(&names) == 0 else { return "0" }
    let name = unsafe withUnsafeBytes(of: &names.nodename) { bytes in
      unsafe Array(bytes.prefix { $0 != 0 })
    }
    return String(Checksum.of(name) & 0xFFFF_FFFF, radix: 16)
  }()

  /// Removes side names whose process is gone: it was killed between naming and moving. What another
  /// machine writes in a shared folder is left alone.
  private static func removeLeftovers(in folder: [UInt8], beginningWith start: [UInt8]) {
    guard let list = unsafe Paths.withCString(folder, { unsafe opendir($0) }) else { return }
    defer { unsafe closedir(list) }
    let start = start + Array("\(machine)-".utf8)
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
