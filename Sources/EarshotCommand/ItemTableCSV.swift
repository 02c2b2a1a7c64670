internal import EarshotCatalog

/// Reads a table of items as comma-separated values after RFC 4180.
///
/// The first line names the columns, in letters of any case. Commas, semicolons or tabs divide
/// values, whichever the first line uses, or what a line `sep=` before it says; line ends may be
/// CR LF, LF or CR; values with these in them stand in quotes, in which a quote is doubled. Lines
/// without a value are left out.
struct ItemTableCSV {
  private let bytes: [UInt8]
  private var place = 0
  private var line = 1
  private var lineStart = 0
  private let divider: UInt8

  /// A value and where it begins.
  private struct Field {
    var bytes: [UInt8] = []
    var place: ItemTable.Place
  }

  /// What is wrong with quotes; reading goes on in the next line.
  private var faults: [ItemTable.Fault] = []

  static func read(_ bytes: [UInt8], existing: ((String) -> MediaItem?)? = nil)
    -> (table: ItemTable, faults: [ItemTable.Fault])
  {
    var reader = ItemTableCSV(bytes)
    var table = ItemTable()
    guard let head = reader.record() else { return (table, reader.faults) }
    let columns = reader.columns(of: head, needsPath: existing == nil)
    while let fields = reader.record() {
      if let row = reader.row(fields, columns: columns, existing) { table.rows.append(row) }
      if reader.faults.count >= ItemTable.faultCountMax { break }
    }
    return (table, reader.faults)
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // Spreadsheets may name the divider in a line before all others.
    let mark = Array("sep=".utf8)
    if bytes.starts(with: mark), bytes.count > 5, [0x0A, 0x0D].contains(bytes[5]) {
      divider = bytes[4]
      place = 5
      endLine()
      return
    }
    let head = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
    let dividers = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
    let counts = dividers.map { divider in head.count { $0 == divider } }
    let most = counts.max() ?? 0
    divider = zip(dividers, counts).first { $0.1 == most }?.0 ?? UInt8(ascii: ",")
  }

  /// The next line's values, or nil at the end. Lines without a single value are left out, and so
  /// are those whose quotes are wrong: these are told.
  private mutating func record() -> [Field]? {
    while place < bytes.count, faults.count < ItemTable.faultCountMax {
      var fields: [Field] = []
      do throws(ItemTable.Fault) {
        while true {
          fields.append(try field())
          guard place < bytes.count, bytes[place] == divider else { break }
          place += 1
        }
      } catch {
        faults.append(error)
        fields = []
        while place < bytes.count, bytes[place] != 0x0A, bytes[place] != 0x0D { place += 1 }
      }
      endLine()
      if fields.contains(where: { !$0.bytes.isEmpty }) { return fields }
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
    var field = Field(place: position)
    guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else {
      while place < bytes.count, !endsValue(bytes[place]) {
        field.bytes.append(bytes[place])
        place += 1
      }
      return field
    }
    let start = (place: place, line: line, lineStart: lineStart)
    place += 1
    while true {
      guard place < bytes.count else {
        (place, line, lineStart) = start
        throw ItemTable.Fault(field.place, .openQuote)
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
    if place == bytes.count || endsValue(bytes[place]) { return field }
    // A quote that was never closed takes in what follows, up to the next one or to the end. It ends
    // with its line instead, so that what is wrong behind it is found as well.
    guard line == start.line else {
      (place, line, lineStart) = start
      throw ItemTable.Fault(field.place, .openQuote)
    }
    throw ItemTable.Fault(position, .textAfterQuote)
  }

  private func endsValue(_ byte: UInt8) -> Bool {
    byte == divider || byte == 0x0A || byte == 0x0D
  }

  /// Line and column of the next byte.
  private var position: ItemTable.Place {
    ItemTable.Place(line: line, column: 1 + bytes[lineStart..<place].count { $0 & 0xC0 != 0x80 })
  }

  /// What each column holds; nil where its name says nothing that is known.
  private mutating func columns(of head: [Field], needsPath: Bool) -> [ItemProperty?] {
    var columns: [ItemProperty?] = []
    for field in head {
      let name = String(decoding: field.bytes, as: UTF8.self)
      let property = ItemProperty(column: name)
      if let property, !columns.contains(property) {
        columns.append(property)
        continue
      }
      faults.append(
        ItemTable.Fault(field.place, property == nil ? .unknownColumn(name) : .repeatedColumn(name))
      )
      columns.append(nil)
    }
    let needed: [ItemProperty] = needsPath ? [.id, .path] : [.id]
    for property in needed where !columns.contains(property) {
      faults.append(
        ItemTable.Fault(
          head.first?.place ?? ItemTable.Place(line: 1, column: 1),
          .missingColumn(property.rawValue)))
    }
    return columns
  }

  private mutating func row(
    _ fields: [Field], columns: [ItemProperty?], _ existing: ((String) -> MediaItem?)?
  ) -> ItemTable.Row? {
    guard fields.count == columns.count else {
      let last = fields[min(fields.count, columns.count + 1) - 1]
      faults.append(
        ItemTable.Fault(
          last.place, .fieldCount(found: fields.count, expected: columns.count)))
      return nil
    }
    var row = ItemTable.Row(at: fields[0].place)
    if let existing, let place = columns.firstIndex(of: .id) {
      guard let item = existing(String(decoding: fields[place].bytes, as: UTF8.self)) else {
        faults.append(ItemTable.Fault(fields[place].place, .unknownIdentifier))
        return nil
      }
      row.item = item
    }
    for (field, property) in zip(fields, columns) {
      guard let property else { continue }
      row.places[property] = field.place
      do throws(ItemTable.Cause) {
        if property == .path, !field.bytes.isEmpty {
          // A file's name is bytes: it need not be UTF-8.
          row.path = field.bytes
          continue
        }
        guard let text = String(validating: field.bytes, as: UTF8.self) else { throw .notUTF8 }
        try property.set(text, in: &row)
      } catch {
        faults.append(ItemTable.Fault(field.place, error))
      }
    }
    return row
  }
}
