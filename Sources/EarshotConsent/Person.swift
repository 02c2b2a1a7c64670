/// Whose consent it is.
public enum Person: Sendable, Hashable {
  /// The Unix user whose microphone it is.
  case user(UInt32)
  /// A kiosk's visitor, by the visit's random id.
  case visit(String)

  /// The identifier that records carry: `uid:1000` or `visit:…`.
  public var identifier: String {
    switch self {
    case .user(let number): "uid:\(number)"
    case .visit(let name): "visit:\(name)"
    }
  }

  /// The person that an identifier names, or nil.
  public init?(identifier: String) {
    if identifier.hasPrefix("uid:"), let number = UInt32(identifier.dropFirst(4)) {
      self = .user(number)
    } else if identifier.hasPrefix("visit:") {
      self = .visit(String(identifier.dropFirst(6)))
    } else {
      return nil
    }
  }
}

extension Person: Codable {
  /// Reads the identifier's form.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    guard let person = Person(identifier: try value.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: value, debugDescription: "not a person")
    }
    self = person
  }

  /// Writes the identifier.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(identifier)
  }
}
