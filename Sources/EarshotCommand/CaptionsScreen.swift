internal import Foundation

/// Draws pictures on the controlling terminal, touching only the rows that changed, in one write,
/// so that nothing flickers.
final class CaptionsScreen {
  private let terminal: Terminal
  /// Whether a question has the terminal.
  private(set) var isPaused = false
  private var shown: [String] = []
  private var shownSize = (rows: 0, columns: 0)

  /// Takes the terminal over; nil where there is none in front.
  init?() {
    guard let terminal = Terminal(), terminal.beginQuestion() else { return nil }
    self.terminal = terminal
  }

  /// Where keys come from.
  var descriptor: Int32 { terminal.descriptor }

  /// Rows and columns.
  var size: (rows: Int, columns: Int) { terminal.size }

  /// The keys that wait, without waiting for any; nil when the terminal is gone.
  func keys() -> [Key]? {
    var wait = pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&wait, 1, 0) > 0 else { return [] }
    return terminal.read().map(Key.keys)
  }

  /// Lets a question of the daemon have the terminal, until `resume`.
  func pause() {
    guard !isPaused else { return }
    terminal.endQuestion()
    isPaused = true
    shown = []
  }

  /// Takes the terminal back.
  func resume() {
    guard isPaused else { return }
    isPaused = !terminal.beginQuestion()
  }

  /// Gives the terminal back as it was.
  func end() { terminal.endQuestion() }

  /// Shows a picture.
  func show(_ rows: [String]) {
    guard !isPaused else { return }
    let size = terminal.size
    if size != shownSize || rows.count != shown.count {
      shown = [String](repeating: "\u{0}", count: rows.count)
      shownSize = size
      terminal.write("\u{1B}[2J")
    }
    var changes = ""
    for (index, row) in rows.enumerated() where row != shown[index] {
      // Letters of usual size first: a row keeps its size until it is told another.
      changes += "\u{1B}[\(index + 1);1H\u{1B}#5\u{1B}[0m\u{1B}[2K" + row
    }
    shown = rows
    guard !changes.isEmpty else { return }
    // Terminals that know it show what is between the two marks at once.
    terminal.write("\u{1B}[?2026h" + changes + "\u{1B}[?2026l")
  }
}
