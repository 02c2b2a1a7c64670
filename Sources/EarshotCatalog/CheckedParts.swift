import Synchronization

/// Remembers which parts of something have been checked. Threads may share it.
@safe final class CheckedParts: Sendable {
  private let count: Int
  // SAFETY: the words are atomics, made in `init` and given back in `deinit`.
  nonisolated(unsafe) private let words: UnsafeMutablePointer<Atomic<UInt64>>

  init(count: Int) {
    self.count = count
    let wordCount = (count + 63) / 64
    unsafe words = .allocate(capacity: wordCount)
    for index in 0..<wordCount { unsafe (words + index).initialize(to: Atomic(0)) }
  }

  deinit {
    unsafe words.deinitialize(count: (count + 63) / 64)
    unsafe words.deallocate()
  }

  /// Whether the part has been marked.
  func contains(_ index: Int) -> Bool {
    precondition(index >= 0 && index < count, "there is no such part")
    return unsafe words[index / 64].load(ordering: .acquiring) >> UInt64(index % 64) & 1 == 1
  }

  /// Marks the part.
  func insert(_ index: Int) {
    precondition(index >= 0 && index < count, "there is no such part")
    unsafe words[index / 64].bitwiseOr(1 << UInt64(index % 64), ordering: .releasing)
  }
}
