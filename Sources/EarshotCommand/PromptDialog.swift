internal import EarshotClient

/// A question as it stands on the terminal: which button has the focus, and what a key does.
///
/// Pure: it is given keys and gives back what they mean. At first no button has the focus, so that
/// Return does nothing (rule C6).
struct PromptDialog {
  /// What a key brought about.
  enum Effect: Sendable, Hashable {
    case nothing
    case redraw
    case answer(choice: String)
    case dismiss
  }

  /// The question as the daemon worded it.
  let prompt: PromptMessage
  /// The buttons in the order they are shown.
  let buttons: [PromptMessage.Button]
  /// The key that stands for each button: a letter of its label, or its number.
  let letters: [Character]
  /// The button that has the focus.
  private(set) var focus: Int?
  /// The choice that is marked because it cannot be undone.
  let destructive: String?

  /// Choices that back out of what is asked.
  private static let backingOut: Set<String> = ["deny", "not-now", "never-save", "cancel"]

  /// Makes a question; `focus` names the choice that has the focus at first, if one has.
  init(_ prompt: PromptMessage, focus: String? = nil, destructive: String? = nil) {
    self.prompt = prompt
    self.destructive = destructive
    // Two stand in a row with the backing-out one leading; three are stacked as they come, and the
    // daemon puts the backing-out one last (rule A5).
    let isRow = prompt.buttons.count == 2
    buttons =
      isRow && !Self.backingOut.contains(prompt.buttons[0].choice)
        && Self.backingOut.contains(prompt.buttons[1].choice)
      ? prompt.buttons.reversed() : prompt.buttons
    letters = Self.letters(for: buttons.map(\.label))
    self.focus = buttons.firstIndex { $0.choice == focus }
  }

  /// Whether the buttons stand side by side.
  var isRow: Bool { buttons.count == 2 }

  /// Takes one key.
  mutating func take(_ key: Key) -> Effect {
    switch key {
    case .leave: return .dismiss
    case .forward:
      focus = focus.map { ($0 + 1) % buttons.count } ?? 0
      return .redraw
    case .back:
      focus = focus.map { ($0 + buttons.count - 1) % buttons.count } ?? buttons.count - 1
      return .redraw
    case .confirm: return focus.map { .answer(choice: buttons[$0].choice) } ?? .nothing
    case .character(let character):
      let typed = Character(character.uppercased())
      if let index = letters.firstIndex(of: typed) {
        return .answer(choice: buttons[index].choice)
      }
      if let number = typed.wholeNumberValue, buttons.indices.contains(number - 1) {
        return .answer(choice: buttons[number - 1].choice)
      }
      return .nothing
    }
  }

  /// For each label a letter that no label before it has: a word's first where possible, else any
  /// of the label's, else its number.
  ///
  /// Scripts whose characters no single key types are answered by number.
  private static func letters(for labels: [String]) -> [Character] {
    var taken: Set<Character> = []
    return labels.enumerated().map { index, label in
      let wishes = label.split(separator: " ").compactMap(\.first) + Array(label)
      let letter = wishes.lazy.filter { $0.isLetter && Cells.width(of: $0) == 1 }
        .compactMap { $0.uppercased().first }.first { taken.insert($0).inserted }
      return letter ?? Character(String(index + 1))
    }
  }
}
