import Glibc

/// What a file that replaces another asks of the file system.
///
/// The kernel's answers stand behind it; tests put a file system in its place that fails at any call
/// and forgets what was not synced. Each call returns 0, or the kernel's word for what went wrong.
protocol Storage: Sendable {
  /// Makes a file without a name in a folder; the descriptor, or the negated error.
  func makeUnnamed(in folder: [UInt8]) -> Int32
  /// Makes a file with a name; the descriptor, or the negated error.
  func makeNamed(_ path: [UInt8]) -> Int32
  /// Writes all bytes at a place of a file.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, of descriptor: Int32) -> Int32
  /// Lets what was written be read; `offset` is a multiple of the page's size.
  func mapped(_ descriptor: Int32, offset: Int, byteCount: Int) throws(CatalogError)
    -> RawSpanOwner
  /// Makes a file's bytes durable.
  func sync(_ descriptor: Int32) -> Int32
  /// Gives a file without a name one.
  func name(_ descriptor: Int32, as path: [UInt8]) -> Int32
  /// Moves a name over another.
  func move(_ from: [UInt8], to path: [UInt8]) -> Int32
  /// Makes a folder's names durable.
  func syncFolder(_ folder: [UInt8]) -> Int32
  /// Takes a name away.
  func remove(_ path: [UInt8])
  /// Closes a file; one without a name is gone then.
  func close(_ descriptor: Int32)
}

/// The file system of this machine.
struct KernelStorage: Storage {
  /// `O_TMPFILE` of Linux, which the C library hides from Swift.
  private static let temporaryFile = 0o20000000 | O_DIRECTORY
  private static let mode: mode_t = 0o666

  func makeUnnamed(in folder: [UInt8]) -> Int32 {
    let opened = unsafe Paths.withCString(folder) {
      unsafe open($0, Self.temporaryFile | O_RDWR | O_CLOEXEC, Self.mode)
    }
    return opened < 0 ? -errno : opened
  }

  func makeNamed(_ path: [UInt8]) -> Int32 {
    let opened = unsafe Paths.withCString(path) {
      unsafe open($0, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, Self.mode)
    }
    return opened < 0 ? -errno : opened
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, of descriptor: Int32) -> Int32 {
    var done = 0
    while done < bytes.count {
      let written = unsafe pwrite(
        descriptor, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done,
        off_t(offset + done))
      if written < 0 {
        if errno == EINTR { continue }
        return errno
      }
      done += written
    }
    return 0
  }

  func mapped(_ descriptor: Int32, offset: Int, byteCount: Int) throws(CatalogError)
    -> RawSpanOwner
  {
    try RawSpanOwner(descriptor: descriptor, offset: offset, byteCount: byteCount)
  }

  func sync(_ descriptor: Int32) -> Int32 { fsync(descriptor) == 0 ? 0 : errno }

  func name(_ descriptor: Int32, as path: [UInt8]) -> Int32 {
    let number = Array("/proc/self/fd/\(descriptor)".utf8)
    _ = unsafe Paths.withCString(path) { unsafe unlink($0) }
    let linked = unsafe Paths.withCString(number) { from in
      unsafe Paths.withCString(path) { to in
        unsafe linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW)
      }
    }
    return linked == 0 ? 0 : errno
  }

  func move(_ from: [UInt8], to path: [UInt8]) -> Int32 {
    let moved = unsafe Paths.withCString(from) { from in
      unsafe Paths.withCString(path) { to in unsafe rename(from, to) }
    }
    return moved == 0 ? 0 : errno
  }

  func syncFolder(_ folder: [UInt8]) -> Int32 {
    let descriptor = unsafe Paths.withCString(folder) {
      unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard descriptor >= 0 else { return errno }
    defer { _ = Glibc.close(descriptor) }
    // Some network file systems can't sync a folder, and say so; the rename has been done.
    return fsync(descriptor) == 0 || [EINVAL, EOPNOTSUPP, ENOSYS].contains(errno) ? 0 : errno
  }

  func remove(_ path: [UInt8]) { _ = unsafe Paths.withCString(path) { unsafe unlink($0) } }

  func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
}
