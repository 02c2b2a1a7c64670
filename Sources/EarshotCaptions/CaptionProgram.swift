public import EarshotCatalog

/// All that is timed to one item's sound, told as the place moves on: cues of every track, and the
/// parts that items stand for.
///
/// A pure value: the same places give the same events.
public struct CaptionProgram: Sendable {
  /// What appears and goes away.
  public enum Content: Sendable {
    /// A cue of a track.
    case cue(Cue, CaptionTrackKind)
    /// A part of an item's sound.
    case part(MediaItem)
  }

  /// An appearance or its end.
  public struct Event: Sendable {
    /// Whether it appears; else it goes away.
    public var isEnter: Bool
    /// From when, on the reference's time line.
    public var start: CueTime
    /// Until when.
    public var end: CueTime
    /// What.
    public var content: Content
  }

  private var tracks: [(kind: CaptionTrackKind, cues: TimedContent<Cue>)]
  private var parts: TimedContent<MediaItem>

  /// A program; nothing has appeared yet.
  public init(
    tracks: [(kind: CaptionTrackKind, track: CaptionTrack)],
    parts: [TimedContent<MediaItem>.Entry] = []
  ) {
    self.tracks = tracks.map { kind, track in
      let entries = track.cues.map {
        TimedContent<Cue>.Entry(start: $0.start, end: $0.end, content: $0)
      }
      return (kind, TimedContent(entries))
    }
    self.parts = TimedContent(parts)
  }

  /// Tells what happened on the way to a place; nil stands for a place that is lost.
  public mutating func move(to place: CueTime?) -> [Event] {
    var events: [Event] = []
    for index in tracks.indices {
      let kind = tracks[index].kind
      for event in tracks[index].cues.move(to: place) {
        switch event {
        case .enter(let entry): events.append(Self.event(true, entry) { .cue($0, kind) })
        case .leave(let entry): events.append(Self.event(false, entry) { .cue($0, kind) })
        }
      }
    }
    for event in parts.move(to: place) {
      switch event {
      case .enter(let entry): events.append(Self.event(true, entry) { .part($0) })
      case .leave(let entry): events.append(Self.event(false, entry) { .part($0) })
      }
    }
    return events
  }

  /// The cues of a track that are shown now, in the order of the file.
  public func shown(_ kind: CaptionTrackKind) -> [Cue] {
    tracks.filter { $0.kind == kind }.flatMap { $0.cues.entered.map(\.content) }
      .sorted { $0.order < $1.order }
  }

  /// The next place at which something happens; nil when nothing will.
  public func change(after place: CueTime) -> CueTime? {
    (tracks.map { $0.cues.change(after: place) } + [parts.change(after: place)])
      .compactMap { $0 }.min()
  }

  /// Where the last of it goes away.
  public var end: CueTime {
    (tracks.flatMap { $0.cues.entries.map(\.end) } + parts.entries.map(\.end)).max() ?? .zero
  }

  private static func event<Value>(
    _ isEnter: Bool, _ entry: TimedContent<Value>.Entry, _ content: (Value) -> Content
  ) -> Event {
    Event(
      isEnter: isEnter, start: entry.start, end: entry.end, content: content(entry.content))
  }
}
