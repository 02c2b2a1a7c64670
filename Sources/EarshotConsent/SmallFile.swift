internal import Glibc

/// Whole files of a few bytes, read without a buffer that outlives the call.
enum SmallFile {
  /// The file's bytes, or nil where it can't be read or is larger than `bytesMax`.
  static func read(_ path: String, bytesMax: Int) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
    var count = 0
    while count < bytes.count {
      let room = bytes.count - count
      let status = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress.map { unsafe $0 + count }, room)
      }
      if status < 0, errno == EINTR { continue }
      guard status >= 0 else { return nil }
      if status == 0 { return Array(bytes.prefix(count)) }
      count += status
    }
    return nil
  }
}
