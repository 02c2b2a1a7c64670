/// What the program says around questions and listenings, in one table.
///
/// Questions themselves come from the daemon, already worded in the person's language.
enum Phrase {
  /// How a question is answered with keys.
  case promptKeys
  /// How long a question stays.
  case secondsLeft(Int)
  /// The microphone is open, for at most so many seconds.
  case microphoneOpen(source: String, limit: Int)
  /// The line that stays while the microphone is open.
  case listening(meter: String, secondsLeft: Int)
  /// The microphone is closed.
  case microphoneClosed
  /// The question was left without an answer.
  case dismissed
  /// What the person chose.
  case answered(label: String)
  /// The match is in the library.
  case saved
  /// `--save` could not count, because nobody is at the terminal.
  case notSavedNobodyThere

  /// The text in a language; English where there is no other yet.
  func text(in language: Language) -> String {
    switch self {
    case .promptKeys:
      "Press a button's key, or choose with Tab and press Return. Esc decides nothing."
    case .secondsLeft(let seconds): "\(seconds) s left."
    case .microphoneOpen(let source, let limit):
      "Microphone open (\(source)), for at most \(limit) s."
    case .listening(let meter, let seconds): "Listening  \(meter)  \(seconds) s left"
    case .microphoneClosed: "Microphone closed."
    case .dismissed: "Nothing was decided."
    case .answered(let label): "You chose '\(label)'."
    case .saved: "Saved in your library."
    case .notSavedNobodyThere:
      "Not saved: --save counts only when you are at the terminal yourself."
    }
  }
}
