internal import EarshotCatalog

/// Reads a table of items as JSON: an array of objects, or an object whose `items` is that array.
///
/// An object has an item's properties and `path`. Lists and captions may be written as JSON or in
/// the spelling of a CSV table.
enum ItemTableJSON {
  static func read(_ bytes: [UInt8], existing: ((String) -> MediaItem?)? = nil)
    -> (table: ItemTable, faults: [ItemTable.Fault])
  {
    var table = ItemTable()
    let (root, wrong) = LocatedJSON.parse(bytes)
    var lines = LocatedJSON.Lines(bytes)
    var faults = wrong.map {
      ItemTable.Fault(
        lines.position(of: $0.place),
        $0.isRepeated ? .repeatedColumn($0.expected) : .wrongJSON(expected: $0.expected))
    }
    func note(_ place: Int, _ cause: ItemTable.Cause) {
      faults.append(ItemTable.Fault(lines.position(of: place), cause))
    }
    guard let rows = rows(root) else {
      if faults.isEmpty {
        note(
          root?.place ?? 0,
          .wrongJSON(expected: "an array of items, or an object with an array 'items'"))
      }
      return (table, faults)
    }
    for object in rows {
      guard case .object(let members) = object.kind else {
        note(object.place, .wrongJSON(expected: "an object with an item's properties"))
        continue
      }
      var row = ItemTable.Row(at: lines.position(of: object.place))
      if let existing, let member = members.first(where: { $0.name == ItemProperty.id.rawValue }) {
        guard case .scalar(.string(let id)) = member.value.kind, let item = existing(id) else {
          note(member.value.place, .unknownIdentifier)
          continue
        }
        row.item = item
      }
      for (name, place, value) in members {
        guard let property = ItemProperty(rawValue: name) else {
          note(place, .unknownColumn(name))
          continue
        }
        row.places[property] = lines.position(of: value.place)
        // What the text breaks off in has been told.
        guard value.isWhole else { continue }
        do throws(ItemTable.Cause) {
          try property.set(value, in: &row)
        } catch {
          note(value.place, error)
        }
      }
      // Of an object that the text breaks off in, nobody knows what it lacks.
      let needed: [ItemProperty] =
        object.isWhole ? (existing == nil ? [.id, .path] : [.id]) : []
      for property in needed where !members.contains(where: { $0.name == property.rawValue }) {
        note(object.place, .missingColumn(property.rawValue))
      }
      table.rows.append(row)
      if faults.count >= ItemTable.faultCountMax { break }
    }
    return (table, faults)
  }

  private static func rows(_ root: LocatedJSON?) -> [LocatedJSON]? {
    switch root?.kind {
    case .array(let values): return values
    case .object(let members):
      if let items = members.first(where: { $0.name == "items" }),
        case .array(let values) = items.value.kind
      {
        return values
      }
      return nil
    case .scalar, nil: return nil
    }
  }
}

extension ItemProperty {
  /// Sets the property from a JSON value; null empties it.
  fileprivate func set(_ json: LocatedJSON, in row: inout ItemTable.Row) throws(ItemTable.Cause) {
    let value = json.value
    switch (self, value) {
    case (.custom, _): row.item.custom = value
    case (.id, .null), (.path, .null): throw .emptyValue(rawValue)
    case (_, .null): clear(in: &row)
    case (_, .string(let text)): try set(text, in: &row)
    case (.explicit, .bool(let truth)): row.item.explicit = truth
    case (.genres, .array(let values)):
      row.item.genres = try values.map { value throws(ItemTable.Cause) in
        guard case .string(let genre) = value else { throw .wrongJSON(expected: "text") }
        return genre
      }
    case (.captions, .object(let members)):
      row.item.captions = [:]
      for (language, path) in members {
        guard case .string(let path) = path else { throw .wrongJSON(expected: "a path") }
        row.item.captions[language] = path
      }
    case (.timeRanges, .array(let values)):
      row.item.timeRanges = try values.map { value throws(ItemTable.Cause) in
        let ends = try Self.numbers(value, ["start", "end"])
        return MediaItem.TimeRange(start: ends[0], end: ends[1])
      }
    case (.speedRange, .object):
      let ends = try Self.numbers(value, ["low", "high"])
      row.item.speedRange = MediaItem.SpeedRange(low: ends[0], high: ends[1])
    default: throw .wrongJSON(expected: expectation)
    }
  }

  private static func numbers(_ value: JSONValue, _ names: [String]) throws(ItemTable.Cause)
    -> [Double]
  {
    guard case .object(let members) = value else {
      throw .wrongJSON(expected: "an object with \(names.joined(separator: " and "))")
    }
    var numbers: [Double] = []
    for name in names {
      switch members[name] {
      case .integer(let number): numbers.append(Double(number))
      case .number(let number): numbers.append(number)
      case .string(let text):
        guard let seconds = seconds(text) else { throw .notATime }
        numbers.append(seconds)
      default: throw .wrongJSON(expected: "a number '\(name)'")
      }
    }
    return numbers
  }

  private var expectation: String {
    switch self {
    case .explicit: "true or false"
    case .genres: "an array of text"
    case .captions: "an object of paths by language"
    case .timeRanges: "an array of objects with start and end"
    case .speedRange: "an object with low and high"
    default: "text"
    }
  }
}
