import Glibc

/// A block of mono samples with one owner, locked in memory where the system allows.
///
/// Samples are 32-bit floats with full scale at -1 and 1, at 16 kHz once they have been through the
/// converter. The block can't be copied, encoded or printed, and is overwritten before its memory is
/// given back (rule L5). Appending never allocates: the capacity is fixed when the block is made.
@safe public struct SampleBlock: ~Copyable {
  private let storage: UnsafeMutablePointer<Float>
  private let lockedByteCount: Int
  /// The most samples that the block can hold.
  public let capacity: Int
  /// The samples held now.
  public private(set) var count: Int = 0

  /// Makes an empty block for `capacity` samples.
  ///
  /// The pages are locked and left out of core dumps; where locking is refused the block works
  /// unlocked and `isLocked` says so.
  public init(capacity: Int) {
    precondition(capacity > 0, "a block holds at least one sample")
    self.capacity = capacity
    let byteCount = (capacity * MemoryLayout<Float>.stride + 4095) & ~4095
    var raw: UnsafeMutableRawPointer?
    let status = unsafe posix_memalign(&raw, 4096, byteCount)
    guard status == 0, let raw = unsafe raw else { preconditionFailure("out of memory") }
    unsafe storage = raw.bindMemory(to: Float.self, capacity: byteCount / 4)
    unsafe storage.initialize(repeating: 0, count: byteCount / 4)
    unsafe madvise(raw, byteCount, MADV_DONTDUMP)
    isLocked = unsafe mlock(raw, byteCount) == 0
    lockedByteCount = byteCount
  }

  /// Whether the kernel keeps the block's pages out of swap.
  public let isLocked: Bool

  deinit {
    unsafe explicit_bzero(storage, lockedByteCount)
    if isLocked { unsafe munlock(storage, lockedByteCount) }
    unsafe free(storage)
  }

  /// Appends samples. There must be room for all of them.
  public mutating func append(_ samples: Span<Float>) {
    precondition(samples.count <= capacity - count, "the block is full")
    unsafe samples.withUnsafeBufferPointer { source in
      guard let base = source.baseAddress else { return }
      unsafe (storage + count).update(from: base, count: source.count)
    }
    count += samples.count
  }

  /// Overwrites and forgets all samples; the capacity stays.
  public mutating func removeAll() {
    unsafe explicit_bzero(storage, count * MemoryLayout<Float>.stride)
    count = 0
  }

  /// The samples held now, for as long as the block is borrowed.
  public var samples: Span<Float> {
    @_lifetime(borrow self)
    get {
      let span = unsafe Span(_unsafeStart: storage, count: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Lets `body` write up to the free capacity, and counts what it says it wrote.
  public mutating func appendUninitialized<Failure: Error>(
    _ body: (UnsafeMutableBufferPointer<Float>) throws(Failure) -> Int
  ) throws(Failure) {
    let free = unsafe UnsafeMutableBufferPointer(start: storage + count, count: capacity - count)
    let written = try unsafe body(free)
    precondition(written >= 0 && written <= capacity - count, "wrote past the block")
    count += written
  }
}
