internal import EarshotClient
internal import Foundation

/// Asks one of the program's own questions on the controlling terminal.
enum QuestionAtTerminal {
  /// Asks, and returns whether the person chose to go ahead; nil where no person can be asked.
  ///
  /// Leaving the question, its time running out and a lost terminal count as 'Cancel'.
  static func ask(_ question: Question, console: Console) -> Bool? {
    guard let terminal = Terminal(), terminal.beginQuestion() else { return nil }
    defer { terminal.endQuestion() }
    let prompt = question.prompt(in: console.language)
    var dialog = PromptDialog(
      prompt, focus: question.isDestructive ? Question.cancel : nil,
      destructive: question.isDestructive ? Question.goAhead : nil)
    let start = ProcessInfo.processInfo.systemUptime
    while true {
      let left = Int((prompt.secondsLeft - age(since: start)).rounded(.up))
      guard left > 0, terminal.isForeground, !Interruption.isRequested else { return false }
      let size = terminal.size
      let picture = PromptPicture(
        dialog, rows: size.rows, columns: size.columns, secondsLeft: left,
        language: console.language)
      terminal.write(picture.screen)
      guard let bytes = wait(terminal) else { return false }
      let isHeard = age(since: start) > TerminalAgent.deafSeconds
      for key in Key.keys(in: bytes) where key == .leave || isHeard {
        switch dialog.take(key) {
        case .nothing, .redraw: break
        case .dismiss: return false
        case .answer(let choice): return choice == Question.goAhead
        }
      }
    }
  }

  private static func age(since start: Double) -> Double {
    ProcessInfo.processInfo.systemUptime - start
  }

  /// Waits for keys, a signal, or the next second of the countdown; nil when the terminal is gone.
  private static func wait(_ terminal: Terminal) -> [UInt8]? {
    var waits = [
      pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: Interruption.cancellation.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    guard unsafe poll(&waits, nfds_t(waits.count), 500) > 0, waits[0].revents != 0 else {
      return []
    }
    return terminal.read()
  }
}
