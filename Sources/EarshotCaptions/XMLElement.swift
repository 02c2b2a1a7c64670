/// A name in a TTML document, with the prefix resolved.
struct XMLName: Sendable, Hashable {
  /// The vocabularies that are told apart.
  enum Space: Sendable, Hashable {
    case none
    case timedText
    case parameter
    case styling
    case metadata
    case xml
    case other
  }

  var space: Space
  var local: String
}

/// An element's start.
struct XMLElement: Sendable, Hashable {
  var name = XMLName(space: .other, local: "")
  var attributes: [(name: XMLName, value: String)] = []
  var line: Int
  /// Whether its tag could not be read to the end.
  var isMalformed = false

  init(line: Int) { self.line = line }

  /// An attribute's value.
  subscript(space: XMLName.Space, local: String) -> String? {
    attributes.first { $0.name.space == space && $0.name.local == local }?.value
  }

  static func == (left: XMLElement, right: XMLElement) -> Bool {
    left.name == right.name && left.line == right.line && left.isMalformed == right.isMalformed
      && left.attributes.elementsEqual(right.attributes) { $0 == $1 }
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(line)
  }
}

/// The prefixes in force while a document is read.
struct XMLNames: Sendable {
  private var meanings: [String: [XMLName.Space]] = [:]
  private var declared: [[String]] = []
  /// Names with a prefix as they were resolved, for as long as the prefixes in force stay.
  private var known: [String: XMLName] = [:]

  /// Takes an element's declarations into force.
  mutating func enter(declaring attributes: [(name: String, value: String)]) {
    var prefixes: [String] = []
    for (name, value) in attributes {
      let prefix: String
      if name == "xmlns" {
        prefix = ""
      } else if name.hasPrefix("xmlns:") {
        prefix = String(name.dropFirst(6))
      } else {
        continue
      }
      prefixes.append(prefix)
      known.removeAll()
      meanings[prefix, default: []].append(Self.space(of: value))
    }
    declared.append(prefixes)
  }

  /// Ends what the innermost element declared.
  mutating func leave() {
    for prefix in declared.popLast() ?? [] {
      known.removeAll()
      meanings[prefix]?.removeLast()
    }
  }

  /// What a name stands for. Prefixes that nobody declared have their usual meaning.
  mutating func resolve(_ name: String, isAttribute: Bool) -> XMLName {
    guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      let space: XMLName.Space = isAttribute ? .none : meanings[""]?.last ?? .timedText
      return XMLName(space: space, local: name)
    }
    if let name = known[name] { return name }
    let resolved = resolve(name, colon: colon)
    if known.count < CaptionLimits.styles { known[name] = resolved }
    return resolved
  }

  private func resolve(_ name: String, colon: String.Index) -> XMLName {
    let prefix = String(name[..<colon])
    let local = String(name[name.index(after: colon)...])
    if prefix == "xml" { return XMLName(space: .xml, local: local) }
    return XMLName(space: meanings[prefix]?.last ?? Self.usual[prefix] ?? .other, local: local)
  }

  private static let usual: [String: XMLName.Space] = [
    "tt": .timedText, "tts": .styling, "ttp": .parameter, "ttm": .metadata,
  ]

  /// The vocabulary behind an address, of any edition of the standard.
  private static func space(of address: String) -> XMLName.Space {
    if address.isEmpty { return .timedText }
    guard address.hasPrefix("http://www.w3.org/"),
      address.contains("/ttml") || address.contains("/ttaf1")
    else { return .other }
    let fragment = address.split(separator: "#", omittingEmptySubsequences: false).dropFirst().first
    return switch fragment {
    case nil: .timedText
    case "parameter": .parameter
    case "styling", "style": .styling
    case "metadata": .metadata
    default: .other
    }
  }
}
