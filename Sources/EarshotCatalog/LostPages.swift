import Glibc
import Synchronization

/// Keeps a process alive when a file that it has mapped is shortened by someone else, or when the disk
/// or server that holds it fails.
///
/// The kernel answers a look at such a page with a signal that ends the process. Here the page is
/// replaced by zeros instead, and the mapping is marked: whatever is read of it afterwards is refused.
/// Signals that have another cause go where they went before.
@safe enum LostPages {
  /// Mappings that are watched at a time; further ones are not.
  private static let slotCount = 1024
  private static let wordsPerSlot = 3
  private static let pageByteCount = UInt(getpagesize())

  /// Begin, end and mark of each mapping; the begin is 0 where a slot is free.
  // SAFETY: the words are atomics that are made once and stay.
  nonisolated(unsafe) private static let words: UnsafeMutablePointer<Atomic<UInt>> = {
    let count = slotCount * wordsPerSlot
    let words = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: count)
    for index in 0..<count { unsafe (words + index).initialize(to: Atomic(0)) }
    return unsafe words
  }()

  /// What the signal did before.
  // SAFETY: written once, before the handler is there that reads it.
  nonisolated(unsafe) private static var before = sigaction()

  /// Puts the handler in its place, once.
  private static let isInstalled: Bool = {
    // What the handler touches is made now: it must not be the first to ask for it.
    _ = (unsafe words, pageByteCount)
    guard unsafe sigaction(SIGBUS, nil, &before) == 0 else { return false }
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_sigaction = { _, facts, _ in
      let address = unsafe facts.map {
        unsafe UInt(bitPattern: $0.pointee._sifields._sigfault.si_addr)
      }
      if let address, LostPages.replace(pageAt: address) { return }
      // Coming back to the same place raises the signal again, for whoever had it before.
      _ = unsafe sigaction(SIGBUS, &LostPages.before, nil)
    }
    action.sa_flags = SA_SIGINFO
    return unsafe sigaction(SIGBUS, &action, nil) == 0
  }()

  /// Watches a mapping; returns its number, or nil where there is no room.
  static func watch(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard isInstalled, let base = bytes.baseAddress else { return nil }
    let start = UInt(bitPattern: base)
    for slot in 0..<slotCount {
      let word = unsafe words + slot * wordsPerSlot
      // An end of 0 keeps the handler away until all is there.
      let isTaken = unsafe word[0].compareExchange(
        expected: 0, desired: start, ordering: .acquiringAndReleasing
      ).exchanged
      guard isTaken else { continue }
      unsafe word[2].store(0, ordering: .releasing)
      unsafe word[1].store(start + UInt(bytes.count), ordering: .releasing)
      return slot
    }
    return nil
  }

  /// Whether any page of a mapping has been lost.
  static func isLost(_ slot: Int) -> Bool {
    unsafe words[slot * wordsPerSlot + 2].load(ordering: .acquiring) != 0
  }

  /// Ends watching, before the mapping goes.
  static func forget(_ slot: Int) {
    let word = unsafe words + slot * wordsPerSlot
    unsafe word[1].store(0, ordering: .releasing)
    unsafe word[0].store(0, ordering: .releasing)
  }

  /// Puts zeros in place of a page of a watched mapping. Called by the signal's handler: nothing here
  /// allocates or locks.
  private static func replace(pageAt address: UInt) -> Bool {
    for slot in 0..<slotCount {
      let word = unsafe words + slot * wordsPerSlot
      let start = unsafe word[0].load(ordering: .acquiring)
      guard start != 0, address >= start, unsafe address < word[1].load(ordering: .acquiring)
      else { continue }
      unsafe word[2].store(1, ordering: .releasing)
      let page = unsafe UnsafeMutableRawPointer(bitPattern: address / pageByteCount * pageByteCount)
      let made = unsafe mmap(
        page, Int(pageByteCount), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
      return unsafe made == page
    }
    return false
  }
}
