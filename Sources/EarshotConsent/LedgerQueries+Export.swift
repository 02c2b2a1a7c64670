internal import EarshotStore

extension LedgerQueries {
  static func consentEntry(_ database: borrowing Database, id: String) throws(LedgerError)
    -> ConsentEntry
  {
    let row = try row(database, .consent, id: id)
    return ConsentEntry(
      sequence: row.sequence, record: try LedgerJSON.decode(ConsentRecord.self, from: row),
      withdrawal: try withdrawal(database, of: id))
  }

  static func receipt(_ database: borrowing Database, id: String) throws(LedgerError) -> Receipt {
    let row = try row(database, .consent, id: id)
    return Receipt(
      record: try LedgerJSON.decode(ConsentRecord.self, from: row), sequence: row.sequence,
      hash: Digest.hexadecimal(row.hash))
  }

  static func verify(_ database: borrowing Database, folder: LedgerFolder, receipt: Receipt?)
    throws(LedgerError) -> LedgerVerification
  {
    var anchor: LedgerHead?
    if let receipt {
      let hash = Digest.bytes(hexadecimal: receipt.hash) ?? []
      anchor = LedgerHead(sequence: receipt.sequence, hash: hash)
    }
    let scan = try LedgerScan(
      database, headFile: LedgerHeadFile.read(folder.head), receipt: anchor)
    return LedgerVerification(
      goodRecords: scan.head.sequence, lastHash: Digest.hexadecimal(scan.head.hash),
      fault: scan.fault)
  }

  static func export(_ database: borrowing Database, _ write: ([UInt8]) -> Void)
    throws(LedgerError)
  {
    write(Array(#"{"version":1,"records":["#.utf8))
    var isFirst = true
    try LedgerTable.scan(database) { row throws(LedgerError) in
      let head = ExportedRow(
        sequence: row.sequence, kind: row.kind, id: row.id, names: row.names,
        subject: row.subject, previous: Digest.hexadecimal(row.previous),
        hash: Digest.hexadecimal(row.hash))
      var piece = Array((isFirst ? "\n" : ",\n").utf8)
      piece += try LedgerJSON.encode(head).dropLast()
      // The record itself goes out byte for byte, so that its hash can be computed from the export.
      piece += Array(#","record":"#.utf8) + (row.body ?? Array("null".utf8))
      write(piece + Array("}".utf8))
      isFirst = false
      return true
    }
    write(Array("\n]}\n".utf8))
  }

  private struct ExportedRow: Encodable {
    var sequence: Int64
    var kind: String
    var id: String
    var names: String
    var subject: String
    var previous: String
    var hash: String
  }
}
