internal import EarshotCatalog

/// The line on a terminal that shows what is left to do once all sound is read; nothing where there is no
/// terminal, or where it is done within a second.
final class FinishingProgress {
  private let console: Console
  private var phase: FinishingPhase?
  private var start = ContinuousClock.now
  private var drawn = ContinuousClock.now
  private var width = 0

  init(console: Console) { self.console = console }

  /// Draws the line again, at most four times a second; false when someone wants the work to end.
  func draw(_ phase: FinishingPhase, _ share: Double) -> Bool {
    guard console.drawsProgress else { return !Interruption.isRequested }
    let now = ContinuousClock.now
    if phase != self.phase { (self.phase, start) = (phase, now) }
    if now - start > .seconds(1), now - drawn > .milliseconds(250) {
      drawn = now
      let text = Self.line(phase, share, elapsed: (now - start) / .seconds(1))
      console.draw("\r" + text + String(repeating: " ", count: max(0, width - text.count)))
      width = text.count
    }
    return !Interruption.isRequested
  }

  /// Takes the line away.
  func clear() {
    guard width > 0 else { return }
    console.draw("\r" + String(repeating: " ", count: width) + "\r")
    width = 0
  }

  /// The line's text. The time left is told once a twentieth of the work is behind.
  static func line(_ phase: FinishingPhase, _ share: Double, elapsed: Double) -> String {
    let what =
      switch phase {
      case .index: "Building the index"
      case .passages: "Looking for shared passages"
      }
    let text = "\(what): \(Int(share * 100)) %"
    guard share > 0.05 else { return text }
    return text + ", " + SoundFilesText.duration(elapsed * (1 - share) / share) + " left"
  }
}
