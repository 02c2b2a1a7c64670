import Glibc

/// Asks for large pages below memory of many megabytes.
///
/// A usual page's first touch costs the kernel as much as a hundred votes, and the processor remembers
/// where only some thousand of them lie; in one of 2 MB there are 512. A kernel that has no large
/// pages does as before.
enum HugePages {
  static let pageSize = 1 << 21

  /// Advises that the array's whole capacity lie in large pages, as far as it reaches over them.
  static func advise<Element>(_ array: inout [Element]) {
    let byteCount = array.capacity * MemoryLayout<Element>.stride
    unsafe array.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      let start = Int(bitPattern: base)
      let first = (start + pageSize - 1) & ~(pageSize - 1)
      let end = (start + byteCount) & ~(pageSize - 1)
      guard end > first else { return }
      unsafe madvise(UnsafeMutableRawPointer(base) + (first - start), end - first, MADV_HUGEPAGE)
    }
  }
}

/// Bytes in large pages of their own, all zero at first.
@safe struct HugeBuffer: ~Copyable {
  let count: Int
  let base: UnsafeMutablePointer<UInt8>

  /// Allocates `count` bytes, a multiple of a large page.
  init(count: Int) {
    precondition(count > 0 && count % HugePages.pageSize == 0, "whole pages")
    self.count = count
    var raw: UnsafeMutableRawPointer?
    let status = unsafe posix_memalign(&raw, HugePages.pageSize, count)
    guard status == 0, let raw = unsafe raw else { preconditionFailure("out of memory") }
    unsafe madvise(raw, count, MADV_HUGEPAGE)
    unsafe memset(raw, 0, count)
    unsafe base = raw.bindMemory(to: UInt8.self, capacity: count)
  }

  deinit { unsafe free(base) }

  /// The bytes, for as long as the buffer is borrowed.
  var bytes: UnsafeMutableBufferPointer<UInt8> {
    unsafe UnsafeMutableBufferPointer(start: base, count: count)
  }
}
