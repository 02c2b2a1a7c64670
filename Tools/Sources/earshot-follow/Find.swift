import EarshotMatch
import Foundation

/// Searches everything at many moments: when a first place is found, and how certain each look was.
struct Find {
  let run: Run
  let limit: Double

  /// Searches every so many seconds.
  func find(step: Double, until end: Double) throws {
    var at = 0.8
    while at + limit + 1 < min(end, run.sound.seconds) {
      let options = MatchOptions(goal: .place, limitSeconds: limit, explains: true)
      guard
        let found = try run.sound.listening(from: at, limit: limit, in: run.space, options: options)
      else { break }
      let offset = found.kind == .match ? found.candidates.first?.offset : nil
      let off = offset.map { ($0 - run.speed * at) * 1000 } ?? .nan
      let places = found.candidates.first?.places.count ?? 0
      let looks = (found.explanation?.looks ?? []).map { String(format: "%.1f", $0.certainty) }
      let line = String(
        format: "%7.1f  heard %5.2f  off %8.1f ms  places %d ", at, found.heardSeconds, off, places)
      print(line, found.kind, looks.joined(separator: " "))
      at += step
    }
  }
}
