internal import Foundation
internal import Synchronization

/// The settings of the controlling terminal before a question changed them.
///
/// They are kept where a signal handler reaches them: whatever ends the program, the person gets
/// the terminal back as it was.
enum TerminalState {
  /// The terminal's descriptor while its settings are changed, else -1.
  private static let descriptor = Atomic<Int32>(-1)
  // SAFETY: written before `descriptor` is set and read only while it is set. It is allocated,
  // because the compiler makes a variable of this type three bytes shorter than C does.
  nonisolated(unsafe) private static let saved = UnsafeMutablePointer<termios>.allocate(
    capacity: 1)

  /// Shows the alternate screen, clears it and hides the cursor.
  static let enter = "\u{1B}[?1049h\u{1B}[2J\u{1B}[H\u{1B}[?25l"
  /// Shows the cursor and the screen as it was before.
  static let leave: [UInt8] = Array("\u{1B}[?25h\u{1B}[?1049l".utf8)

  /// Lets single keys through, unechoed, and drops what was typed before.
  ///
  /// Returns false where the terminal refuses.
  static func takeKeys(of terminal: Int32) -> Bool {
    // The first use of a static value takes a lock, which a signal handler must not.
    guard leave.count > 0, unsafe tcgetattr(terminal, saved) == 0 else { return false }
    descriptor.store(terminal, ordering: .sequentiallyConsistent)
    let changed = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    defer { unsafe changed.deallocate() }
    unsafe changed.initialize(to: saved.pointee)
    unsafe changed.pointee.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    unsafe changed.pointee.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR)
    // TCSAFLUSH drops what was typed before the question was there to be answered.
    guard unsafe tcsetattr(terminal, TCSAFLUSH, changed) == 0 else {
      descriptor.store(-1, ordering: .sequentiallyConsistent)
      return false
    }
    return true
  }

  /// Puts the settings and the screen back. A signal handler may call it.
  static func restoreAtOnce() {
    let terminal = descriptor.exchange(-1, ordering: .sequentiallyConsistent)
    guard terminal >= 0 else { return }
    _ = unsafe leave.withUnsafeBytes { unsafe write(terminal, $0.baseAddress, $0.count) }
    _ = unsafe tcsetattr(terminal, TCSAFLUSH, saved)
  }
}
