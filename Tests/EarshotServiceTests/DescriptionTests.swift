import EarshotClient
import Foundation
import Testing

@testable import EarshotService

/// Documentation/openapi.json, and as much of JSON Schema as it uses.
private struct Description {
  let document: [String: Any]

  init() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let data = try Data(contentsOf: root.appendingPathComponent("Documentation/openapi.json"))
    document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  var paths: [String: [String: [String: Any]]] {
    document["paths"] as? [String: [String: [String: Any]]] ?? [:]
  }

  /// The object that a reference within the document names.
  func resolve(_ object: [String: Any]) -> [String: Any] {
    guard let reference = object["$ref"] as? String else { return object }
    var place: Any = document
    for part in reference.dropFirst(2).split(separator: "/") {
      place = (place as? [String: Any])?[String(part)] ?? [:]
    }
    return resolve(place as? [String: Any] ?? [:])
  }

  /// What an answer's description says of its body, nil where the status is not described.
  func schema(path: String, method: String, status: Int, type: String) -> [String: Any]? {
    let responses = paths[path]?[method]?["responses"] as? [String: [String: Any]]
    guard let response = responses?["\(status)"] else { return nil }
    let content = resolve(response)["content"] as? [String: [String: Any]]
    return content?[type]?["schema"] as? [String: Any]
  }

  /// What is wrong with a value, by its place; empty where it fits. Keys that are not described
  /// are wrong.
  func faults(_ value: Any, _ raw: [String: Any], _ place: String = "$") -> [String] {
    let schema = resolve(raw)
    if let words = schema["enum"] as? [String] {
      guard let text = value as? String, words.contains(text) else {
        return ["\(place): \(value) is none of \(words)"]
      }
    }
    switch schema["type"] as? String {
    case "string": return value is String ? [] : ["\(place) is no text"]
    case "number", "integer", "boolean":
      return value is NSNumber ? [] : ["\(place) is no number or flag"]
    case "array":
      guard let values = value as? [Any], let items = schema["items"] as? [String: Any] else {
        return ["\(place) is no list"]
      }
      return values.enumerated().flatMap { faults($1, items, "\(place)[\($0)]") }
    case "object": return objectFaults(value, schema, place)
    default: return ["\(place) has no described type"]
    }
  }

  private func objectFaults(
    _ value: Any, _ schema: [String: Any], _ place: String
  ) -> [String] {
    guard let object = value as? [String: Any] else { return ["\(place) is no object"] }
    guard let properties = schema["properties"] as? [String: [String: Any]] else { return [] }
    let required = schema["required"] as? [String] ?? []
    var all = required.filter { object[$0] == nil }.map { "\(place) lacks \($0)" }
    for (key, value) in object {
      guard let property = properties[key] else {
        all.append("\(place).\(key) is not described")
        continue
      }
      all += faults(value, property, "\(place).\(key)")
    }
    return all
  }
}

@Suite("Description", .serialized)
struct DescriptionTests {
  /// A path of the description with its parts filled in.
  private func filled(_ path: String) -> [String] {
    path.replacing("{name}", with: "one").replacing("{id}", with: "x")
      .replacing("{listening}", with: "x").replacing("{language}", with: "en")
      .split(separator: "/").map(String.init)
  }

  @Test("every described address is served with just the described methods, and none is left out")
  func routes() throws {
    let description = try Description()
    for (path, operations) in description.paths {
      let route = try #require(Route(path: filled(path)), "\(path)")
      #expect(Set(operations.keys) == Set(route.methods.map { $0.lowercased() }), "\(path)")
      for (method, operation) in operations {
        let says = (operation["description"] as? String)?.contains("listed agents only") ?? false
        #expect(says == route.isForAgents, "\(method) \(path)")
      }
    }
    let described = Set(description.paths.keys.compactMap { Route(path: filled($0)) })
    #expect(described == Set(Route.examples))
  }

  /// One request, and the status that it has to have.
  private struct Exchange {
    var method: String
    /// The described path.
    var path: String
    /// The target that is sent.
    var target: String
    var body = ""
    var status = 200
  }

