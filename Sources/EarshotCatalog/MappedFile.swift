import Glibc

/// A file's bytes, mapped into memory for reading as long as this lives.
///
/// Replacing the file by another leaves the mapping as it is. Nothing in the product shortens a file
/// in place; where something else does, `hasLostPages` says so.
@safe final class MappedFile: Sendable {
  // SAFETY: the mapping is read-only and never changes after `init`, so threads may share it.
  nonisolated(unsafe) let bytes: UnsafeRawBufferPointer
  private let descriptor: Int32
  private let watch: Int?

  /// Whether a part of the file could not be read: it was shortened, or the disk or server failed.
  /// Zeros stand in its place.
  var hasLostPages: Bool { watch.map { LostPages.isLost($0) } ?? false }

  init(path: [UInt8]) throws(CatalogError) {
    let descriptor = unsafe Paths.withCString(path) {
      unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }
    guard descriptor >= 0 else { throw errno == ENXIO ? .notAFile : .unreadable(errno: errno) }
    var isOpen = false
    defer { if !isOpen { close(descriptor) } }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else { throw .unreadable(errno: errno) }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    let byteCount = Int(facts.st_size)
    guard byteCount > 0 else {
      throw .truncated(offset: 0, needed: CatalogFormat.headerByteCount, available: 0)
    }
    let mapped = unsafe mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0)
    guard unsafe mapped != MAP_FAILED, let mapped = unsafe mapped else {
      throw .unreadable(errno: errno)
    }
    unsafe bytes = UnsafeRawBufferPointer(start: mapped, count: byteCount)
    watch = unsafe LostPages.watch(UnsafeRawBufferPointer(start: mapped, count: byteCount))
    self.descriptor = descriptor
    isOpen = true
  }

  /// Copies bytes from a place of the file; false where they can't be had.
  ///
  /// For small reads all over a large file: they leave nothing mapped behind, and cost less than
  /// mapping a page.
  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
    var done = 0
    while done < buffer.count {
      let count = unsafe pread(
        descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done,
        off_t(offset + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  deinit {
    if let watch { LostPages.forget(watch) }
    unsafe munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    close(descriptor)
  }
}

/// File names as bytes.
enum Paths {
  /// Hands `body` the name as C takes it. A name with a zero byte names nothing.
  static func withCString<Result>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Result)
    -> Result
  {
    let name = path.contains(0) ? [0] : path + [0]
    return unsafe name.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { preconditionFailure("a name ends with zero") }
      return unsafe body(base.assumingMemoryBound(to: CChar.self))
    }
  }

  /// The folder of a file name, and the name in it.
  static func split(_ path: [UInt8]) -> (folder: [UInt8], name: [UInt8]) {
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else {
      return ([UInt8(ascii: ".")], path)
    }
    let folder = slash == 0 ? [UInt8(ascii: "/")] : Array(path[..<slash])
    return (folder, Array(path[(slash + 1)...]))
  }
}
