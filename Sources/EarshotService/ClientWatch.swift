internal import Foundation
internal import Glibc
internal import Synchronization

/// Looks at the descriptors of sleeping connections and says at once when a client has gone.
///
/// It polls for a hang-up on duplicates, so that a descriptor's number can't be reused under it.
/// One thread serves all; it never ends while the daemon runs.
final class ClientWatch: Sendable {
  private struct Entry {
    /// Objects and descriptors are reused at once, so only this number tells two watches apart.
    var serial: UInt64
    var descriptor: Int32
    var whenGone: @Sendable () -> Void
  }

  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])
  private let lastSerial = Atomic<UInt64>(0)
  private let wake: WakePipe

  /// - Throws: ``ServiceError/socket(call:code:)`` where there is no descriptor left.
  init() throws(ServiceError) {
    wake = try WakePipe()
  }

  /// Starts the watching thread.
  func start() {
    Thread.detachNewThread { [self] in
      while true { lookOnce() }
    }
  }

  /// Calls `whenGone` once when the other end of `descriptor` hangs up.
  func look(
    at descriptor: Int32, for key: ObjectIdentifier, whenGone: @escaping @Sendable () -> Void
  ) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    // Without a copy the client can't be watched: it is taken for gone, which closes what it began.
    guard copy >= 0 else { return whenGone() }
    let serial = lastSerial.wrappingAdd(1, ordering: .relaxed).newValue
    let entry = Entry(serial: serial, descriptor: copy, whenGone: whenGone)
    let replaced = entries.withLock { $0.updateValue(entry, forKey: key) }
    if let replaced { close(replaced.descriptor) }
    wake.wake()
  }

  /// Stops looking.
  func forget(_ key: ObjectIdentifier) {
    // The polling thread may still wait on this descriptor: what it finds there belongs to a serial
    // that the table no longer holds.
    if let entry = entries.withLock({ $0.removeValue(forKey: key) }) { close(entry.descriptor) }
  }

  private func lookOnce() {
    let looked = entries.withLock { entries in
      entries.map { (key: $0.key, serial: $0.value.serial, descriptor: $0.value.descriptor) }
    }
    let hangUp = Int16(0x2000)  // POLLRDHUP needs _GNU_SOURCE and is not imported.
    var polled = looked.map { pollfd(fd: $0.descriptor, events: hangUp, revents: 0) }
    polled.append(pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0))
    let count = unsafe poll(&polled, UInt(polled.count), -1)
    guard count > 0 else { return }
    if polled[polled.count - 1].revents != 0 { wake.drain() }
    for (index, one) in looked.enumerated() where polled[index].revents != 0 {
      let gone = entries.withLock { entries -> Entry? in
        guard entries[one.key]?.serial == one.serial else { return nil }
        return entries.removeValue(forKey: one.key)
      }
      guard let gone else { continue }
      close(gone.descriptor)
      gone.whenGone()
    }
  }
}
