internal import EarshotCatalog

/// A JSON value that knows where it stands, so that a fault can name line and column.
///
/// Nesting is bounded, repeated names are a fault, and numbers keep 64 bits when they are whole.
struct LocatedJSON {
  /// What the value is.
  indirect enum Kind {
    case scalar(JSONValue)
    case array([LocatedJSON])
    case object([(name: String, place: Int, value: LocatedJSON)])
  }

  let kind: Kind
  /// The offset of its first byte.
  let place: Int
  /// False where the text has a fault inside the value, behind which nothing of it was read.
  var isWhole = true

  /// A fault of the text: what was expected at which byte.
  struct Fault: Error, Sendable, Hashable {
    let place: Int
    let expected: String
    /// Whether a name comes twice in one object; then `expected` is that name.
    var isRepeated = false
  }

  static let depthMax = 64

  /// The plain value.
  var value: JSONValue {
    switch kind {
    case .scalar(let value): value
    case .array(let values): .array(values.map(\.value))
    case .object(let members):
      .object(Dictionary(members.map { ($0.name, $0.value.value) }) { first, _ in first })
    }
  }

  /// Reads the one value that the text holds, and what is wrong with the text.
  ///
  /// Names that come twice are told and left out. Reading ends at the first fault of another kind; what
  /// came before it is there.
  static func parse(_ bytes: [UInt8]) -> (root: LocatedJSON?, faults: [Fault]) {
    var parser = LocatedJSONParser(bytes)
    var root: LocatedJSON?
    do throws(Fault) {
      root = try parser.value(depth: 0)
      if parser.broken == nil { try parser.end() }
    } catch {
      parser.faults.append(error)
    }
    if let broken = parser.broken { parser.faults.append(broken) }
    return (root, parser.faults)
  }

  /// Tells lines and columns of bytes. Asking in the order of the text takes one pass over it, even
  /// where all of it is one line.
  struct Lines {
    private let bytes: [UInt8]
    private let starts: [Int]
    /// The last place that was asked for.
    private var known = (byte: 0, place: ItemTable.Place(line: 1, column: 1))

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      starts = [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
    }

    /// Line and column of a byte, from 1; columns count characters.
    mutating func position(of byte: Int) -> ItemTable.Place {
      var (low, high) = (0, starts.count)
      while high - low > 1 {
        let middle = (low + high) / 2
        if starts[middle] <= byte { low = middle } else { high = middle }
      }
      let goesOn = known.place.line == low + 1 && known.byte <= byte
      let start =
        goesOn ? known : (byte: starts[low], place: ItemTable.Place(line: low + 1, column: 1))
      let between = bytes[start.byte..<byte].count { $0 & 0xC0 != 0x80 }
      known = (byte, ItemTable.Place(line: low + 1, column: start.place.column + between))
      return known.place
    }
  }
}

/// Reads JSON (RFC 8259) from bytes.
private struct LocatedJSONParser {
  private let bytes: [UInt8]
  private var place = 0
  /// What is wrong and could be read over.
  var faults: [LocatedJSON.Fault] = []
  /// The fault at which reading ended.
  private(set) var broken: LocatedJSON.Fault?

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func end() throws(LocatedJSON.Fault) {
    skipSpace()
    guard place == bytes.count else { throw fault("the end of the text") }
  }

  mutating func value(depth: Int) throws(LocatedJSON.Fault) -> LocatedJSON {
    skipSpace()
    guard depth <= LocatedJSON.depthMax else { throw fault("less nesting") }
    let start = place
    guard place < bytes.count else { throw fault("a value") }
    switch bytes[place] {
    case UInt8(ascii: "{"):
      var members: [Member] = []
      do throws(LocatedJSON.Fault) { try object(depth: depth, into: &members) } catch {
        end(at: error)
      }
      return LocatedJSON(kind: .object(members), place: start, isWhole: broken == nil)
    case UInt8(ascii: "["):
      var values: [LocatedJSON] = []
      do throws(LocatedJSON.Fault) { try array(depth: depth, into: &values) } catch {
        end(at: error)
      }
      return LocatedJSON(kind: .array(values), place: start, isWhole: broken == nil)
    case UInt8(ascii: "\""):
      return LocatedJSON(kind: .scalar(.string(try string())), place: start)
    default:
      for (word, value) in [
        ("true", JSONValue.bool(true)), ("false", .bool(false)), ("null", .null),
      ] where bytes[place...].starts(with: word.utf8) {
        place += word.utf8.count
        return LocatedJSON(kind: .scalar(value), place: start)
      }
      return LocatedJSON(kind: .scalar(try number()), place: start)
    }
  }

