/// What is to be told when a place in the reference is reached and when it is left: chapters,
/// exhibits, lessons, products, cues.
///
/// `Content` is whatever the owner wants to find again.
public struct TimedContent<Content: Sendable>: Sendable {
  /// A stretch of the reference and what it stands for.
  public struct Entry: Sendable {
    /// The first moment of it.
    public var start: CueTime
    /// The first moment after it.
    public var end: CueTime
    /// What it stands for.
    public var content: Content

    /// An entry.
    public init(start: CueTime, end: CueTime, content: Content) {
      self.start = start
      self.end = end
      self.content = content
    }
  }

  /// Something that happened as the place moved on.
  public enum Event: Sendable {
    /// The place came into an entry.
    case enter(Entry)
    /// The place went out of it, or is not known any more.
    case leave(Entry)
  }

  /// The entries by start.
  public let entries: [Entry]
  private let intervals: IntervalIndex
  private var current: [Int] = []
  private var place: CueTime?

  /// How far the place may move between two calls and still count as playing on, in seconds.
  /// Within it, entries too short to be met are entered and left all the same.
  static var stepMax: Double { 5 }

  /// Content; nothing is entered yet. Entries that end before they start never come.
  public init(_ entries: [Entry]) {
    let sorted = entries.enumerated().sorted {
      ($0.element.start, $0.offset) < ($1.element.start, $1.offset)
    }.map(\.element)
    self.entries = sorted
    intervals = IntervalIndex(sorted.map { $0.start..<max($0.start, $0.end) })
  }

  /// The entries that the place is in, by start.
  public var entered: [Entry] { current.map { entries[$0] } }

  /// Tells what happened on the way to a place; nil stands for a place that is lost.
  ///
  /// Every entry that was entered is left once, in that order, whatever the place does.
  public mutating func move(to place: CueTime?) -> [Event] {
    var events: [Event] = []
    defer { self.place = place }
    guard let place else {
      step(to: [], &events)
      return events
    }
    if let before = self.place, before < place,
      place.seconds - before.seconds <= Self.stepMax
    {
      var next = intervals.change(after: before)
      while let change = next, change <= place {
        step(to: intervals.containing(change), &events)
        next = intervals.change(after: change)
      }
    } else {
      step(to: intervals.containing(place), &events)
    }
    return events
  }

  /// The next place at which something happens.
  public func change(after place: CueTime) -> CueTime? { intervals.change(after: place) }

  private mutating func step(to next: [Int], _ events: inout [Event]) {
    guard next != current else { return }
    let (old, new) = (Set(current), Set(next))
    for index in current where !new.contains(index) { events.append(.leave(entries[index])) }
    for index in next where !old.contains(index) { events.append(.enter(entries[index])) }
    current = next
  }
}
