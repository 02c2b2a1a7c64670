internal import Foundation

/// The person's controlling terminal.
///
/// It can be had only by a program in the terminal's foreground process group (rule C10): a program
/// behind a pipe, in the background or without a terminal cannot ask and cannot answer.
final class Terminal {
  /// The terminal's descriptor.
  let descriptor: Int32

  /// Opens the controlling terminal; nil where there is none or the program is in its background.
  init?() {
    let opened = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard opened >= 0 else { return nil }
    guard tcgetpgrp(opened) == getpgrp() else {
      close(opened)
      return nil
    }
    descriptor = opened
  }

  deinit {
    TerminalState.restoreAtOnce()
    close(descriptor)
  }

  /// Whether the program is in the terminal's foreground process group now.
  var isForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

  /// Rows and columns; 24 and 80 where the terminal does not say.
  var size: (rows: Int, columns: Int) {
    var size = winsize()
    let status = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
    guard status == 0, size.ws_row > 0, size.ws_col > 0 else { return (24, 80) }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Shows a screen of its own and lets single keys through.
  func beginQuestion() -> Bool {
    guard isForeground, TerminalState.takeKeys(of: descriptor) else { return false }
    write(TerminalState.enter)
    return true
  }

  /// Puts everything back.
  func endQuestion() { TerminalState.restoreAtOnce() }

  /// Writes text as it is.
  func write(_ text: String) { _ = Console.write(Array(text.utf8), to: descriptor) }

  /// What was typed since the last call; nil when the terminal is gone.
  func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = unsafe Foundation.read(descriptor, &buffer, buffer.count)
    if count < 0 && (errno == EINTR || errno == EAGAIN) { return [] }
    return count > 0 ? Array(buffer.prefix(count)) : nil
  }
}
