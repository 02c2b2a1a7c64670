internal import Foundation

/// The records' JSON: keys sorted, no spaces, no escaped slashes, so that equal records have equal
/// bytes.
enum LedgerJSON {
  static func encode(_ value: some Encodable) throws(LedgerError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      let data = try encoder.encode(value)
      guard data.count <= LedgerTable.bodyBytesMax else { throw LedgerError.tooLarge }
      return Array(data)
    } catch let error as LedgerError {
      throw error
    } catch {
      // Records hold texts, whole numbers and lists of them, which JSON can always carry.
      preconditionFailure("a record can't be encoded")
    }
  }

  static func decode<Record: Decodable>(_ type: Record.Type, from row: LedgerRow)
    throws(LedgerError) -> Record
  {
    guard let body = row.body else { throw .unreadable(sequence: row.sequence) }
    do {
      return try JSONDecoder().decode(type, from: Data(body))
    } catch {
      throw .unreadable(sequence: row.sequence)
    }
  }
}
