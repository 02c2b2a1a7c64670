/// How a caption file is to be read, where it does not say so itself.
public struct CaptionOptions: Sendable, Hashable {
  /// The format; nil tells it by the content.
  public var format: CaptionFormat?
  /// The encoding by its name in the system's `iconv -l`; nil takes UTF-8 and UTF-16 with a mark.
  public var encoding: String?
  /// Whether a WebVTT file's `X-TIMESTAMP-MAP` shifts its cues. Default: no, because cue times are
  /// the reference's own times.
  public var appliesTimestampMap: Bool

  /// Options; as they stand, those for an ordinary file.
  public init(
    format: CaptionFormat? = nil, encoding: String? = nil, appliesTimestampMap: Bool = false
  ) {
    self.format = format
    self.encoding = encoding
    self.appliesTimestampMap = appliesTimestampMap
  }
}

extension CaptionTrack {
  /// Reads the bytes of a caption file.
  ///
  /// The format is told by the content, not by a name. One bad cue costs itself only and is listed
  /// in `faults`. Takes time in proportion to the number of bytes.
  ///
  /// Throws `tooLarge`, `unknownEncoding`, `notInEncoding`, `noSuchEncoding` or `unknownFormat`.
  public init(
    parsing file: [UInt8], options: CaptionOptions = CaptionOptions()
  ) throws(CaptionError) {
    let text = try CaptionText(decoding: file, encoding: options.encoding)
    guard let format = options.format ?? Self.format(of: text) else { throw .unknownFormat }
    switch format {
    case .webVTT:
      guard WebVTTParser.recognizes(text) else { throw .unknownFormat }
      self = WebVTTParser(text, appliesTimestampMap: options.appliesTimestampMap).parse()
    case .subRip:
      self = SubRipParser(text).parse()
    case .timedText:
      self = try TimedTextParser(text).parse()
    }
  }

  /// The format that a text is in; nil when it is none of ours.
  private static func format(of text: CaptionText) -> CaptionFormat? {
    if WebVTTParser.recognizes(text) { return .webVTT }
    if text.bytes.first(where: { !$0.isBlank }) == UInt8(ascii: "<") { return .timedText }
    return SubRipParser.recognizes(text) ? .subRip : nil
  }
}
