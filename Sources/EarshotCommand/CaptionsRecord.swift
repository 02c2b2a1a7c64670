internal import EarshotCaptions
internal import EarshotCatalog

/// The events of `captions --json`, one object a line (version 1).
///
/// Each carries the place in seconds and the monotonic clock in nanoseconds at which it was told.
enum CaptionsRecord {
  /// An event with what belongs to it.
  static func event(
    _ name: String, at position: Double?, _ reading: ClockReading,
    _ members: [JSONText.Member] = []
  ) -> JSONText {
    .object(
      [
        .init("version", 1), .init("event", .string(name)),
        .init("position", .number(position, 4)),
        .init("monotonic", .integer(Int(clamping: reading.monotonicNanoseconds))),
      ] + members)
  }

  /// What appears or goes away.
  static func members(of event: CaptionProgram.Event) -> [JSONText.Member] {
    switch event.content {
    case .cue(let cue, let kind): members(of: cue, kind)
    case .part(let item): members(of: item, event)
    }
  }

  private static func members(of cue: Cue, _ kind: CaptionTrackKind) -> [JSONText.Member] {
    [
      .init("kind", "cue"), .init("track", .string(kind.rawValue)),
      .init("start", .number(cue.start.seconds, digits: 6)),
      .init("end", .number(cue.end.seconds, digits: 6)), .init("text", .string(cue.text)),
      .init("identifier", .text(cue.identifier)), .init("language", .text(cue.language)),
      .init("spans", .array(cue.spans.map(json))),
    ]
  }

  private static func json(_ span: CueSpan) -> JSONText {
    var members: [JSONText.Member] = [.init("text", .string(span.text))]
    let styles: [(CueStyle, String)] = [
      (.italic, "italic"), (.bold, "bold"), (.underlined, "underlined"), (.reading, "reading"),
    ]
    let names = styles.filter { span.style.contains($0.0) }.map { JSONText.string($0.1) }
    if !names.isEmpty { members.append(.init("style", .array(names))) }
    if let color = span.color { members.append(.init("color", .string(color.rawValue))) }
    if let voice = span.voice { members.append(.init("voice", .string(voice))) }
    if let language = span.language { members.append(.init("language", .string(language))) }
    return .object(members)
  }

  /// A part of an item.
  private static func members(
    of item: MediaItem, _ event: CaptionProgram.Event
  ) -> [JSONText.Member] {
    [
      .init("kind", "item"), .init("id", .string(item.id)), .init("title", .string(item.title)),
      .init("start", .number(event.start.seconds, digits: 6)),
      .init("end", .number(event.end.seconds, digits: 6)),
      .init("custom", item.custom.map(json) ?? .null),
    ]
  }

  private static func json(_ value: JSONValue) -> JSONText {
    switch value {
    case .null: .null
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(Int(value))
    case .number(let value): .number(value, digits: 12)
    case .string(let value): .string(value)
    case .array(let values): .array(values.map(json))
    case .object(let values):
      .object(values.sorted { $0.key < $1.key }.map { .init($0.key, json($0.value)) })
    }
  }

  /// What a listening found, and what it meant for the clock.
  static func members(
    of sighting: PlaceSighting, item: String, change: CaptionClock.Change?
  ) -> [JSONText.Member] {
    var members: [JSONText.Member] = [
      .init("item", .string(item)), .init("offset", .number(sighting.offset, digits: 4)),
      .init("speed", .number(sighting.speed, 6)),
      .init("heard", .number(sighting.heard, digits: 3)),
      .init("firstSample", .integer(Int(sighting.firstSample * 1e9))),
    ]
    switch change {
    case .steady(let correction):
      members.append(.init("correction", .number(correction, digits: 4)))
    case .moved(let seconds): members.append(.init("movedBy", .number(seconds, digits: 4)))
    case nil: break
    }
    return members
  }

  /// What the clock shows.
  static func members(of reading: CaptionClock.Reading, item: String?) -> [JSONText.Member] {
    [
      .init("item", .text(item)), .init("speed", .number(reading.speed, digits: 6)),
      .init("uncertainty", .number(reading.uncertainty, digits: 4)),
      .init("rate", .text(reading.rate?.rawValue)),
    ]
  }
}