  @Test("what is served fits what is described, key by key")
  func answers() throws {
    let description = try Description()
    let daemon = try RunningDaemon()
    try daemon.addCatalog()
    let consent = try #require(
      try daemon.client.grant(GrantRequest(confirmation: .terminal)).id)
    let person = #""confirmation":"terminal""#
    let exchanges = [
      Exchange(method: "get", path: "/v1/status", target: "/v1/status"),
      Exchange(method: "get", path: "/v1/status", target: "/v1/status?limit=31", status: 422),
      Exchange(method: "get", path: "/v1/catalogs", target: "/v1/catalogs"),
      Exchange(
        method: "get", path: "/v1/catalogs/{name}/items", target: "/v1/catalogs/one/items"),
      Exchange(
        method: "get", path: "/v1/catalogs/{name}/items", target: "/v1/catalogs/two/items",
        status: 404),
      Exchange(method: "get", path: "/v1/purposes", target: "/v1/purposes"),
      Exchange(method: "get", path: "/v1/privacy", target: "/v1/privacy"),
      Exchange(method: "get", path: "/v1/consents", target: "/v1/consents"),
      Exchange(method: "get", path: "/v1/consents/{id}", target: "/v1/consents/\(consent)"),
      Exchange(
        method: "get", path: "/v1/consents/{id}/receipt", target: "/v1/consents/\(consent)/receipt"
      ),
      Exchange(
        method: "post", path: "/v1/consents/{id}/decision",
        target: "/v1/consents/\(consent)/decision", body: "{\"decision\":\"revoke\",\(person)}"),
      Exchange(
        method: "post", path: "/v1/consents/{id}/decision",
        target: "/v1/consents/\(consent)/decision", body: "{\"decision\":\"allow\",\(person)}",
        status: 201),
      Exchange(method: "post", path: "/v1/listen", target: "/v1/listen", body: #"{"source":"x"}"#),
      Exchange(
        method: "post", path: "/v1/listen", target: "/v1/listen", body: #"{"limit":31}"#,
        status: 422),
      Exchange(method: "post", path: "/v1/match", target: "/v1/match"),
      Exchange(
        method: "post", path: "/v1/match", target: "/v1/match", body: "no sound", status: 415),
      Exchange(method: "post", path: "/v1/match", target: "/v1/match?limit=0", status: 422),
      Exchange(
        method: "get", path: "/v1/captions/{listening}/{language}", target: "/v1/captions/x/en",
        status: 404),
      Exchange(
        method: "get", path: "/v1/captions/{listening}/{language}",
        target: "/v1/captions/by-hand/en?item=one&speed=3", status: 422),
      Exchange(
        method: "post", path: "/v1/captions/{listening}", target: "/v1/captions/x",
        body: #"{"shift":0.1}"#, status: 404),
      Exchange(method: "get", path: "/v1/uses", target: "/v1/uses"),
      Exchange(method: "get", path: "/v1/ledger", target: "/v1/ledger"),
      Exchange(method: "get", path: "/v1/ledger/verify", target: "/v1/ledger/verify"),
      Exchange(method: "get", path: "/v1/ledger/export", target: "/v1/ledger/export"),
      Exchange(
        method: "post", path: "/v1/prompts/{id}/answer", target: "/v1/prompts/x/answer",
        body: #"{"choice":"deny"}"#, status: 404),
      Exchange(
        method: "post", path: "/v1/library/consent", target: "/v1/library/consent",
        body: "{\"decision\":\"allow\",\(person)}", status: 201),
      Exchange(method: "get", path: "/v1/library", target: "/v1/library"),
      Exchange(method: "get", path: "/v1/library/export", target: "/v1/library/export"),
      Exchange(
        method: "delete", path: "/v1/library", target: "/v1/library?confirmation=terminal"),
      Exchange(method: "delete", path: "/v1/library", target: "/v1/library", status: 403),
      Exchange(
        method: "delete", path: "/v1/library/{id}", target: "/v1/library/9?confirmation=terminal",
        status: 404),
      Exchange(method: "get", path: "/v1/devices", target: "/v1/devices"),
      Exchange(
        method: "post", path: "/v1/erase", target: "/v1/erase",
        body: #"{"confirmation":"command"}"#, status: 403),
      Exchange(method: "post", path: "/v1/erase", target: "/v1/erase", body: "{\(person)}"),
    ]
    for exchange in exchanges { try check(exchange, daemon, description) }
  }

  private func check(
    _ exchange: Exchange, _ daemon: RunningDaemon, _ description: Description
  ) throws {
    let name = "\(exchange.method) \(exchange.target)"
    let answer = RawConnection.exchange(
      daemon.socket, exchange.method.uppercased(), exchange.target,
      headers: ["Content-Type: application/json"], body: Array(exchange.body.utf8))
    let parts = answer.components(separatedBy: "\r\n\r\n")
    let type = parts[0].components(separatedBy: "\r\n").first { $0.hasPrefix("Content-Type: ") }
    #expect(status(of: answer) == exchange.status, "\(name): \(answer)")
    let schema = description.schema(
      path: exchange.path, method: exchange.method, status: exchange.status,
      type: String(try #require(type).dropFirst("Content-Type: ".count)))
    let value = try JSONSerialization.jsonObject(
      with: Data(parts.dropFirst().joined(separator: "\r\n\r\n").utf8))
    #expect(
      description.faults(value, try #require(schema, "\(name)")).isEmpty, "\(name): \(answer)")
  }
}
