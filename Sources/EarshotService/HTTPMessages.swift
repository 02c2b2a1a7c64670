internal import EarshotClient
internal import Foundation

/// A request as the routes see it.
struct HTTPRequest: Sendable {
  var method: String
  /// The path's parts, unescaped.
  var path: [String]
  /// The query's fields; of a repeated name the last one counts.
  var query: [String: String]
  var wantsEvents: Bool
  var contentType: String?
  var contentLength: Int?
  /// What the loopback page's gate looks at; the Unix socket has no use for them.
  var host: String?
  var origin: String?
  var fetchSite: String?
  var cookies: String?
  var range: String?
  var body: [UInt8] = []
  var peer: Peer
}

/// What a route answers.
enum HTTPAnswer: Sendable {
  /// A whole body.
  case bytes([UInt8], type: String, status: Int, headers: [String: String])
  /// Server-sent events until the queue ends.
  case events(EventQueue)

  /// A value as JSON.
  static func json(_ value: some Encodable, status: Int = 200) -> HTTPAnswer {
    guard let data = try? Self.encoder.encode(value) else {
      return .problem(.unwritable)
    }
    return .bytes(Array(data) + [0x0A], type: "application/json", status: status, headers: [:])
  }

  /// A fault as problem details after RFC 9457.
  static func problem(_ problem: ProblemDetails, headers: [String: String] = [:]) -> HTTPAnswer {
    let data = (try? Self.encoder.encode(problem)) ?? Data("{}".utf8)
    return .bytes(
      Array(data) + [0x0A], type: "application/problem+json", status: problem.status,
      headers: headers)
  }

  static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()
}
