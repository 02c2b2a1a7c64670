internal import EarshotAudio
internal import Foundation

/// What a build keeps of a sound file besides its signature: its tags, and what was odd about it.
struct FileFacts: Sendable, Hashable, Codable {
  var title: String?
  var artist: String?
  var album: String?
  var genre: String?
  /// What was odd, in words.
  var warnings: [String] = []

  init(_ facts: SoundFacts) {
    title = facts.tags.title
    artist = facts.tags.artist
    album = facts.tags.album
    genre = facts.tags.genre
    warnings = facts.warnings.map(SoundFilesText.describe)
  }

  /// Reads what `bytes` gave.
  init?(_ bytes: [UInt8]) {
    guard let facts = try? JSONDecoder().decode(FileFacts.self, from: Data(bytes)) else {
      return nil
    }
    self = facts
  }

  /// As JSON, for a journal.
  var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map { [UInt8]($0) } ?? [] }
}
