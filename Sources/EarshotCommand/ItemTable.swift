internal import EarshotCatalog
internal import EarshotClient

/// A table of items: what to recognise, under which name, and in which file its sound is.
struct ItemTable: Sendable, Hashable {
  /// One row.
  struct Row: Sendable, Hashable {
    var item: MediaItem
    /// The sound file's name as the table has it, relative to the table's folder.
    var path: [UInt8]
    /// Whether the table gives a title.
    var hasTitle: Bool
    /// Where the row begins.
    var place: Place
    /// Where the row gives each property.
    var places: [ItemProperty: Place] = [:]

    init(_ item: MediaItem = MediaItem(id: "", title: ""), at place: Place) {
      self.item = item
      path = []
      hasTitle = false
      self.place = place
    }
  }

  /// A place in the table, counted from 1; columns count characters.
  struct Place: Sendable, Hashable {
    var line: Int
    var column: Int
  }

  /// Something wrong at a place of the table; line and column count from 1, columns in characters.
  struct Fault: Error, Sendable, Hashable {
    let line: Int
    let column: Int
    let cause: Cause

    init(_ place: Place, _ cause: Cause) {
      line = place.line
      column = place.column
      self.cause = cause
    }
  }

  /// The ways a table can be wrong.
  enum Cause: Error, Sendable, Hashable {
    case notUTF8
    case isUTF16
    case openQuote
    case textAfterQuote
    case fieldCount(found: Int, expected: Int)
    case unknownColumn(String)
    case missingColumn(String)
    case repeatedColumn(String)
    case emptyValue(String)
    case repeatedIdentifier(firstLine: Int)
    case unknownIdentifier
    case notATruth
    case notATime
    case notASpeed
    case notALanguage
    case notAJSONValue
    case wrongJSON(expected: String)
    case unusable(MediaItem.Fault)
    case noRows
  }

  var rows: [Row] = []

  /// The most faults that are collected before reading ends.
  static let faultCountMax = 100

  /// Reads a table: JSON when it begins with a bracket, CSV otherwise.
  ///
  /// All faults are found in one reading, as far as they can be told apart. With `existing`, rows
  /// change items that are there: they need no path, and what they don't say stays as it is.
  static func read(_ bytes: [UInt8], existing: ((String) -> MediaItem?)? = nil)
    -> (table: ItemTable, faults: [Fault])
  {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      return (ItemTable(), [Fault(Place(line: 1, column: 1), .isUTF16)])
    }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let first = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    var reading =
      first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
      ? ItemTableJSON.read(Array(text), existing: existing)
      : ItemTableCSV.read(Array(text), existing: existing)
    reading.faults += faults(of: reading.table.rows)
    if reading.table.rows.isEmpty, reading.faults.isEmpty {
      reading.faults.append(Fault(Place(line: 1, column: 1), .noRows))
    }
    reading.faults.sort { ($0.line, $0.column) < ($1.line, $1.column) }
    reading.faults = Array(reading.faults.prefix(faultCountMax))
    return reading
  }

  /// What is wrong with items by themselves, and identifiers that come twice.
  private static func faults(of rows: [Row]) -> [Fault] {
    var faults: [Fault] = []
    var lines: [String: Int] = [:]
    for row in rows {
      for fault in row.item.faults {
        // An identifier that the table doesn't give, or gives empty, has been told already.
        if case .identifier = fault, row.item.id.isEmpty { continue }
        faults.append(Fault(row.place(of: fault), .unusable(fault)))
      }
      guard !row.item.id.isEmpty, let place = row.places[.id] else { continue }
      if let before = lines.updateValue(place.line, forKey: row.item.id) {
        faults.append(Fault(place, .repeatedIdentifier(firstLine: before)))
      }
    }
    return faults
  }

  /// The most bytes of a table that are read.
  static let byteCountMax = 256 << 20

  /// Reads the table at `path`; its faults are shown one a line, and then thrown as one.
  static func load(
    _ path: [UInt8], existing: ((String) -> MediaItem?)? = nil, json: Bool = false,
    console: Console
  ) throws(CommandError) -> ItemTable {
    let bytes: [UInt8]
    do throws(FileBytes.Failure) {
      bytes = try FileBytes.read(path, countMax: byteCountMax)
    } catch {
      throw .file(path: path, errno: error.number)
    }
    let (table, faults) = read(bytes, existing: existing)
    guard !faults.isEmpty else { return table }
    for fault in faults {
      let text = describe(fault.cause)
      if json {
        console.print(
          JSONText.object([
            .init("version", 1), .init("event", "fault"),
            .init("path", .string(Shown.lossless(path))), .init("line", .integer(fault.line)),
            .init("column", .integer(fault.column)), .init("cause", .string(text)),
          ]).text)
      } else {
        console.note("\(Shown.bytes(path)):\(fault.line):\(fault.column): \(text)")
      }
    }
    let count =
      faults.count == faultCountMax
      ? "\(faultCountMax) faults or more" : faults.count == 1 ? "a fault" : "\(faults.count) faults"
    throw .explained(
      Explanation(
        reason: "item-table", happened: "\(Shown.bytes(path)) has \(count).",
        means: "Nothing was written.", next: "Correct the lines named above."), .error)
  }

  /// A fault in words.
  static func describe(_ cause: Cause) -> String {
    switch cause {
    case .notUTF8: "the text is not UTF-8"
    case .isUTF16: "the table is UTF-16, and has to be UTF-8"
    case .openQuote: "a quoted value has no end"
    case .textAfterQuote: "text follows a closing quote"
    case .fieldCount(let found, let expected):
      "the row has \(found) values, and the table has \(expected) columns"
    case .unknownColumn(let name):
      "there is no property '\(Shown.text(name))' (\(ItemProperty.names))"
    case .missingColumn(let name): "there is no '\(name)'"
    case .repeatedColumn(let name): "'\(Shown.text(name))' comes twice"
    case .emptyValue(let name): "'\(name)' is empty"
    case .repeatedIdentifier(let line): "the identifier is that of line \(line)"
    case .unknownIdentifier: "the catalog has no item of that identifier"
    case .notATruth: "expected true or false"
    case .notATime: "expected times such as 12.5-30 or 1:02:03-1:05:00, with | between them"
    case .notASpeed: "expected speeds such as 0.98-1.02"
    case .notALanguage: "expected language=path, with | between them"
    case .notAJSONValue: "expected a JSON value"
    case .wrongJSON(let expected): "expected \(expected)"
    case .unusable(let fault): "the item " + CatalogText.describe(fault)
    case .noRows: "the table has no items"
    }
  }
}

extension ItemTable.Row {
  /// Where the row gives what is wrong.
  fileprivate func place(of fault: MediaItem.Fault) -> ItemTable.Place {
    let property: ItemProperty? =
      switch fault {
      case .identifier: .id
      case .timeRange: .timeRanges
      case .speedRange: .speedRange
      case .webURL: .webURL
      case .path(let path):
        path == item.artwork && places[.artwork] != nil
          ? .artwork
          : path == item.signLanguageVideo && places[.signLanguageVideo] != nil
            ? .signLanguageVideo : .captions
      case .tooLarge: nil
      }
    return property.flatMap { places[$0] } ?? place
  }
}
