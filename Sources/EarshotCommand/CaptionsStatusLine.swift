/// The line under captions, with its keys always in view: what is known least gives way first.
struct CaptionsStatusLine: Sendable, Hashable {
  /// The item's title.
  var title: String?
  /// The chapter that is played.
  var chapter: String?
  /// The place on the reference's time line.
  var place: String?
  /// The playback rate.
  var rate: String?
  /// The clock's uncertainty.
  var uncertainty: String?
  /// The shift made by hand.
  var shift: String?
  /// What can be pressed.
  var keys: String

  private static let separator = "  ·  "
  /// Cells of a title or chapter below which it is left out rather than shortened.
  private static let nameWidthMin = 6

  /// The line in at most `columns` cells, as far as the keys leave room.
  func text(columns: Int) -> String {
    var line = self
    if line.joined(over: columns) { line.uncertainty = nil }
    for name in [\CaptionsStatusLine.chapter, \CaptionsStatusLine.title] {
      guard line.joined(over: columns), let text = line[keyPath: name] else { continue }
      let room = Cells.width(of: text) - (Cells.width(of: line.whole) - columns)
      line[keyPath: name] = room < Self.nameWidthMin ? nil : Self.shortened(text, to: room)
    }
    if line.joined(over: columns) { line.rate = nil }
    if line.joined(over: columns) { line.place = nil }
    return line.whole
  }

  private func joined(over columns: Int) -> Bool { Cells.width(of: whole) > columns }

  private var whole: String {
    " "
      + [title, chapter, place, rate, uncertainty, shift, keys].compactMap { $0 }
      .joined(separator: Self.separator)
  }

  private static func shortened(_ text: String, to width: Int) -> String {
    var shown = ""
    var columns = 1
    for character in text {
      columns += Cells.width(of: character)
      if columns > width { break }
      shown.append(character)
    }
    return shown + "…"
  }
}
