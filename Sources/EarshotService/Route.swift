/// What a request's address names, and who may ask for it how.
enum Route: Sendable, Hashable {
  case status
  case catalogs
  case items(catalog: String)
  case devices
  case privacy
  case purposes
  case events
  case listen
  case match
  case captions(listening: String, language: String)
  case captionsChange(listening: String)
  case consents
  case consent(String)
  case decision(String)
  case receipt(String)
  case uses
  case stop(use: String)
  case ledger
  case verification
  case ledgerExport
  case prompts
  case answer(String)
  case library
  case libraryExport
  case libraryConsent
  case libraryEntry(String)
  case erasure
  case kioskLink

  /// One route of each kind, with `one` and `x` for their parts; the description is held against it.
  static let examples: [Route] = [
    .status, .catalogs, .items(catalog: "one"), .devices, .purposes, .privacy, .events, .listen,
    .match,
    .captions(listening: "x", language: "en"), .captionsChange(listening: "x"),
    .consents, .consent("x"), .decision("x"), .receipt("x"), .uses, .stop(use: "x"), .ledger,
    .verification,
    .ledgerExport, .prompts, .answer("x"), .library, .libraryExport, .libraryConsent,
    .libraryEntry("x"), .erasure, .kioskLink,
  ]

  /// The route of a path, nil where there is none.
  init?(path: [String]) {
    guard path.first == "v1" else { return nil }
    let rest = Array(path.dropFirst())
    switch rest.count {
    case 1: self.init(one: rest[0])
    case 2: self.init(two: rest[0], rest[1])
    case 3: self.init(three: rest[0], rest[1], rest[2])
    default: return nil
    }
  }

  private init?(one name: String) {
    switch name {
    case "status": self = .status
    case "catalogs": self = .catalogs
    case "devices": self = .devices
    case "privacy": self = .privacy
    case "purposes": self = .purposes
    case "events": self = .events
    case "listen": self = .listen
    case "match": self = .match
    case "consents": self = .consents
    case "uses": self = .uses
    case "ledger": self = .ledger
    case "prompts": self = .prompts
    case "library": self = .library
    case "erase": self = .erasure
    default: return nil
    }
  }

  private init?(two name: String, _ part: String) {
    switch (name, part) {
    case ("ledger", "verify"): self = .verification
    case ("ledger", "export"): self = .ledgerExport
    case ("library", "export"): self = .libraryExport
    case ("library", "consent"): self = .libraryConsent
    case ("kiosk", "link"): self = .kioskLink
    case ("library", let id): self = .libraryEntry(id)
    case ("captions", let listening): self = .captionsChange(listening: listening)
    case ("consents", let id): self = .consent(id)
    default: return nil
    }
  }

  private init?(three name: String, _ part: String, _ last: String) {
    switch (name, last) {
    case ("captions", _): self = .captions(listening: part, language: last)
    case ("catalogs", "items"): self = .items(catalog: part)
    case ("consents", "decision"): self = .decision(part)
    case ("consents", "receipt"): self = .receipt(part)
    case ("prompts", "answer"): self = .answer(part)
    case ("uses", "stop"): self = .stop(use: part)
    default: return nil
    }
  }

  /// The methods that the address takes.
  var methods: [String] {
    switch self {
    case .listen, .match, .captionsChange, .decision, .answer, .stop, .libraryConsent, .erasure,
      .kioskLink:
      ["POST"]
    case .consents: ["GET", "POST"]
    case .library: ["GET", "DELETE"]
    case .libraryEntry: ["DELETE"]
    default: ["GET"]
    }
  }

  /// Whether only listed executables may ask (rule R6).
  var isForAgents: Bool {
    switch self {
    case .status, .catalogs, .items, .devices, .purposes, .events, .listen, .match, .captions,
      .captionsChange:
      false
    default: true
    }
  }

  /// Whether answering may take long, so that it must not hold others up.
  var isSlow: Bool {
    switch self {
    case .devices, .verification, .ledger, .ledgerExport, .libraryExport, .items, .catalogs,
      .captions:
      true
    default: false
    }
  }
}
