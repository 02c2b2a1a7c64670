internal import Glibc

extension CaptionTrack {
  /// Reads a caption file by its path, which is bytes without NUL as the system has them.
  ///
  /// The file is only read, never written. Blocks on slow media; special files are refused before
  /// anything is read from them.
  ///
  /// Throws `unreadable`, `notAFile`, `tooLarge` and whatever reading its bytes throws.
  public init(
    path: [UInt8], options: CaptionOptions = CaptionOptions()
  ) throws(CaptionError) {
    try self.init(parsing: try Self.bytes(path: path), options: options)
  }

  private static func bytes(path: [UInt8]) throws(CaptionError) -> [UInt8] {
    let name = path.map { CChar(bitPattern: $0) } + [0]
    // Without O_NONBLOCK a named pipe that nobody writes would hold the program for ever.
    let descriptor = unsafe open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw .unreadable(errno: errno) }
    defer { close(descriptor) }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else { throw .unreadable(errno: errno) }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    guard facts.st_size <= CaptionLimits.bytes else {
      throw .tooLarge(bytes: Int(facts.st_size), limit: CaptionLimits.bytes)
    }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 256 << 10)
    bytes.reserveCapacity(Int(facts.st_size))
    while true {
      let count = unsafe piece.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress, $0.count)
      }
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw .unreadable(errno: errno)
      }
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: piece[..<count])
      // A file can grow while it is read.
      guard bytes.count <= CaptionLimits.bytes else {
        throw .tooLarge(bytes: bytes.count, limit: CaptionLimits.bytes)
      }
    }
  }
}
