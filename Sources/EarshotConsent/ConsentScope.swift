/// How long an allowance lasts.
public enum ConsentScope: Sendable, Hashable {
  /// One use; the opening record spends it (rule B4).
  case once
  /// While one session of the requester lasts: a connection, a page's visit.
  case whileOpen(session: String)
  /// While captions are on, for listening again by itself (rule B7).
  case whileCaptions(session: String)
  /// Until an instant, in milliseconds since 1970 in UTC.
  case until(utcMilliseconds: Int64)
  /// Until the person withdraws it.
  case untilRevoked
}

extension ConsentScope: Codable {
  private enum CodingKeys: String, CodingKey { case kind, session, until }

  /// Reads `kind` and what belongs to it.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    switch try values.decode(String.self, forKey: .kind) {
    case "once": self = .once
    case "while-open": self = .whileOpen(session: try values.decode(String.self, forKey: .session))
    case "while-captions":
      self = .whileCaptions(session: try values.decode(String.self, forKey: .session))
    case "until": self = .until(utcMilliseconds: try values.decode(Int64.self, forKey: .until))
    case "until-revoked": self = .untilRevoked
    default:
      throw DecodingError.dataCorruptedError(
        forKey: .kind, in: values, debugDescription: "unknown scope")
    }
  }

  /// Writes `kind` and what belongs to it.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(kind, forKey: .kind)
    switch self {
    case .once, .untilRevoked: break
    case .whileOpen(let session), .whileCaptions(let session):
      try values.encode(session, forKey: .session)
    case .until(let instant): try values.encode(instant, forKey: .until)
    }
  }

  /// The scope's word in JSON: `once`, `while-open`, `while-captions`, `until` or `until-revoked`.
  public var kind: String {
    switch self {
    case .once: "once"
    case .whileOpen: "while-open"
    case .whileCaptions: "while-captions"
    case .until: "until"
    case .untilRevoked: "until-revoked"
    }
  }
}
