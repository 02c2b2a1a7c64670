internal import Foundation

/// The closed word lists of one language that purposes are checked by; one file holds all four.
struct PurposeWords: Decodable, Sendable {
  /// The mark that closes a sentence.
  var fullStop: String
  /// The most characters that fit into two lines.
  var charactersMax: Int
  /// Whether words stand apart, so that lists are compared with whole words.
  var separatesWords: Bool
  /// Terms of each use; a sentence holds one of its own (P3).
  var uses: [Purpose.Use: [String]]
  var pressure: [String]
  var jargon: [String]
  var incentives: [String]
  /// Words after which a participle makes a passive (P6).
  var beingForms: [String]
  var participles: [String]
  var participleEndings: [String]
  /// Words that are passive by themselves.
  var passives: [String]
  /// Words of the prompt's own buttons, and their likes (E4).
  var promptWords: [String]
  /// Words that point at a place or a colour (E4).
  var pointing: [String]
  /// The sentence that says that a question comes next (E1).
  var announcement: String

  /// The shipped lists.
  static let shipped: [PromptLanguage: PurposeWords] = {
    do {
      return try JSONDecoder().decode(
        [PromptLanguage: PurposeWords].self, from: Data(PackageResources.words_json))
    } catch {
      preconditionFailure("the shipped word lists are broken")
    }
  }()

  /// The first listed word that the sentence holds, or nil.
  ///
  /// A trailing `*` stands for any ending; a list's entry may be several words.
  func first(of list: [String], in sentence: String) -> String? {
    let lowered = sentence.lowercased()
    guard separatesWords else { return list.first { lowered.contains($0.lowercased()) } }
    let words = Self.words(of: lowered)
    return list.first { entry in
      let wanted = entry.lowercased().split(separator: " ")
      guard words.count >= wanted.count else { return false }
      return (0...(words.count - wanted.count)).contains { start in
        wanted.indices.allSatisfy { Self.fits(words[start + $0], wanted[$0]) }
      }
    }
  }

  /// The passive that the sentence holds, where the lists can tell.
  func passive(in sentence: String) -> String? {
    if let word = first(of: passives, in: sentence) { return word }
    let words = Self.words(of: sentence.lowercased())
    for (index, word) in words.enumerated() where beingForms.contains(String(word)) {
      // An adverb or a negation may stand between the two.
      for next in words[(index + 1)...].prefix(2) {
        let isParticiple =
          participles.contains(String(next))
          || participleEndings.contains { next.count > $0.count + 1 && next.hasSuffix($0) }
        if isParticiple { return "\(word) … \(next)" }
        guard next == "not" || next == "never" || next.hasSuffix("ly") else { break }
      }
    }
    return nil
  }

  static func words(of text: String) -> [Substring] {
    text.replacing("’", with: "'").split { !$0.isLetter && !$0.isNumber && $0 != "'" }
  }

  private static func fits(_ word: Substring, _ pattern: Substring) -> Bool {
    pattern.hasSuffix("*") ? word.hasPrefix(pattern.dropLast()) : word == pattern
  }
}
