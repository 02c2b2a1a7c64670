internal import EarshotCaptions
internal import EarshotClient

/// Faults of caption files in words.
enum CaptionsText {
  /// A file that cannot be used, in three parts. `name` is as it is shown.
  static func explain(_ error: CaptionError, name: String) -> Explanation {
    switch error {
    case .unreadable(let number):
      Explanation(
        reason: "unreadable", happened: "\(name): \(Report.systemText(number)).",
        means: "There are no captions to show.", next: "Check its name and who may read it.")
    case .notAFile:
      Explanation(
        reason: "not-a-file", happened: "\(name) is a folder or a device.",
        means: "There are no captions to show.", next: "Name a caption file.")
    case .tooLarge(let bytes, let limit):
      Explanation(
        reason: "too-large", happened: "\(name) has \(bytes) bytes; at most \(limit) are read.",
        means: "It was not read.", next: "Check that it is a caption file.")
    case .unknownEncoding(let line):
      Explanation(
        reason: "unknown-encoding",
        happened: "\(name), line \(line): the text is neither UTF-8 nor UTF-16 with a mark.",
        means: "Guessing would show wrong letters, so that nothing is shown.",
        next: "Say what it is with --encoding, as in '--encoding CP1252'; 'iconv -l' lists them.")
    case .notInEncoding(let line):
      Explanation(
        reason: "not-in-encoding",
        happened: "\(name), line \(line): the text does not fit the encoding that was named.",
        means: "It was not read.", next: "Name another with --encoding; 'iconv -l' lists them.")
    case .noSuchEncoding:
      Explanation(
        reason: "no-such-encoding", happened: "This system does not know that encoding.",
        means: "\(name) was not read.", next: "'iconv -l' lists those it knows.")
    case .unknownFormat:
      Explanation(
        reason: "unknown-format", happened: "\(name) is neither WebVTT, SRT nor TTML.",
        means: "There are no captions to show.",
        next: "Check that it is a caption file, and that it is whole.")
    case .outside:
      Explanation(
        reason: "outside", happened: "\(name) does not lie beside its catalog.",
        means: "It was not read.", next: "Put the file itself there, in place of the link.")
    }
  }

  /// A fault of one line, as a phrase without a full stop.
  static func describe(_ kind: CaptionFault.Kind) -> String {
    switch kind {
    case .unreadableTime: "the time cannot be read, and its cue is not shown"
    case .irregularTime: "the time is written against the rules of the format"
    case .endsBeforeStart: "the cue ends before it starts and is never shown"
    case .strayText: "the text belongs to no cue and is not shown"
    case .parted: "an empty line parts the text from its time"
    case .emptyCue: "the cue has no text"
    case .asksForShift(let seconds):
      "the file asks for a shift of \(plain(seconds)) s, which is not made; "
        + "--timestamp-map makes it"
    case .unreadableSetting: "a setting cannot be read and was left out"
    case .lateSignature: "empty lines stand before WEBVTT"
    case .malformedMarkup: "the markup is not right here"
    case .unknownEntity: "an unknown character reference was left out"
    case .cutShort: "the file ends in the middle"
    case .beyondLimit: "more than is read from one file; what lies beyond was left out"
    case .picture: "the caption is a picture and cannot be shown"
    case .controlCharacters: "control characters were left out"
    case .outOfOrder: "the cue comes earlier than one above it"
    case .overlap(let seconds): "overlaps the cue before by \(plain(seconds)) s"
    case .shortGap(let seconds): "comes \(plain(seconds)) s after the cue before, which flickers"
    case .tooBrief(let seconds): "stays for \(plain(seconds)) s only"
    case .tooLong(let seconds): "stays for \(plain(seconds)) s"
    case .readingSpeed(let speed): "asks to read \(plain(speed, digits: 1)) characters a second"
    case .wideLine(let columns): "has a line of \(columns) columns"
    case .manyLines(let count): "has \(count) lines"
    case .noCues: "there is no cue in it"
    case .more(let count): "\(count) more faults are not listed"
    }
  }

  /// A fault's word and figure for programs.
  static func code(_ kind: CaptionFault.Kind) -> (word: String, value: Double?) {
    switch kind {
    case .unreadableTime: ("unreadable-time", nil)
    case .irregularTime: ("irregular-time", nil)
    case .endsBeforeStart: ("ends-before-start", nil)
    case .strayText: ("stray-text", nil)
    case .parted: ("parted", nil)
    case .emptyCue: ("empty-cue", nil)
    case .asksForShift(let seconds): ("asks-for-shift", seconds)
    case .unreadableSetting: ("unreadable-setting", nil)
    case .lateSignature: ("late-signature", nil)
    case .malformedMarkup: ("malformed-markup", nil)
    case .unknownEntity: ("unknown-entity", nil)
    case .cutShort: ("cut-short", nil)
    case .beyondLimit: ("beyond-limit", nil)
    case .picture: ("picture", nil)
    case .controlCharacters: ("control-characters", nil)
    case .outOfOrder: ("out-of-order", nil)
    case .overlap(let seconds): ("overlap", seconds)
    case .shortGap(let seconds): ("short-gap", seconds)
    case .tooBrief(let seconds): ("too-brief", seconds)
    case .tooLong(let seconds): ("too-long", seconds)
    case .readingSpeed(let speed): ("reading-speed", speed)
    case .wideLine(let columns): ("wide-line", Double(columns))
    case .manyLines(let count): ("many-lines", Double(count))
    case .noCues: ("no-cues", nil)
    case .more(let count): ("more", Double(count))
    }
  }

  /// Why there is no place, and what to do, for the screen.
  static func describe(_ loss: CaptionFollower.Loss) -> String {
    switch loss {
    case .notFoundYet: "Nothing was heard yet."
    case .silence: "Nothing is heard; is it paused?"
    case .otherSound: "Something else is heard."
    case .otherItem: "Another title is heard."
    case .ambiguous: "This passage comes more than once."
    case .suspended: "The machine was asleep."
    case .untrusted: "The last listening is too long ago."
    case .ended: "It has ended."
    case .denied: "Listening is not allowed."
    case .failed: "Listening did not work."
    }
  }

  private static func plain(_ value: Double, digits: Int = 3) -> String {
    JSONText.plain(value, digits: digits)
  }
}

extension CaptionsText {
  /// No catalog has the item that was named.
  static func noItem(_ identifier: String) -> Explanation {
    Explanation(
      reason: "no-item", happened: "No catalog has an item '\(Shown.text(identifier))'.",
      means: "There is nothing to follow.",
      next: "'earshot catalog list' names the items; name the catalog with --catalog.")
  }

  /// The catalog has no captions for an item.
  static func noCaptions(_ title: String) -> Explanation {
    Explanation(
      reason: "no-captions", happened: "The catalog has no captions for '\(Shown.text(title))'.",
      means: "There is nothing to show.", next: "Name a caption file: earshot captions FILE …")
  }

  /// A place that was named after the last cue; nil for every other.
  static func beyond(_ end: CueTime, at position: Double) -> String? {
    guard position > end.seconds, end.seconds > 0 else { return nil }
    return "The captions end at \(end), before \(CueTime(seconds: position)). Nothing is shown."
  }

  /// A file and a catalog of several items.
  static let whichItem = Explanation(
    reason: "which-item", happened: "The catalogs have several items, and the file names none.",
    means: "It could be shown at the place of another film.", next: "Name the item with --item.")
}
