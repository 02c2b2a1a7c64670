internal import Foundation

/// An enumeration whose cases travel as server-sent events.
///
/// The event's name is the case's name and its data the case's payload as one flat JSON object, so
/// that a shell script needs to know nothing about Swift.
public protocol ServerEvent: Codable, Sendable {
  /// The names of the cases whose payload is one unlabelled value.
  static var wholePayloads: Set<String> { get }
}

extension ListenEvent: ServerEvent {
  /// Only `result` carries one whole value.
  public static var wholePayloads: Set<String> { ["result"] }
}

extension PromptEvent: ServerEvent {
  /// Only `shown` carries one whole value.
  public static var wholePayloads: Set<String> { ["shown"] }
}

extension ServerEvent {
  /// Reads an event; nil where this build does not know its name.
  ///
  /// - Throws: ``ClientError/unreadableAnswer(status:)`` when the name is known and the data is
  ///   not what it should be.
  public init?(_ event: ServerSentEvent) throws(ClientError) {
    let isWhole = Self.wholePayloads.contains(event.name)
    guard let name = try? wireEncoder.encode(event.name),
      let text = String(data: name, encoding: .utf8)
    else { throw .unreadableAnswer(status: 200) }
    let payload = isWhole ? "{\"_0\":\(event.data)}" : event.data
    do {
      self = try JSONDecoder().decode(Self.self, from: Data("{\(text):\(payload)}".utf8))
    } catch DecodingError.typeMismatch(_, let context) where context.codingPath.isEmpty {
      // Synthesized decoding answers so to a name it does not know: a newer daemon's event.
      return nil
    } catch {
      throw .unreadableAnswer(status: 200)
    }
  }

  /// The event as it goes over the wire.
  ///
  /// - Throws: ``ClientError/unwritableRequest`` for a number that JSON cannot hold.
  public func serverSentEvent() throws(ClientError) -> ServerSentEvent {
    guard let data = try? wireEncoder.encode(self) else { throw .unwritableRequest }
    // The encoder writes {"name":payload} or {"name":{"_0":payload}}, and case names hold no
    // character that JSON escapes: the payload is cut out as it stands, so no number is rewritten.
    let text = String(decoding: data, as: UTF8.self)
    guard let colon = text.firstIndex(of: ":") else { throw .unwritableRequest }
    let name = text[text.index(text.startIndex, offsetBy: 2)..<text.index(before: colon)]
    var payload = text[text.index(after: colon)...].dropLast()
    if Self.wholePayloads.contains(String(name)) {
      payload = payload.dropFirst("{\"_0\":".count).dropLast()
    }
    return ServerSentEvent(name: String(name), data: String(payload))
  }
}

/// Writes keys in one order and slashes as they are, so that the wire can be compared byte by byte.
let wireEncoder: JSONEncoder = {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return encoder
}()
