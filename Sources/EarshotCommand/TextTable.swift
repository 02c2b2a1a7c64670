/// Rows of text in columns, for people.
struct TextTable {
  private let heads: [String]
  private var rows: [[String]] = []

  init(_ heads: String...) { self.heads = heads }

  /// Adds a row; steering characters are shown as escapes.
  mutating func add(_ cells: String...) { rows.append(cells.map(Shown.text)) }

  /// The lines, the heads first; none where there is no row.
  var lines: [String] {
    guard !rows.isEmpty else { return [] }
    let widths = heads.indices.map { column in
      ([heads] + rows).map { Cells.width(of: $0[column]) }.max() ?? 0
    }
    return ([heads] + rows).map { row in
      let cells = row.enumerated().map { column, cell in
        column == heads.count - 1 ? cell : Cells.padded(cell, to: widths[column] + 2)
      }
      return String(cells.joined().reversed().drop { $0 == " " }.reversed())
    }
  }
}