  private typealias Member = (name: String, place: Int, value: LocatedJSON)

  /// Ends reading for good: what holds the fault ends with it.
  private mutating func end(at fault: LocatedJSON.Fault) {
    if broken == nil { broken = fault }
  }

  private mutating func object(depth: Int, into members: inout [Member]) throws(LocatedJSON.Fault) {
    place += 1
    var names: Set<String> = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return }
    repeat {
      skipSpace()
      let start = place
      guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { throw fault("a name") }
      let name = try string()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw fault("a colon") }
      let value = try value(depth: depth + 1)
      if names.insert(name).inserted {
        members.append((name, start, value))
      } else {
        faults.append(LocatedJSON.Fault(place: start, expected: name, isRepeated: true))
      }
      if broken != nil { return }
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw fault("a comma or a closing brace") }
  }

  private mutating func array(depth: Int, into values: inout [LocatedJSON]) throws(LocatedJSON
    .Fault)
  {
    place += 1
    skipSpace()
    if take(UInt8(ascii: "]")) { return }
    repeat {
      values.append(try value(depth: depth + 1))
      if broken != nil { return }
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw fault("a comma or a closing bracket") }
  }

  private mutating func string() throws(LocatedJSON.Fault) -> String {
    let start = place
    place += 1
    var text: [UInt8] = []
    while true {
      guard place < bytes.count, bytes[place] >= 0x20 else { throw fault("a closing quote") }
      let byte = bytes[place]
      place += 1
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") { text += try escape() } else { text.append(byte) }
    }
    guard let result = String(validating: text, as: UTF8.self) else {
      place = start
      throw fault("text in UTF-8")
    }
    return result
  }

  private mutating func escape() throws(LocatedJSON.Fault) -> [UInt8] {
    let plain: [UInt8: UInt8] = [
      0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9,
    ]
    guard place < bytes.count else { throw fault("the rest of an escape") }
    if let byte = plain[bytes[place]] {
      place += 1
      return [byte]
    }
    var code = try unit()
    if (0xD800..<0xDC00).contains(code) {
      guard take(UInt8(ascii: "\\")) else { throw fault("the second half of a pair") }
      let low = try unit()
      guard (0xDC00..<0xE000).contains(low) else { throw fault("the second half of a pair") }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw fault("a character") }
    return Array(String(scalar).utf8)
  }

  private mutating func unit() throws(LocatedJSON.Fault) -> UInt32 {
    guard take(UInt8(ascii: "u")), place + 4 <= bytes.count,
      bytes[place..<(place + 4)].allSatisfy({ UInt8(ascii: "+") != $0 && UInt8(ascii: "-") != $0 }),
      let code = UInt32(String(decoding: bytes[place..<(place + 4)], as: UTF8.self), radix: 16)
    else { throw fault("an escape") }
    place += 4
    return code
  }

  private mutating func number() throws(LocatedJSON.Fault) -> JSONValue {
    let start = place
    while place < bytes.count,
      (0x30...0x39).contains(bytes[place]) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(bytes[place])
    {
      place += 1
    }
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let hasLeadingZero =
      digits.count > 1 && digits.hasPrefix("0") && digits.dropFirst().first?.isNumber == true
    if let first = digits.utf8.first, (0x30...0x39).contains(first), !text.hasSuffix("."),
      !hasLeadingZero
    {
      if let whole = Int64(text) { return .integer(whole) }
      if let number = Double(text), number.isFinite { return .number(number) }
    }
    place = start
    throw fault("a value")
  }

  private mutating func skipSpace() {
    while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard place < bytes.count, bytes[place] == byte else { return false }
    place += 1
    return true
  }

  private func fault(_ expected: String) -> LocatedJSON.Fault {
    LocatedJSON.Fault(place: place, expected: expected)
  }
}
