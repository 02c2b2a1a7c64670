internal import EarshotConsent
internal import Foundation
internal import Synchronization

/// One visitor's time at the page, and all that is remembered of it (rules K1, K2).
///
/// Its id is random and comes from nothing that could be heard or seen of the visitor.
final class KioskVisit: Sendable {
  let id = UUID().uuidString.lowercased()

  private struct State {
    /// The purposes, by the digest of what was shown, that an Allow button of a prompt answered.
    var allowedTexts: Set<String> = []
    var hasSeenPrompt = false
    var hasDeclinedSaving = false
    var hasSaved = false
    var isEnded = false
  }

  private let state = Mutex(State())

  var person: Person { .visit(id) }
  /// What 'Allow While Open' is bound to.
  var session: String { "visit:\(id)" }

  /// Whether a press grants by itself: this visitor has read this very purpose in a prompt and
  /// pressed an Allow button there (rule B2).
  func mayGrantByPress(_ question: ConsentQuestion) -> Bool {
    let digest = Self.digest(question)
    return state.withLock { !$0.isEnded && $0.allowedTexts.contains(digest) }
  }

  /// Remembers that a prompt has been shown: no explanation comes after it (rule E3).
  func noteShown() { state.withLock { $0.hasSeenPrompt = true } }

  var hasSeenPrompt: Bool { state.withLock { $0.hasSeenPrompt } }

  /// Remembers what a button of a prompt stood for.
  func note(_ choice: Prompt.Choice, to question: ConsentQuestion) {
    let digest = Self.digest(question)
    state.withLock { state in
      switch choice {
      case .allowOnce, .allowWhileOpen, .allowWhileCaptions: state.allowedTexts.insert(digest)
      case .deny: state.allowedTexts.remove(digest)
      case .notNow, .neverSave: state.hasDeclinedSaving = true
      case .save: break
      }
    }
  }

  /// Forgets the visitor's allowances, so that the next press asks again.
  func forgetAllowances() { state.withLock { $0.allowedTexts.removeAll() } }

  /// Whether 'Not Now' was the answer to the question to save (rule S2).
  var hasDeclinedSaving: Bool { state.withLock { $0.hasDeclinedSaving } }

  func noteSaved() { state.withLock { $0.hasSaved = true } }

  /// Whether the library may hold something of this visitor.
  var hasSaved: Bool { state.withLock { $0.hasSaved } }

  /// Ends it; true for the one who did.
  func end() -> Bool {
    state.withLock { state in
      defer { state.isEnded = true }
      return !state.isEnded
    }
  }

  var isEnded: Bool { state.withLock { $0.isEnded } }

  private static func digest(_ question: ConsentQuestion) -> String {
    // The shipped translations of one version are one text, so its first language stands for all.
    let sentence = question.purpose.sentence(in: .english).text
    return "\(question.capability.rawValue) \(question.purpose.code) "
      + Digest.hexadecimal(of: Array(sentence.utf8))
  }
}
