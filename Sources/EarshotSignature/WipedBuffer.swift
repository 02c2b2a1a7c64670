import Glibc

/// Memory for a fixed number of plain values with one owner, overwritten before it is given back.
///
/// Everything that is computed from sound lives in such buffers (rule L5): they can't be copied or
/// printed, and nothing in them outlives their owner.
@safe package struct WipedBuffer<Element: BitwiseCopyable>: ~Copyable {
  @usableFromInline let base: UnsafeMutablePointer<Element>
  /// The number of values.
  @usableFromInline package let count: Int

  /// Allocates `count` values, all bits zero.
  package init(count: Int) {
    precondition(count > 0, "a buffer holds at least one value")
    let byteCount = count * MemoryLayout<Element>.stride
    var raw: UnsafeMutableRawPointer?
    let status = unsafe posix_memalign(&raw, 64, byteCount)
    guard status == 0, let raw = unsafe raw else { preconditionFailure("out of memory") }
    unsafe memset(raw, 0, byteCount)
    unsafe base = raw.bindMemory(to: Element.self, capacity: count)
    self.count = count
  }

  deinit {
    unsafe explicit_bzero(base, count * MemoryLayout<Element>.stride)
    unsafe free(base)
  }

  @inlinable package subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count, "the index is in the buffer")
      return unsafe base[index]
    }
    set {
      precondition(index >= 0 && index < count, "the index is in the buffer")
      unsafe base[index] = newValue
    }
  }

  /// The values, for as long as the buffer is borrowed.
  @inlinable package var span: Span<Element> {
    @_lifetime(borrow self)
    get {
      let span = unsafe Span(_unsafeStart: base, count: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// The values as memory, 64-byte aligned; whoever takes them keeps the buffer alive and in bounds.
  @inlinable package var pointer: UnsafeMutablePointer<Element> { unsafe base }
}
