internal import EarshotClient
internal import Glibc

/// A prompt as zenity shows it: what it is started with, and what its end means.
///
/// Pure, so that what a program's name could do to the dialog is tested without one. Two buttons
/// stand with the backing-out one leading; three stand in the daemon's order, in a row because
/// zenity knows no other way.
struct DesktopDialog: Sendable, Hashable {
  /// What the dialog's end came to.
  enum Outcome: Sendable, Hashable {
    case answer(choice: String)
    /// Left by Esc, by its window's button or by time: nothing is recorded (rule C7).
    case dismissed
    /// The dialog was not shown, so nobody can have answered it.
    case failed(status: Int32)
  }

  /// One button: what is shown, and what it stands for.
  struct Button: Sendable, Hashable {
    var choice: String
    var label: String
  }

  /// The statuses that zenity is told to end with, unlike any other program's.
  static let statuses = [
    "ZENITY_OK": "80", "ZENITY_CANCEL": "81", "ZENITY_ESC": "82", "ZENITY_TIMEOUT": "83",
    "ZENITY_EXTRA": "84", "ZENITY_ERROR": "85",
  ]
  private static let leaving: Set<Int32> = [81, 82, 83, 84]

  let prompt: PromptMessage
  let buttons: [Button]

  /// Choices that back out of what is asked.
  static let backingOut: Set<String> = ["deny", "not-now", "never-save"]

  init(_ prompt: PromptMessage) {
    self.prompt = prompt
    var ordered = prompt.buttons
    if ordered.count == 2, Self.backingOut.contains(ordered[1].choice) { ordered.swapAt(0, 1) }
    let letters = Self.letters(for: ordered.map(\.label))
    buttons = zip(ordered, letters).map {
      Button(choice: $0.choice, label: Self.label($0.label, letter: $1))
    }
  }

  /// The arguments for zenity, its own name left out.
  var arguments: [String] {
    var text = "<b>\(Self.markup(prompt.title))</b>"
    if let message = prompt.message { text += "\n\n" + Self.markup(message) }
    // zenity undoes backslashes in this text before it reads the markup.
    text = text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
    return [
      "--question", "--switch", "--title=Earshot", "--width=440",
      "--icon-name=\(prompt.capability == "library" ? "document-save" : "audio-input-microphone")",
      "--timeout=\(max(1, Int(prompt.secondsLeft.rounded(.up))))", "--text=\(text)",
    ] + buttons.map { "--extra-button=\($0.label)" }
  }

  /// What zenity's output and status mean.
  func outcome(output: String, status: Int32) -> Outcome {
    var line = output[...]
    while line.last?.isNewline == true { line.removeLast() }
    if let button = buttons.first(where: { $0.label == line }) {
      return .answer(choice: button.choice)
    }
    return Self.leaving.contains(status) ? .dismissed : .failed(status: status)
  }

  /// The text with everything escaped that Pango's markup would take for its own.
  static func markup(_ text: String) -> String {
    text.map { character in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&apos;"
      default: String(character)
      }
    }.joined()
  }

  /// The label with its letter underlined; a script that no single key types gets a number.
  private static func label(_ label: String, letter: Character?) -> String {
    let characters = Array(label)
    let places = characters.indices.filter { index in
      characters[index].uppercased() == letter.map(String.init)
    }
    // A word's first letter where it is one, as the letters were chosen.
    let place =
      places.first { $0 == 0 || characters[$0 - 1] == " " } ?? places.first
    let made = characters.enumerated().map { index, character in
      // An underscore marks the letter, so one that is text is doubled.
      (index == place ? "_" : "") + (character == "_" ? "__" : String(character))
    }.joined()
    guard place == nil, let letter else { return made }
    return made + "(_\(letter))"
  }

  /// For each label a key that no label before it has: a word's first letter where possible.
  private static func letters(for labels: [String]) -> [Character?] {
    var taken: Set<Character> = []
    return labels.enumerated().map { index, label in
      let wishes = label.split(separator: " ").compactMap(\.first) + Array(label)
      let letter = wishes.lazy.filter { $0.isLetter && $0.isCased }
        .compactMap { $0.uppercased().first }.first { taken.insert($0).inserted }
      return letter ?? Character(String(index + 1))
    }
  }
}

/// What makes zenity keep the rules of a prompt: settings of its own, in a folder of its own, so that
/// no theme and no setting of the person's can restyle it or give a button the keys.
enum DesktopStyle {
  /// GTK gives the first button the focus. Return and the space bar would then press it, so they are
  /// taken away from the whole window; every button has a letter with Alt instead (rule C6).
  static let css = """
    @binding-set EarshotPrompt {
      unbind "Return"; unbind "KP_Enter"; unbind "ISO_Enter";
      unbind "space"; unbind "KP_Space";
    }
    window, dialog, messagedialog, button, label { -gtk-key-bindings: EarshotPrompt; }
    button {
      min-width: 130px; min-height: 30px; color: #1a1a1a; background: #f2f2f2;
      border: 1px solid #767676; border-radius: 6px; box-shadow: none; text-shadow: none;
      font-weight: normal; outline-width: 0;
    }
    button:hover { background: #e2e2e2; }
    window, dialog, messagedialog, box { background-color: #ffffff; }
    label { color: #1a1a1a; }

    """

  static let settings = """
    [Settings]
    gtk-theme-name=Adwaita
    gtk-application-prefer-dark-theme=false
    gtk-enable-animations=false

    """

  /// Writes both below `folder`.
  ///
  /// - Throws: the ways a folder or file can be unusable.
  static func write(to folder: String) throws(ServiceError) {
    try Folders.makePrivate(folder + "/gtk-3.0", role: "dialog's folder")
    try write(css, to: folder + "/gtk-3.0/gtk.css")
    try write(settings, to: folder + "/gtk-3.0/settings.ini")
  }

  private static func write(_ text: String, to path: String) throws(ServiceError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .unusableFile(role: "dialog's file", code: errno) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw .unusableFile(role: "dialog's file", code: errno)
    }
  }
}
