internal import EarshotClient
internal import Foundation

/// Shows the daemon's questions on the controlling terminal and brings back what the person answers.
///
/// It exists only for a program in the terminal's foreground process group (rule C10). One question
/// is shown at a time; leaving it, a lost terminal and the end of its time decide nothing (rule C7).
struct TerminalAgent: ~Copyable {
  /// Ends the stream of questions.
  let cancellation = Cancellation()

  private let client: DaemonClient
  private let console: Console
  private let savesByItself: Bool
  private let terminal: Terminal?
  private var dialog: PromptDialog?
  private var shownAt = 0.0
  private var secondsDrawn = -1

  /// Keys that come sooner than this after a question appeared were meant for something else.
  static let deafSeconds = 0.25
  /// How much longer than its time a question stays when the daemon does not take it away.
  private static let graceSeconds = 2.0

  /// Makes one; `savesByItself` answers the question to save with 'Save', as `--save` asked.
  init(client: DaemonClient, console: Console, savesByItself: Bool) {
    self.client = client
    self.console = console
    self.savesByItself = savesByItself
    terminal = Terminal()
  }

  /// Whether a person can be asked.
  var canAsk: Bool { terminal != nil }

  /// The terminal's descriptor while a question is shown.
  var keyDescriptor: Int32? { dialog == nil ? nil : terminal?.descriptor }

  /// Takes an event of the daemon.
  mutating func take(_ event: PromptEvent) {
    switch event {
    case .ready: break
    case .shown(let prompt): show(prompt)
    case .gone(let id, _):
      guard dialog?.prompt.id == id else { return }
      hide()
      console.note(Phrase.dismissed.text(in: console.language))
    }
  }

  /// The stream of questions ended: none can be answered any more.
  mutating func lose() { hide() }

  /// Leaves an open question without an answer and lets go of the terminal.
  mutating func end() {
    if let prompt = dialog?.prompt { answer(PromptAnswer.dismiss, prompt) }
    hide()
    cancellation.cancel()
  }

  /// Takes the keys that were pressed, and draws the time left.
  mutating func readKeys() {
    guard let current = dialog else { return }
    let age = ProcessInfo.processInfo.systemUptime - shownAt
    if age > current.prompt.secondsLeft + Self.graceSeconds || !isInFront {
      return dismiss()
    }
    guard let bytes = typed() else { return dismiss() }
    for key in Key.keys(in: bytes) where key == .leave || age > Self.deafSeconds {
      guard dialog != nil else { return }
      act(on: key)
    }
    draw(force: false)
  }

  private var isInFront: Bool { terminal?.isForeground ?? false }

  /// What waits at the terminal; empty when nothing does, nil when the terminal is gone.
  private func typed() -> [UInt8]? {
    guard let descriptor = terminal?.descriptor else { return nil }
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&wait, 1, 0) > 0 else { return [] }
    return terminal?.read() ?? nil
  }

  private mutating func act(on key: Key) {
    guard let prompt = dialog?.prompt, let effect = dialog?.take(key) else { return }
    switch effect {
    case .nothing: break
    case .redraw: draw(force: true)
    case .dismiss: dismiss()
    case .answer(let choice):
      let label = prompt.buttons.first { $0.choice == choice }?.label ?? choice
      hide()
      if answer(choice, prompt) {
        console.note(
          Shown.text(prompt.title) + " "
            + Phrase.answered(label: Shown.text(label)).text(in: console.language))
      }
    }
  }

  private mutating func dismiss() {
    guard let prompt = dialog?.prompt else { return }
    hide()
    answer(PromptAnswer.dismiss, prompt)
    console.note(Phrase.dismissed.text(in: console.language))
  }

  private mutating func show(_ prompt: PromptMessage) {
    guard dialog == nil else { return }
    // Typing --save at the terminal was the person's answer to the question to save.
    if savesByItself, prompt.capability == "library", isInFront,
      prompt.buttons.contains(where: { $0.choice == "save" })
    {
      answer("save", prompt)
      return
    }
    guard terminal?.beginQuestion() ?? false else {
      answer(PromptAnswer.dismiss, prompt)
      return
    }
    dialog = PromptDialog(prompt)
    shownAt = ProcessInfo.processInfo.systemUptime
    draw(force: true)
  }

  private mutating func hide() {
    guard dialog != nil else { return }
    dialog = nil
    terminal?.endQuestion()
  }

  /// Sends an answer; a fault is told and leaves the question undecided.
  @discardableResult
  private func answer(_ choice: String, _ prompt: PromptMessage) -> Bool {
    do throws(ClientError) {
      _ = try client.answer(choice, to: prompt.id)
      return true
    } catch {
      // A question that is gone already needs no word: its end is told by the events.
      if case .refused = error { return false }
      console.note(Report.text(DaemonText.explain(error)))
      return false
    }
  }

  private mutating func draw(force: Bool) {
    guard let current = dialog, let size = terminal?.size else { return }
    let age = ProcessInfo.processInfo.systemUptime - shownAt
    let left = max(0, Int((current.prompt.secondsLeft - age).rounded(.up)))
    guard force || left != secondsDrawn else { return }
    secondsDrawn = left
    let picture = PromptPicture(
      current, rows: size.rows, columns: size.columns, secondsLeft: left,
      language: Language(rawValue: current.prompt.language) ?? console.language)
    terminal?.write(picture.screen)
  }
}

extension PromptAnswer {
  /// The choice that leaves a question without an answer (rule C7).
  static let dismiss = "dismiss"
}
