internal import EarshotCaptions
internal import EarshotCatalog
internal import EarshotClient

extension CaptionsCue {
  /// A cue as it is told.
  init(_ cue: Cue, _ kind: CaptionTrackKind, _ clock: CaptionsClock?) {
    self.init(
      id: "\(kind.rawValue)-\(cue.order)", track: kind.rawValue, start: cue.start.seconds,
      end: cue.end.seconds, text: cue.text, spans: cue.spans.map { CaptionsSpan($0) },
      language: cue.language, fromTop: cue.placement.fromTop, fromLeft: cue.placement.fromLeft,
      alignment: cue.placement.alignment.rawValue, writing: cue.placement.writing.rawValue,
      clock: clock)
  }
}

extension CaptionsSpan {
  fileprivate init(_ span: CueSpan) {
    let styles: [(CueStyle, String)] = [
      (.italic, "italic"), (.bold, "bold"), (.underlined, "underlined"), (.reading, "reading"),
    ]
    let names = styles.filter { span.style.contains($0.0) }.map(\.1)
    self.init(
      text: span.text, style: names.isEmpty ? nil : names, color: span.color?.rawValue,
      voice: span.voice, language: span.language)
  }
}

extension CaptionsPart {
  /// A part of an item's sound as it is told.
  init(_ item: MediaItem, _ event: CaptionProgram.Event, _ clock: CaptionsClock?) {
    self.init(
      id: item.id, start: event.start.seconds, end: event.end.seconds, title: item.title,
      subtitle: item.subtitle, artwork: item.artwork, webURL: item.webURL,
      custom: item.custom.map { AnyJSON($0) }, clock: clock)
  }
}

extension AnyJSON {
  fileprivate init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .integer(value)
    case .number(let value): self = .number(value)
    case .string(let value): self = .string(value)
    case .array(let values): self = .array(values.map { AnyJSON($0) })
    case .object(let values): self = .object(values.mapValues { AnyJSON($0) })
    }
  }
}
