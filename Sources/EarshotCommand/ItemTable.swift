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
    /// The line in which the row begins, from 1.
    var line: Int
  }

  /// Something wrong at a place of the table; line and column count from 1, columns in characters.
  struct Fault: Error, Sendable, Hashable {
    let line: Int
    let column: Int
    let cause: Cause
  }

  /// The ways a table can be wrong.
  enum Cause: Error, Sendable, Hashable {
    case notUTF8
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
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let first = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    var reading =
      first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
      ? ItemTableJSON.read(Array(text), existing: existing)
      : ItemTableCSV.read(Array(text), existing: existing)
    var lines: [String: Int] = [:]
    for row in reading.table.rows {
      if let fault = row.item.fault {
        reading.faults.append(Fault(line: row.line, column: 1, cause: .unusable(fault)))
      }
      if let before = lines.updateValue(row.line, forKey: row.item.id) {
        reading.faults.append(
          Fault(line: row.line, column: 1, cause: .repeatedIdentifier(firstLine: before)))
      }
    }
    if reading.table.rows.isEmpty, reading.faults.isEmpty {
      reading.faults.append(Fault(line: 1, column: 1, cause: .noRows))
    }
    reading.faults.sort { ($0.line, $0.column) < ($1.line, $1.column) }
    reading.faults = Array(reading.faults.prefix(faultCountMax))
    return reading
  }

  /// The most bytes of a table that are read.
  static let byteCountMax = 256 << 20

  /// Reads the table at `path`; its faults are shown one a line, and then thrown as one.
  static func load(
    _ path: [UInt8], existing: ((String) -> MediaItem?)? = nil, console: Console
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
      let place = "\(Shown.bytes(path)):\(fault.line):\(fault.column)"
      console.note("\(place): \(describe(fault.cause))")
    }
    throw .explained(
      Explanation(
        reason: "item-table", happened: "\(Shown.bytes(path)) has \(faults.count) faults.",
        means: "Nothing was written.", next: "Correct the lines named above."), .error)
  }

  /// A fault in words.
  static func describe(_ cause: Cause) -> String {
    switch cause {
    case .notUTF8: "the text is not UTF-8"
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
