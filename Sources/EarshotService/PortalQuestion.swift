internal import EarshotClient

/// A prompt as the desktop portal's backend shows it, which knows two buttons and no third.
///
/// What backs out and what grants least are offered, so nobody allows more here than by any other
/// surface. Pure, so that what an answer means is tested without a desktop.
struct PortalQuestion: Sendable, Hashable {
  let prompt: PromptMessage
  let backingOut: DesktopDialog.Button
  let granting: DesktopDialog.Button

  /// What backs out, the one that leaves least behind first.
  private static let backingOutChoices = ["deny", "not-now"]

  /// Nil where the prompt has no such pair.
  init?(_ prompt: PromptMessage) {
    let leaving = Self.backingOutChoices.lazy.compactMap { choice in
      prompt.buttons.first { $0.choice == choice }
    }.first
    // The daemon words the narrowest allowance first.
    let narrowest = prompt.buttons.first { !DesktopDialog.backingOut.contains($0.choice) }
    guard let leaving, let narrowest else { return nil }
    var pair = prompt
    pair.buttons = [narrowest, leaving]
    let buttons = DesktopDialog(pair).buttons
    self.prompt = prompt
    (backingOut, granting) = (buttons[0], buttons[1])
  }

  /// What the backend's response means: 0 the granting button, 1 the other, 2 that it was left.
  func outcome(response: UInt32?) -> DesktopDialog.Outcome {
    switch response {
    case 0: .answer(choice: granting.choice)
    case 1: .answer(choice: backingOut.choice)
    case 2: .dismissed
    default: .failed(status: 127)
    }
  }
}
