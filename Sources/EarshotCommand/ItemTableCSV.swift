internal import EarshotCatalog

/// Reads a table of items as comma-separated values after RFC 4180.
///
/// The first line names the columns. Commas, semicolons or tabs divide values, whichever the first
/// line uses; line ends may be CR LF or LF; values with these in them stand in quotes, in which a
/// quote is doubled. Empty lines are left out.
struct ItemTableCSV {
  private let bytes: [UInt8]
  private var place = 0
  private var line = 1
  private var lineStart = 0
  private let divider: UInt8

  /// A value and where it begins.
  private struct Field {
    var bytes: [UInt8] = []
    var line: Int
    var column: Int
  }

  static func read(_ bytes: [UInt8], existing: ((String) -> MediaItem?)? = nil)
    -> (table: ItemTable, faults: [ItemTable.Fault])
  {
    var reader = ItemTableCSV(bytes)
    var table = ItemTable()
    var faults: [ItemTable.Fault] = []
    do throws(ItemTable.Fault) {
      guard let head = try reader.record() else { return (table, faults) }
      let columns = columns(of: head, needsPath: existing == nil, &faults)
      guard faults.isEmpty else { return (table, faults) }
      while let fields = try reader.record() {
        if let row = row(fields, columns: columns, existing, &faults) { table.rows.append(row) }
        if faults.count >= ItemTable.faultCountMax { break }
      }
    } catch {
      faults.append(error)
    }
    return (table, faults)
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let head = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
    let dividers = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
    let counts = dividers.map { divider in head.count { $0 == divider } }
    let most = counts.max() ?? 0
    divider = zip(dividers, counts).first { $0.1 == most }?.0 ?? UInt8(ascii: ",")
  }

  /// The next line's values, or nil at the end.
  private mutating func record() throws(ItemTable.Fault) -> [Field]? {
    while place < bytes.count {
      var fields: [Field] = []
      while true {
        fields.append(try field())
        if place < bytes.count, bytes[place] == divider {
          place += 1
          continue
        }
        break
      }
      endLine()
      if fields.count > 1 || !fields[0].bytes.isEmpty { return fields }
    }
    return nil
  }

  private mutating func endLine() {
    if place < bytes.count, bytes[place] == 0x0D { place += 1 }
    if place < bytes.count, bytes[place] == 0x0A { place += 1 }
    line += 1
    lineStart = place
  }

  private mutating func field() throws(ItemTable.Fault) -> Field {
    var field = Field(line: line, column: column(at: place))
    guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else {
      while place < bytes.count, !endsValue(bytes[place]) {
        field.bytes.append(bytes[place])
        place += 1
      }
      return field
    }
    place += 1
    while true {
      guard place < bytes.count else {
        throw ItemTable.Fault(line: field.line, column: field.column, cause: .openQuote)
      }
      let byte = bytes[place]
      place += 1
      if byte == UInt8(ascii: "\"") {
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { break }
        place += 1
      } else if byte == 0x0A {
        line += 1
        lineStart = place
      }
      field.bytes.append(byte)
    }
    guard place == bytes.count || endsValue(bytes[place]) else {
      throw ItemTable.Fault(line: line, column: column(at: place), cause: .textAfterQuote)
    }
    return field
  }

  private func endsValue(_ byte: UInt8) -> Bool {
    byte == divider || byte == 0x0A || byte == 0x0D
  }

  /// The column of a byte, counted in characters from 1.
  private func column(at place: Int) -> Int {
    1 + bytes[lineStart..<place].count { $0 & 0xC0 != 0x80 }
  }

  private static func columns(
    of head: [Field], needsPath: Bool, _ faults: inout [ItemTable.Fault]
  ) -> [ItemProperty] {
    var columns: [ItemProperty] = []
    for field in head {
      let name = String(decoding: field.bytes, as: UTF8.self)
      let cause: ItemTable.Cause
      if let property = ItemProperty(rawValue: name) {
        if !columns.contains(property) {
          columns.append(property)
          continue
        }
        cause = .repeatedColumn(name)
      } else {
        cause = .unknownColumn(name)
      }
      faults.append(ItemTable.Fault(line: field.line, column: field.column, cause: cause))
    }
    let needed: [ItemProperty] = needsPath ? [.id, .path] : [.id]
    for property in needed where !columns.contains(property) {
      faults.append(ItemTable.Fault(line: 1, column: 1, cause: .missingColumn(property.rawValue)))
    }
    return columns
  }

  private static func row(
    _ fields: [Field], columns: [ItemProperty], _ existing: ((String) -> MediaItem?)?,
    _ faults: inout [ItemTable.Fault]
  ) -> ItemTable.Row? {
    guard fields.count == columns.count else {
      let last = fields[min(fields.count, columns.count + 1) - 1]
      faults.append(
        ItemTable.Fault(
          line: last.line, column: last.column,
          cause: .fieldCount(found: fields.count, expected: columns.count)))
      return nil
    }
    var row = ItemTable.Row(
      item: MediaItem(id: "", title: ""), path: [], hasTitle: false, line: fields[0].line)
    if let existing, let place = columns.firstIndex(of: .id) {
      guard let item = existing(String(decoding: fields[place].bytes, as: UTF8.self)) else {
        faults.append(
          ItemTable.Fault(
            line: fields[place].line, column: fields[place].column, cause: .unknownIdentifier))
        return nil
      }
      row.item = item
    }
    let before = faults.count
    for (field, property) in zip(fields, columns) {
      do throws(ItemTable.Cause) {
        if property == .path, !field.bytes.isEmpty {
          // A file's name is bytes: it need not be UTF-8.
          row.path = field.bytes
          continue
        }
        guard let text = String(validating: field.bytes, as: UTF8.self) else { throw .notUTF8 }
        try property.set(text, in: &row)
      } catch {
        faults.append(ItemTable.Fault(line: field.line, column: field.column, cause: error))
      }
    }
    return faults.count == before ? row : nil
  }
}
