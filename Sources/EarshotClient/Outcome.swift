/// How a recognition ended: the same word in JSON, in events and, as a number, in the exit status.
public enum Outcome: String, Codable, Sendable, Hashable, CaseIterable {
  /// One item, certain enough.
  case match
  /// Good sound, and nothing in the catalog fits it.
  case noMatch = "no-match"
  /// Several items fit equally well.
  case ambiguous
  /// Silence, a muted source, or sound that is far too quiet.
  case noSignal = "no-signal"
  /// Not enough sound to decide either way.
  case tooShort = "too-short"
  /// No consent, a denial, a restriction, or nobody to ask.
  case denied
  /// A batch in which some inputs failed.
  case partial
  /// The person or a signal ended it.
  case cancelled
  /// A fault, with its cause and the next step.
  case error

  /// The exit status that stands for this outcome.
  public var exitStatus: Int32 {
    switch self {
    case .match: 0
    case .noMatch: 1
    case .error: 2
    case .ambiguous: 3
    case .noSignal: 4
    case .tooShort: 5
    case .denied: 6
    case .partial: 7
    case .cancelled: 130
    }
  }
}
