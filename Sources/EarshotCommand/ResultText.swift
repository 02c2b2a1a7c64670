internal import EarshotClient

/// Results for people: what was found, where in it, and how sure that is.
enum ResultText {
  /// The lines for one result. `name` is what was asked about, if it has a name.
  static func lines(
    name: String?, outcome: Outcome, heard: Double, matches: [MatchedItem],
    explanation: Explanation?
  ) -> [String] {
    let start = name.map { $0 + ": " } ?? ""
    let seconds = JSONText.plain(heard, digits: 1) + " s"
    switch outcome {
    case .match:
      guard let best = matches.first else { return [] }
      let also = matches.dropFirst().map { "  less likely: " + line($0) }
      return [start + line(best) + ", heard \(seconds)"] + also
    case .ambiguous:
      // One item of two catalogs would read like the same line twice.
      let isTwice = Set(matches.map(\.id)).count < matches.count
      return [start + "several items fit equally well, heard \(seconds)"]
        + matches.map { "  " + line($0, namesCatalog: isTwice) }
    case .noMatch:
      let hint = explanation.map { ["  \($0.means) \($0.next)"] } ?? []
      return [start + "nothing in the catalog fits, heard \(seconds)"] + hint
    case .noSignal, .tooShort, .denied, .partial, .cancelled, .error:
      let text = explanation.map { Report.text($0).split(separator: "\n").joined(separator: " ") }
      return [start + (text ?? outcome.rawValue)]
    }
  }

  /// One item: title, artist, place, speed, certainty.
  static func line(_ match: MatchedItem, namesCatalog: Bool = false) -> String {
    var text = Shown.text(match.title)
    if let artist = match.artist, !artist.isEmpty { text += " — " + Shown.text(artist) }
    text += " (\(Shown.text(match.id))), at \(clock(match.offset))"
    if let places = match.places, places.count > 1 {
      text += " (also " + places.dropFirst().prefix(4).map(clock).joined(separator: ", ") + ")"
    }
    if let speed = match.speed, abs(speed - 1) > 0.0005 {
      text += ", speed \(JSONText.plain(speed, digits: 4))"
    }
    if namesCatalog, let catalog = match.catalog { text += ", in " + Shown.text(catalog) }
    return text + ", \(percent(match.confidence)) certain"
  }

  /// Seconds as minutes and seconds: `1:02.5`; negative where the sound began before the item.
  static func clock(_ seconds: Double) -> String {
    let tenths = Int((abs(seconds) * 10).rounded())
    let sign = seconds < 0 && tenths > 0 ? "-" : ""
    let rest = tenths % 600
    let hours = tenths / 36_000
    let minutes = tenths / 600 % 60
    let tail = (rest < 100 ? "0" : "") + "\(rest / 10).\(rest % 10)"
    let short = hours > 0 && minutes < 10 ? "0\(minutes)" : "\(minutes)"
    return sign + (hours > 0 ? "\(hours):" : "") + short + ":" + tail
  }

  /// A probability in per cent; never rounded up to certainty.
  static func percent(_ probability: Double) -> String {
    JSONText.plain(min((probability * 1000).rounded(.down) / 10, 99.9), digits: 1) + " %"
  }
}
