import Glibc

/// Memory for a fixed number of plain values with one owner, overwritten before it is given back.
///
/// Everything that is computed from sound lives in such buffers (rule L5): they can't be copied or
/// printed, and nothing in them outlives their owner. Unless they are told not to, their pages are left
/// out of core dumps, and locked where the system allows.
@safe package struct WipedBuffer<Element: BitwiseCopyable>: ~Copyable {
  @usableFromInline let base: UnsafeMutablePointer<Element>
  /// The number of values.
  @usableFromInline package let count: Int
  private let isLocked: Bool
  private let byteCount: Int

  /// Allocates `count` values, all bits zero.
  ///
  /// `isKeptFromSwap` is false for what is large and tells nothing of the sound: the memory that a user
  /// may lock is small, and samples and levels need it.
  package init(count: Int, isKeptFromSwap: Bool = true) {
    precondition(count > 0, "a buffer holds at least one value")
    let needed = count * MemoryLayout<Element>.stride
    // Whole pages, or a neighbour on the heap would be locked and unlocked along with it.
    byteCount = isKeptFromSwap ? (needed + 4095) & ~4095 : needed
    var raw: UnsafeMutableRawPointer?
    let status = unsafe posix_memalign(&raw, isKeptFromSwap ? 4096 : 64, byteCount)
    guard status == 0, let raw = unsafe raw else { preconditionFailure("out of memory") }
    unsafe memset(raw, 0, byteCount)
    if isKeptFromSwap {
      unsafe madvise(raw, byteCount, MADV_DONTDUMP)
      isLocked = unsafe mlock(raw, byteCount) == 0
    } else {
      isLocked = false
    }
    unsafe base = raw.bindMemory(to: Element.self, capacity: count)
    self.count = count
  }

  deinit {
    unsafe explicit_bzero(base, byteCount)
    if isLocked { unsafe munlock(base, byteCount) }
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
