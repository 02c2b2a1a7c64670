/// One server-sent event as it came over the wire.
public struct ServerSentEvent: Sendable, Hashable {
  /// The `event:` field; `message` where the stream names none.
  public var name: String
  /// The `data:` lines, joined by newlines.
  public var data: String

  /// Makes an event of its two fields.
  public init(name: String, data: String) {
    self.name = name
    self.data = data
  }
}

/// Cuts a stream of bytes into server-sent events, after the HTML standard's section 9.2.6.
///
/// Pieces may end anywhere, also inside a UTF-8 character or between CR and LF. An event larger
/// than ``limit`` is refused, so that a broken peer cannot fill the memory.
public struct ServerSentEventDecoder: Sendable {
  /// The largest event, in bytes of its fields together.
  public static let limit = 1 << 20

  private var line: [UInt8] = []
  private var isAfterCarriageReturn = false
  private var isAtStart = true
  private var name = ""
  private var data: String?
  private var size = 0

  /// Starts at the beginning of a stream.
  public init() {}

  /// Takes the next bytes and returns the events that they complete.
  ///
  /// - Throws: ``ClientError/answerTooLarge(limit:)`` for an event over the limit.
  public mutating func append(_ bytes: [UInt8]) throws(ClientError) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      if byte == 0x0A && isAfterCarriageReturn {
        isAfterCarriageReturn = false
        continue
      }
      isAfterCarriageReturn = byte == 0x0D
      guard byte == 0x0A || byte == 0x0D else {
        line.append(byte)
        size += 1
        guard size <= Self.limit else { throw .answerTooLarge(limit: Self.limit) }
        continue
      }
      if let event = endLine() { events.append(event) }
    }
    return events
  }

  private mutating func endLine() -> ServerSentEvent? {
    if isAtStart && line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    isAtStart = false
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else { return endEvent() }
    guard let colon = line.firstIndex(of: 0x3A) else {
      take(field: String(decoding: line, as: UTF8.self), value: "")
      return nil
    }
    // A line that begins with a colon is a comment; the daemon sends them to keep a stream alive.
    guard colon > 0 else {
      size -= line.count
      return nil
    }
    var value = line[(colon + 1)...]
    if value.first == 0x20 { value = value.dropFirst() }
    take(
      field: String(decoding: line[..<colon], as: UTF8.self),
      value: String(decoding: value, as: UTF8.self))
    return nil
  }

  private mutating func take(field: String, value: String) {
    switch field {
    case "event": name = value
    case "data": data = data.map { $0 + "\n" + value } ?? value
    default: break
    }
  }

  private mutating func endEvent() -> ServerSentEvent? {
    defer {
      name = ""
      data = nil
      size = 0
    }
    return data.map { ServerSentEvent(name: name.isEmpty ? "message" : name, data: $0) }
  }
}
